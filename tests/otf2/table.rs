//! The sums of three formats side by side.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::sums::{Sum, Sums};

/// Perfetto's format, Chrome's and OTF2; nothing of a format that is not compared.
pub type Three = [Option<Sums>; 3];

/// A line for each row, with `<` at its end where the formats differ; only those lines if `differing`.
pub fn table(three: &Three, differing: bool) -> String {
    let compared = || three.iter().flatten();
    let rows: BTreeSet<&String> = compared().flat_map(|sums| sums.0.keys()).collect();
    let mut text = String::new();
    for row in rows {
        let mut found = compared().map(|sums| sums.0.get(row).copied());
        let first = found.next().flatten();
        let same = found.all(|sum| sum == first);
        if same && differing {
            continue;
        }
        write!(text, "    {row:<34}").expect("a string takes everything");
        for sums in three {
            text += &cell(sums.as_ref().and_then(|sums| sums.0.get(row).copied()));
        }
        text += if same { "\n" } else { "  <\n" };
    }
    text
}

/// Heading of the table: names of its columns.
pub fn head(title: &str) -> String {
    let mut text = format!("    {title:<34}");
    for format in ["Perfetto", "Chrome", "OTF2"] {
        let (count, ns) = (format!("{format}: count"), "ns or last");
        write!(text, " {count:>16} {ns:>13}").expect("a string takes everything");
    }
    text + "\n"
}

fn cell(sum: Option<Sum>) -> String {
    sum.map_or_else(
        || format!(" {:>16} {:>13}", "-", "-"),
        |Sum { count, ns }| format!(" {count:>16} {ns:>13}"),
    )
}
