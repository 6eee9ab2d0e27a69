//! The report of a job as one page: ranks by state, the matrix of communication, and the tables.

use super::model::{JobReport, RankReport};
use super::text;
use crate::html::{document, in_words, tables};
use crate::model::Report;
use crate::text::{bytes, duration, percent};
use maud::{Markup, html};
use rustc_hash::FxHashMap;

/// Ranks of which the matrix has a row and a column; of more there is only the table.
const MOST_IN_MATRIX: usize = 64;

/// The page; tables have at most `top` rows.
pub fn render(report: &JobReport, top: usize) -> String {
    let name = ompttrace_model::base_name(&report.job);
    let nothing = Report::default();
    let cards = [
        (duration(report.wall_ns), "wall time"),
        (report.ranks.len().to_string(), "ranks"),
        (percent(report.efficiency.parallel), "parallel efficiency"),
        (percent(report.efficiency.process), "process level"),
        (percent(report.efficiency.additive.thread), "thread level"),
    ];
    document(
        &format!("{name}: ranks"),
        &html! {
            header {
                h1 { (name) }
                p.cards { @for (figure, what) in &cards { span { b { (figure) } " " (what) } } }
                @for line in text::head(report) { p { (line) } }
            }
            section {
                h2 { "Findings" }
                @if report.findings.is_empty() { p { "None: ranks lose little to each other." } }
                ol { @for finding in report.findings.iter().take(top) { li {
                    (in_words(&finding.text)) "."
                    div { (in_words(&text::cure(&finding.cure))) }
                    div.gain { (text::gain(finding)) }
                } } }
            }
            main { (states(report)) (matrix(report)) }
            @for table in text::tables(report, top) { (tables::one(&table, &nothing)) }
        },
    )
}

/// A part of the bar of a rank.
struct Bar {
    x: String,
    width: String,
    name: &'static str,
    colour: &'static str,
    time: u64,
}

/// A bar for each rank: in regions, serial, in MPI, waiting there.
fn states(report: &JobReport) -> Markup {
    const WIDTH: f64 = 640.0;
    const HEIGHT: usize = 18;
    let most = report.ranks.iter().map(|rank| rank.wall_ns).max().unwrap_or(1).max(1) as f64;
    let parts = |rank: &RankReport| {
        let waiting = rank.waiting_ns.min(rank.mpi_ns);
        [
            ("in parallel regions", "#4c9a2a", rank.regions_ns),
            ("serial", "#a3c585", rank.serial_ns),
            ("in MPI", "#d99a2b", rank.mpi_ns - waiting),
            ("waiting for other ranks", "#c0392b", waiting),
        ]
    };
    let bars = |rank: &RankReport| {
        let mut from = 70.0;
        let parts = parts(rank).into_iter();
        let bars = parts.map(|(name, colour, time)| {
            let (x, width) = (from, time as f64 / most * WIDTH);
            from += width;
            Bar { x: format!("{x:.1}"), width: format!("{width:.1}"), name, colour, time }
        });
        bars.collect::<Vec<_>>()
    };
    let height = report.ranks.len() * HEIGHT;
    html! {
        section {
            h2 { "Ranks by state" }
            p { @for (name, colour, _) in parts(&RankReport::default()) {
                span style=(format!("border-left: 1em solid {colour}; padding: 0 1em 0 0.4em")) { (name) }
            } }
            svg width="760" height=(height) role="img" aria-label="Ranks by state" {
                @for (at, rank) in report.ranks.iter().enumerate() {
                    text x="0" y=(at * HEIGHT + 13) font-size="12" fill="currentColor" { "rank " (rank.rank) }
                    @for Bar { x, width, name, colour, time } in bars(rank) {
                        rect x=(x) y=(at * HEIGHT + 2) width=(width) height=(HEIGHT - 4) fill=(colour) {
                            title { "rank " (rank.rank) ", " (name) ": " (duration(time)) }
                        }
                    }
                }
            }
        }
    }
}

/// Bytes from each rank to each.
fn matrix(report: &JobReport) -> Markup {
    let pairs: FxHashMap<_, _> =
        report.matrix.iter().map(|pair| ((pair.from, pair.to), pair)).collect();
    let most = report.matrix.iter().map(|pair| pair.bytes).max().unwrap_or(0).max(1) as f64;
    let ranks: Vec<u32> = report.ranks.iter().map(|rank| rank.rank).collect();
    if pairs.is_empty() || ranks.len() > MOST_IN_MATRIX {
        return html! {};
    }
    html! {
        section {
            h2 { "Bytes between ranks" }
            div.wide { table {
                thead { tr { th { "from / to" } @for to in &ranks { th { (to) } } } }
                tbody { @for from in &ranks { tr {
                    th { (from) }
                    @for to in &ranks {
                        @match pairs.get(&(*from, *to)) {
                            Some(pair) => {
                                @let shade = (pair.bytes as f64 / most).sqrt() * 0.6;
                                td style=(format!("background: rgba(217, 154, 43, {shade:.2})"))
                                    title=(format!("{} messages, waiting {}", pair.messages, duration(pair.waiting_ns))) {
                                    (bytes(pair.bytes))
                                }
                            }
                            None => td {},
                        }
                    }
                } } }
            } }
        }
    }
}
