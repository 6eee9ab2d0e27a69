//! A report in words and tables, no wider than the terminal that shows it; whole where it goes elsewhere.
//!
//! Headings and the like carry ANSI styles; a caller that writes to anything but a terminal strips them.

mod efficiency;
mod figures;
mod names;
mod page;
mod states;
mod tables;
mod tasks;

pub(crate) use figures::{bytes, count, part};
pub use figures::{duration, percent, times};
pub(crate) use page::Page;
pub(crate) use tables::table;

pub(crate) use ompttrace_model::harmless;

use crate::findings::is_interpreter;
use crate::model::{BusyMachine, Finding, MemoryLimit, Report, TimeWindow};
use crate::tables as data;
use anstyle::{AnsiColor, Style};

const HEADING: Style = AnsiColor::Cyan.on_default().bold();
const STRONG: Style = Style::new().bold();
const WARNING: Style = AnsiColor::Yellow.on_default();
const FAINT: Style = Style::new().dimmed();

/// The whole report for a terminal of so many columns, or for one that takes any; tables have at most
/// `top` lines. Locations are never cut: where one does not fit, its line is longer.
pub fn render(report: &Report, top: usize, width: Option<usize>) -> String {
    let mut page = Page::new(width);
    let text = &mut page;
    head(report, text);
    findings(report, top, text);
    efficiency::efficiency(report, text);
    states::states(report, text);
    for table in data::plain(report, top) {
        tables::table(&table, report, top, text);
    }
    tasks::tasks(report, top, text);
    tasks::path(report, top, text);
    environment(report, text);
    page.into_text()
}

/// Writes the environment of the run: host, date, command, runtime and settings.
fn environment(report: &Report, text: &mut Page) {
    let about = &report.program.environment;
    if about.is_empty() {
        return;
    }
    heading("Environment", text);
    for (name, value) in about {
        let line = text.wrapped(&harmless(&format!("{name}: {value}")), 0);
        text.push_str(&format!("{line}\n"));
    }
}

fn head(report: &Report, text: &mut Page) {
    let name = ompttrace_model::base_name(&report.program.executable);
    let (wall, threads) = (duration(report.wall_ns), report.efficiency.threads);
    let pid = report.program.pid;
    let parallel = report.efficiency.parallel;
    let parallel = parallel.map(|share| format!(", parallel efficiency {}", percent(share)));
    text.push_str(&format!(
        "{STRONG}{}{STRONG:#} ({pid}): {wall}, {threads} threads{}\n",
        harmless(name),
        parallel.unwrap_or_default(),
    ));
    if let Some(words) = window(report) {
        let words = text.wrapped(&words, 0);
        text.push_str(&format!("{words}\n"));
    }
    remark(&span(report), text);
    for caveat in &report.caveats {
        let caveat = text.wrapped(caveat, 0);
        text.push_str(&format!("{WARNING}{caveat}{WARNING:#}\n"));
    }
}

/// The part of the run that the report is about, in a sentence; none where it is the whole.
pub(crate) fn window(report: &Report) -> Option<String> {
    let TimeWindow { from_ns, to_ns } = report.window?;
    let [from, to] = [from_ns, to_ns].map(|at| {
        let text = format!("{:.9}", at as f64 / 1e9);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    });
    Some(format!(
        "A time window of the run, from {from} s to {to} s: all figures are of what lies in it."
    ))
}

/// A sentence on the begin and end of the wall time, with the times before the first and after the last parallel region.
pub(crate) fn span(report: &Report) -> String {
    let life = &report.life;
    let from = match life.from {
        "process" => "the start of the process",
        "window" => "the begin of the window",
        _ => "its first event",
    };
    let to = match (life.to.as_str(), &life.ended) {
        ("off", _) => "where recording was switched off".to_owned(),
        ("runtime", _) => "where the OpenMP runtime ended".to_owned(),
        ("window", _) => "its end".to_owned(),
        (_, Some(ended)) => format!("its end ({ended})"),
        _ => "its last sign of life".to_owned(),
    };
    let serial = match (life.before_regions_ns, life.after_regions_ns) {
        (Some(before), Some(after)) => format!(
            "; {} before the first parallel region{} and {} after the last one count",
            duration(before),
            if is_interpreter(&report.program.executable) {
                " (the interpreter's start and imports)"
            } else {
                ""
            },
            duration(after)
        ),
        _ => "; there is no parallel region in it".to_owned(),
    };
    format!("The wall time goes from {from} to {to}{serial}.")
}

