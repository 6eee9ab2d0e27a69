//! A comparison in words and tables.

use super::tables::{signed, signed_percent, spread, tables};
use super::{Comparison, Side, Spread};
use crate::model::Report;
use crate::text::{Page, duration, harmless, percent, table};
use anstyle::Style;

const STRONG: Style = Style::new().bold();

/// The whole comparison for a terminal of so many columns; tables have at most `top` lines.
pub fn render(comparison: &Comparison, top: usize, width: Option<usize>) -> String {
    let mut page = Page::new(width);
    let change = comparison.wall;
    let clear = match change.is_clear {
        Some(true) => ", by more than runs differ",
        Some(false) => ", no more than runs differ",
        None => "",
    };
    let faster = if change.change_ns < 0 { "faster" } else { "slower" };
    page.push_str(&format!(
        "{STRONG}{} {}{STRONG:#} ({} of the run){clear}\n",
        duration(change.change_ns.unsigned_abs()),
        faster,
        signed_percent(change.share),
    ));
    for (name, side, time) in sides(comparison) {
        page.push_str(&format!("{name}: {}\n", harmless(&words(side, time))));
    }
    for caveat in &comparison.caveats {
        page.remark(caveat);
    }
    for one in tables(comparison, top) {
        table(&one, &Report::default(), top, &mut page);
    }
    page.into_text()
}

/// Both sides with their names.
pub(crate) fn sides(comparison: &Comparison) -> [(&'static str, &Side, Option<Spread>); 2] {
    let Comparison { before, after, wall, .. } = comparison;
    [("before", before, wall.before), ("after", after, wall.after)]
}

/// A side in words: its program, runs and wall time.
pub(crate) fn words(side: &Side, wall: Option<Spread>) -> String {
    let runs = if side.runs == 1 { "1 run".to_owned() } else { format!("{} runs", side.runs) };
    let efficiency =
        side.parallel_efficiency.map(|share| format!(", parallel efficiency {}", percent(share)));
    format!(
        "{}, {runs}, {} threads: {}{}{}",
        ompttrace_model::base_name(&side.executable),
        side.threads,
        duration(wall.unwrap_or_default().median_ns),
        if side.runs == 1 { String::new() } else { format!(" ({})", spread(wall)) },
        efficiency.unwrap_or_default(),
    )
}

/// The change of the whole, in words.
pub(crate) fn headline(comparison: &Comparison) -> String {
    let change = comparison.wall;
    format!("{} ({})", signed(change.change_ns), signed_percent(change.share))
}
