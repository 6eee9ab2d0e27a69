//! `cargo xtask bench samples`: what a run takes whose threads are sampled, beside one where they are not.

use super::bed::Bed;
use super::contender::Contender;
use super::figures::{Times, median, paired_ratio, ratio_of_minima};
use super::loads::{Load, load};
use super::matrix::{Events, Matrix, Measured, Side};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use anyhow::Result;

pub const SUBJECT: Subject = Subject { name: "samples", rounds: 21, loads: LOADS, words: &[], run };

/// Runs of a second or so, which have some hundred samples.
const LOADS: &[Load] = &[
    load("nqueens", 2, 12),
    load("stencil", 2, 200_000),
    load("fib", 2, 24),
    load("sparselu", 2, 120),
    load("critical", 1, 10_000_000),
];

/// The settings, the one first without which the others are.
const SETTINGS: [&str; 4] = ["off", "200", "1000", "200,wall"];

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    let side = |setting| -> Result<Side> {
        let mut bed = Bed::new(built.clone())?;
        bed.set("OMPTTRACE_SAMPLE", setting);
        Ok(Side::new(setting, bed, Contender::Ompttrace, 0))
    };
    let sides = SETTINGS.into_iter().map(side).collect::<Result<_>>()?;
    report.table(
        "samples",
        "OMPTTRACE_SAMPLE beside off: added thread-ns per event, minimum and median of the rounds; then the median of the \
         ratios of run times within a round, and the ratio of the best times; last the milliseconds that the process takes \
         longer before and behind what the load measures.",
    );
    let matrix = Matrix { sides, events: Events::Callback, instructions: false };
    matrix.run(report, &options.loads, options.rounds, more)
}

fn more(measured: &Measured, row: &mut Row) -> Result<()> {
    let off = measured.times(0);
    for (at, setting) in SETTINGS.iter().enumerate().skip(1) {
        let times = measured.times(at);
        row.number(&format!("{setting}/off"), paired_ratio(&times, &off), 3);
        row.number(&format!("best {setting}/off"), ratio_of_minima(&times, &off), 3);
    }
    let around = |at: usize| -> Times {
        measured.runs[at].iter().map(|run| run.around as f64 / 1e6).collect()
    };
    row.number("start and end", median(&around(1)) - median(&around(0)), 1);
    Ok(())
}