fn findings(report: &Report, top: usize, text: &mut Page) {
    if let Some(words) = report.busy_machine.as_ref().map(busy_machine) {
        text.push_str(&format!("{}\n", text.wrapped(&harmless(&words), 0)));
    }
    heading("Findings", text);
    if report.findings.is_empty() {
        text.push_str(&format!("{}\n", nothing(report)));
    }
    for (number, finding) in (1..).zip(report.findings.iter().take(top)) {
        let line = sentence(&finding.text, text);
        text.push_str(&format!("{WARNING}{number:>2}.{WARNING:#} {}\n", line.trim_start()));
        if let Some(words) = cure(finding) {
            let words = sentence(&words, text);
            text.push_str(&format!("{words}\n"));
        }
        if let Some(words) = gain(finding) {
            let words = text.wrapped(&words, 4);
            text.push_str(&format!("{FAINT}{words}{FAINT:#}\n"));
        }
    }
    more(report.findings.len(), top, text);
    if let Some(words) = report.memory_limit.as_ref().map(memory_limit) {
        text.push_str("\n");
        remark(&words, text);
    }
}

/// A sentence of a finding, after its number. Names in it are no longer than a line, in files and pipes than one of a
/// table.
fn sentence(words: &str, text: &Page) -> String {
    const INDENT: usize = 4;
    let names_fit = names::folded(&harmless(words), text.width().saturating_sub(INDENT));
    text.wrapped(&names_fit, INDENT)
}

/// A busy machine in sentences: the observation, and the advice.
pub(crate) fn busy_machine(busy: &BusyMachine) -> String {
    format!("{}. {}", busy.text, as_sentence(&busy.advice).unwrap_or_default())
}

/// Limits by memory, in sentences.
pub(crate) fn memory_limit(limit: &MemoryLimit) -> String {
    format!("{}. {}", limit.text, as_sentence(&limit.advice).unwrap_or_default())
}

/// A finding's cure as a sentence.
pub(crate) fn cure(finding: &Finding) -> Option<String> {
    as_sentence(&finding.cure)
}

fn as_sentence(words: &str) -> Option<String> {
    let mut letters = words.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).chain(['.']).collect())
}

/// The gain that a finding's cure is to bring, and other findings that it explains.
pub(crate) fn gain(finding: &Finding) -> Option<String> {
    if finding.gain.high_ns == 0 {
        return None;
    }
    let mut words = format!("Expected: {}.", finding.gain.in_words());
    let explained = finding.explains.iter();
    let explained: Vec<_> = explained
        .map(|one| match one.lost_ns {
            // What costs nothing by itself.
            0 => one.kind.to_owned(),
            lost => format!("{} ({})", one.kind, duration(lost)),
        })
        .collect();
    if !explained.is_empty() {
        words += &format!(" It explains {}.", explained.join(", "));
    }
    Some(words)
}

/// Sentence for a report without findings.
pub(crate) fn nothing(report: &Report) -> &'static str {
    match report.efficiency.parallel {
        _ if report.missing_bytes > 0 => {
            "None are looked for: what a part of a recording shows may have other causes."
        }
        Some(_) => "Nothing stands out: no single cause takes 2% of the thread time.",
        None => "Nothing stands out in what was recorded.",
    }
}

/// An empty line and a heading.
pub(crate) fn heading(words: &str, text: &mut Page) {
    text.heading(words);
}

/// A remark under a table.
pub(crate) fn remark(words: &str, text: &mut Page) {
    text.remark(words);
}

/// Writes the number of lines that were left out.
pub(crate) fn more(all: usize, top: usize, text: &mut Page) {
    if all > top {
        remark(&format!("and {} more (--top {all})", all - top), text);
    }
}
