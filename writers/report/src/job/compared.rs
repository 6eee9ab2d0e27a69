//! A comparison of jobs in words and tables, and as a page.

use super::compare::{EfficiencyChange, FindingChange, JobComparison, JobSide, WaitChange};
use super::model::efficiency_in_words;
use crate::compare::tables::{signed, signed_percent, spread};
use crate::compare::{Match, Spread};
use crate::html::{document, in_words, tables as table_on_page};
use crate::model::Report;
use crate::tables::{Cell, Table, cells, columns};
use crate::text::{Page, count, duration, harmless, percent, table};
use maud::html;

/// The whole comparison for a terminal of so many columns; tables have at most `top` lines.
pub fn render(comparison: &JobComparison, top: usize, width: Option<usize>) -> String {
    let mut page = Page::new(width);
    page.push_str(&format!("{}\n", headline(comparison)));
    for line in sides(comparison) {
        page.push_str(&format!("{}\n", harmless(&line)));
    }
    for caveat in &comparison.caveats {
        page.remark(caveat);
    }
    for one in tables(comparison, top) {
        table(&one, &Report::default(), top, &mut page);
    }
    page.into_text()
}

/// The comparison as a self-contained page.
pub fn page(comparison: &JobComparison, top: usize) -> String {
    let nothing = Report::default();
    document(
        "Jobs compared",
        &html! {
            header {
                h1 { (headline(comparison)) }
                @for line in sides(comparison) { p { (in_words(&line)) } }
                @for caveat in &comparison.caveats { p.caveat { (caveat) } }
            }
            @for one in tables(comparison, top) { (table_on_page::one(&one, &nothing)) }
        },
    )
}

fn headline(comparison: &JobComparison) -> String {
    let change = comparison.wall;
    let faster = if change.change_ns < 0 { "faster" } else { "slower" };
    let clear = match change.is_clear {
        Some(true) => ", by more than runs differ",
        Some(false) => ", no more than runs differ",
        None => "",
    };
    let (by, share) = (duration(change.change_ns.unsigned_abs()), signed_percent(change.share));
    format!("{by} {faster} ({share} of the job){clear}")
}

/// Both sides in words.
fn sides(comparison: &JobComparison) -> [String; 2] {
    let JobComparison { before, after, wall, .. } = comparison;
    let one = |name: &str, side: &JobSide, time: Option<Spread>| {
        let runs = if side.runs == 1 { "1 job".to_owned() } else { format!("{} jobs", side.runs) };
        let (job, time) = (ompttrace_model::base_name(&side.job), spread(time));
        let JobSide { ranks, threads, .. } = side;
        format!("{name}: {job}, {runs}, {ranks} ranks, {threads} threads: {time}")
    };
    [one("before", before, wall.before), one("after", after, wall.after)]
}

fn tables(comparison: &JobComparison, top: usize) -> Vec<Table> {
    let all = &comparison.efficiencies;
    let names: Vec<_> = all.iter().filter(|one| one.method != "multiplicative").collect();
    let heads =
        columns(["efficiency", "before", "after", "change", "product before", "after", "change"]);
    let row = |one: &&EfficiencyChange| efficiency(all, one);
    let efficiencies = Table::of("Efficiencies (POP, hybrid)", heads, &names, usize::MAX, row);
    let legend = "before, after: additive; product: multiplicative";
    let efficiencies = efficiencies.map(|table| table.in_order().legend(legend));
    let heads = columns(["wait", "before", "after", "change", "of all", "count", "for"]);
    let changed: Vec<_> = comparison.waits.iter().filter(|wait| wait.time.change_ns != 0).collect();
    let waits = Table::of("Waits between ranks", heads, &changed, top, |wait| self::wait(wait));
    let waits = waits
        .map(|table| table.legend("of all: change as a share of the time of all ranks before"));
    let heads = columns(["finding", "gain before", "gain after"]);
    let findings = Table::of("Findings", heads, &comparison.findings, top, finding);
    let findings =
        findings.map(|table| table.in_order().legend("gain: what a cure would save at most"));
    [efficiencies, waits, findings].into_iter().flatten().collect()
}

/// An efficiency in both ways.
fn efficiency(all: &[EfficiencyChange], one: &EfficiencyChange) -> Vec<Cell> {
    let is_product =
        |other: &&EfficiencyChange| other.method == "multiplicative" && other.name == one.name;
    let product = all.iter().find(is_product).unwrap_or(one);
    let figures = [one, product].into_iter().flat_map(|change| {
        let EfficiencyChange { before, after, .. } = *change;
        [percent(before), percent(after), signed_percent(after - before)]
    });
    std::iter::once(efficiency_in_words(one.name).into()).chain(figures.map(Cell::from)).collect()
}

fn wait(wait: &WaitChange) -> Vec<Cell> {
    let place = match &wait.location_after {
        Some(after) => format!("{} → {after}", wait.location),
        None => wait.location.clone(),
    };
    let name = format!("{} {} {place}", wait.kind.replace('_', " "), wait.function);
    let name = match (wait.found, wait.count) {
        (Match::None, [0, _]) => format!("{} (new)", name.trim_end()),
        (Match::None, _) => format!("{} (gone)", name.trim_end()),
        _ => name.trim_end().to_owned(),
    };
    let median = |spread: Option<Spread>| duration(spread.unwrap_or_default().median_ns);
    let [before, after] = wait.count.map(count);
    let figures = [
        median(wait.time.before),
        median(wait.time.after),
        signed(wait.time.change_ns),
        signed_percent(wait.time.share),
        if before == after { before } else { format!("{before} → {after}") },
        format!("{} {}", wait.cause_function, wait.cause_location).trim_end().to_owned(),
    ];
    std::iter::once(name.into()).chain(cells(figures)).collect()
}

fn finding(change: &FindingChange) -> Vec<Cell> {
    let gain = |gain: Option<u64>, none: &str| gain.map_or(none.to_owned(), duration);
    let figures = [gain(change.gain_before_ns, "(new)"), gain(change.gain_after_ns, "(gone)")];
    std::iter::once(change.text.as_str().into()).chain(cells(figures)).collect()
}
