//! A report as one self-contained page: charts are drawings within it, and nothing is fetched.

mod charts;
mod draw;
mod tables;

use crate::findings::named;
use crate::model::Report;
use crate::text::{duration, nothing, percent};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use thiserror::Error;

/// A chart could not be drawn.
#[derive(Debug, Error)]
#[error("a chart of the page: {0}")]
pub struct Error(pub(crate) String);

/// The page; tables and charts have at most `top` entries.
pub fn render(report: &Report, top: usize) -> Result<String, Error> {
    let name = ompttrace_model::base_name(&report.program.executable);
    let charts = charts::all(report, top)?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (name) ": OpenMP report" }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                (head(report, name))
                (findings(report, top))
                main { @for chart in &charts { (chart) } }
                (tables::all(report, top))
                footer { "ompttrace report of process " (report.program.pid) " on " (report.program.host) }
            }
        }
    };
    Ok(harmless(&page.into_string()))
}

/// Without what could speak to the terminal of who looks at the page's text.
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
            p { (crate::text::span(report)) }
            @for caveat in &report.caveats { p.caveat { (caveat) } }
        }
    }
}

fn findings(report: &Report, top: usize) -> Markup {
    html! {
        section {
            h2 { "Findings" }
            @if report.findings.is_empty() {
                p { (nothing(report)) }
            }
            ol { @for finding in report.findings.iter().take(top) { li { (in_words(&finding.text)) } } }
        }
    }
}

/// What stands between backticks is set as code.
fn in_words(text: &str) -> Markup {
    html! {
        @for (at, piece) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

/// A construct's name in a table or chart.
fn label(report: &Report, construct: usize) -> String {
    report.constructs.get(construct).map_or_else(String::new, |construct| {
        let name = named(construct).replace('`', "");
        match (&construct.place.function, construct.place.short.is_empty()) {
            (Some(function), false) if !name.contains(function) => format!("{name} ({function})"),
            _ => name,
        }
    })
}
