//! The efficiencies of the run, each with its definition.

use super::page::Page;
use super::tables::bar;
use super::{heading, percent};
use crate::model::Report;

pub(super) fn efficiency(report: &Report, text: &mut Page) {
    let e = &report.efficiency;
    heading("Efficiency (POP)", text);
    let lines = [
        ("parallel efficiency", e.parallel, "work / (threads x wall time)"),
        (
            "  core availability",
            e.cores.filter(|_| e.parallel.is_some()),
            "work / work that wanted a core",
        ),
        ("  on own cores", e.on_own_cores, "had work always had a core"),
        ("  load balance", e.load_balance, "work of all / of the busiest"),
        ("  communication", e.communication, "work of the busiest / wall"),
        ("    serialisation", e.serialisation, "what waiting leaves of it"),
        ("    transfer", e.transfer, "what overhead leaves of it"),
        ("in parallel regions", Some(e.parallel_coverage), "of the wall time"),
    ];
    let width = text.bar(60, 20);
    for (name, share, meaning) in lines {
        let Some(share) = share else { continue };
        let bar = bar(share, width);
        text.push_str(&format!("{name:<20}{:>6}  {bar:<width$}  {meaning}\n", percent(share)));
    }
}
