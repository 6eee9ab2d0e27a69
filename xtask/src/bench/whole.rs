//! `cargo xtask bench whole`: how long a program takes from its start until its trace is there, compared with a run without
//! a tool.

use super::bed::Bed;
use super::contender::Contender;
use super::figures::{median, min, paired_ratio, ratio_of_minima};
use super::loads::{Load, load};
use super::matrix::interleaved;
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use anyhow::Result;
use serde_json::json;

pub const SUBJECT: Subject = Subject { name: "whole", rounds: 9, loads: &LOADS, words: &[], run };

const LOADS: [Load; 2] = [load("nqueens", 2, 11), load("lock", 2, 1_700_000)];

/// Cases: name, OMPTTRACE_FORMAT and OMPTTRACE_LIMIT. The first one runs without a tool; every other one has one view.
const CASES: [(&str, &str, &str); 5] = [
    ("untraced", "", ""),
    ("recording", "recording", ""),
    ("overview", "perfetto", ""),
    ("perfetto", "perfetto", "none"),
    ("otf2", "otf2", ""),
];

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    let side = |(name, format, limit): (&'static str, &str, &str)| -> Result<_> {
        let mut bed = Bed::new(built.clone())?;
        bed.set("OMPTTRACE_FORMAT", format);
        bed.set("OMPTTRACE_VIEW", "threads");
        if !limit.is_empty() {
            bed.set("OMPTTRACE_LIMIT", limit);
        }
        let contender = if format.is_empty() { Contender::None } else { Contender::Ompttrace };
        Ok((name, bed, contender))
    };
    let sides = CASES.into_iter().map(side).collect::<Result<Vec<_>>>()?;
    report.table(
        "whole",
        "Seconds from the start of the process to its end, by which its trace is made: minimum and median of the rounds; \
         the median of the ratios to the untraced run of the same round, and the ratio of the minima. `overview` is \
         Perfetto's default, `perfetto` a trace of everything.",
    );
    for load in &options.loads {
        let all = interleaved(&sides, options.rounds, |(_, bed, contender)| {
            bed.seconds(load, *contender)
        })?;
        for ((name, ..), times) in sides.iter().zip(&all) {
            let mut row = Row::new(&[("load", &load.name()), ("made", name)]);
            row.number("min s", min(times), 2);
            row.number("median s", median(times), 2);
            row.number("paired", paired_ratio(times, &all[0]), 2);
            row.number("best", ratio_of_minima(times, &all[0]), 2);
            row.hidden("seconds", json!(times));
            report.row(row);
        }
    }
    Ok(())
}
