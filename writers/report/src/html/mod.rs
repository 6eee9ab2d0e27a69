//! A report as one self-contained page: charts are drawings within it, scripts are part of it, and nothing is fetched.

mod charts;
mod draw;
mod flame;
mod source;
pub(crate) mod tables;
mod timeline;

pub use source::{Excerpt, locations};

use crate::compare::{self, Comparison};
use crate::findings::named;
use crate::model::Report;
use crate::scale::{self, Scaling};
use crate::strip::Strip;
use crate::text::{busy_machine, cure, duration, gain, memory_limit, nothing, percent};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use thiserror::Error;

/// The page asks for nothing: the browser sees to it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A chart could not be drawn.
#[derive(Debug, Error)]
#[error("a chart of the page: {0}")]
pub struct Error(pub(crate) String);

/// Optional parts of a page besides the report.
#[derive(Debug, Default)]
pub struct Extras<'a> {
    /// Timeline of the threads' states over the run.
    pub strip: Option<&'a Strip>,
    /// Lines of source files.
    pub sources: &'a [Excerpt],
}

/// The page; tables and charts have at most `top` entries.
pub fn render(report: &Report, extras: &Extras<'_>, top: usize) -> Result<String, Error> {
    let name = ompttrace_model::base_name(&report.program.executable);
    let charts = charts::all(report, top)?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (page_head(&format!("{name}: OpenMP report"), extras.strip.map(|strip| timeline::data(report, strip))))
            body {
                (head(report, name))
                (findings(report, top, extras.strip.is_some()))
                @if extras.strip.is_some() { (timeline::section()) }
                main { @for chart in &charts { (chart) } }
                (flame::graphs(report))
                (tables::all(report, top))
                (source::section(extras.sources))
                (definitions(report))
                footer { "ompttrace report of process " (report.program.pid) " on " (report.program.host) }
            }
        }
    };
    Ok(harmless(&page.into_string()))
}

/// The page of a comparison; tables have at most `top` entries.
pub fn comparison(comparison: &Comparison, top: usize) -> String {
    let nothing = Report::default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (page_head("OpenMP runs compared", None))
            body {
                header {
                    h1 { (compare::text::headline(comparison)) }
                    @for (name, side, wall) in compare::text::sides(comparison) {
                        p { (name) ": " (compare::text::words(side, wall)) }
                    }
                    @for caveat in &comparison.caveats { p.caveat { (caveat) } }
                }
                @for table in compare::tables(comparison, top) { (tables::one(&table, &nothing)) }
                (definitions(&nothing))
            }
        }
    };
    harmless(&page.into_string())
}

/// The page of a program's scaling, with a plot; the table of regions has at most `top` entries.
pub fn scaling(scaling: &Scaling, top: usize) -> Result<String, Error> {
    let name = ompttrace_model::base_name(&scaling.executable);
    let nothing = Report::default();
    let plot = charts::speed_up(scaling)?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (page_head(&format!("{name}: scaling"), None))
            body {
                header {
                    h1 { (name) }
                    p { (scale::text::headline(scaling)) }
                    @for caveat in &scaling.caveats { p.caveat { (caveat) } }
                }
                main { (plot) }
                @for table in scale::text::tables(scaling, top) { (tables::one(&table, &nothing)) }
                ol { @for region in &scaling.regions {
                    @if let Some(reason) = scale::text::reason(region) { li { (reason) } }
                } }
                (definitions(&nothing))
            }
        }
    };
    Ok(harmless(&page.into_string()))
}

/// A page without a timeline.
pub(crate) fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (page_head(title, None))
            body { (body) }
        }
    };
    harmless(&page.into_string())
}

/// The head, with the timeline's data and script where there is one.
fn page_head(title: &str, timeline: Option<Markup>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            style { (PreEscaped(concat!(include_str!("style.css"), include_str!("flame.css")))) }
            script { (PreEscaped(include_str!("sort.js"))) }
            @if let Some(data) = timeline {
                (data)
                script { (PreEscaped(include_str!("timeline.js"))) }
            }
        }
    }
}

/// A page without characters that could control the terminal of those who read its text.
fn harmless(page: &str) -> String {
    let lines: Vec<String> = page.split('\n').map(crate::text::harmless).collect();
    lines.join("\n")
}

fn head(report: &Report, name: &str) -> Markup {
    let e = &report.efficiency;
    let cards = [
        (Some(duration(report.wall_ns)), "wall time"),
        (Some(e.threads.to_string()), "threads"),
        (e.parallel.map(percent), "parallel efficiency"),
        (e.load_balance.map(percent), "load balance"),
        (Some(percent(e.parallel_coverage)), "in parallel regions"),
    ];
    let cards = cards.into_iter().filter_map(|(figure, what)| Some((figure?, what)));
    html! {
        header {
            h1 { (name) }
            p.cards { @for (figure, what) in cards { span { b { (figure) } " " (what) } } }
            @if let Some(window) = crate::text::window(report) { p { (window) } }
            p { (crate::text::span(report)) }
            @for caveat in &report.caveats { p.caveat { (caveat) } }
        }
    }
}

/// Definitions of words and figures.
fn definitions(report: &Report) -> Markup {
    html! {
        section {
            details {
                summary { "What the words and figures mean" }
                dl { @for (name, words) in crate::explain::wanted(report.mpi.is_some(), report.devices.is_some()) {
                    dt { (name) } dd { (in_words(&words)) }
                } }
            }
        }
    }
}

/// The findings; with a timeline each has a link to where it costs most.
fn findings(report: &Report, top: usize, has_timeline: bool) -> Markup {
    html! {
        section {
            @if let Some(busy) = &report.busy_machine {
                p { (in_words(&busy_machine(busy))) }
            }
            h2 { "Findings" }
            @if report.findings.is_empty() {
                p { (nothing(report)) }
            }
            ol { @for (finding, number) in report.findings.iter().take(top).zip(1..) { li {
                (in_words(&finding.text))
                @if has_timeline {
                    " " a.mark href="#timeline" data-finding=(number) hidden="" { "show where it costs most" }
                }
                @if let Some(words) = cure(finding) { div { (in_words(&words)) } }
                @if let Some(words) = gain(finding) {
                    div.gain {
                        (words)
                        @if !finding.disproof.is_empty() { " Wrong if " (finding.disproof) "." }
                    }
                }
            } } }
            @if let Some(limit) = &report.memory_limit {
                p { (in_words(&memory_limit(limit))) }
            }
        }
    }
}

/// Marks up a text, whose parts between backticks are set as code.
pub(crate) fn in_words(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A construct's name in a table or chart.
fn label(report: &Report, construct: usize) -> String {
    report.constructs.get(construct).map_or_else(String::new, |construct| {
        let name = named(construct).replace('`', "");
        match (&construct.location.function, construct.location.short.is_empty()) {
            (Some(function), false) if !name.contains(function) => format!("{name} ({function})"),
            _ => name,
        }
    })
}
