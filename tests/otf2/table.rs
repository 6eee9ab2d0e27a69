//! The sums of three formats side by side.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::sums::{Sum, Sums};

/// Perfetto's format, Chrome's and OTF2.
pub type Three = [Sums; 3];

/// A line for each row, with `<` at its end where the formats differ; only those lines if `differing`.
pub fn table(three: &Three, differing: bool) -> String {
    let rows: BTreeSet<&String> = three.iter().flat_map(|sums| sums.0.keys()).collect();
    let mut text = String::new();
    for row in rows {
        let [perfetto, chrome, otf2] = three.each_ref().map(|sums| sums.0.get(row).copied());
        let same = perfetto == chrome && perfetto == otf2;
        if same && differing {
            continue;
        }
        write!(text, "    {row:<34}").expect("a string takes everything");
        for sum in [perfetto, chrome, otf2] {
            text += &cell(sum);
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
