//! `cargo xtask bench cores`: run time with recording of which threads had a core, compared with a run without.

use super::bed::Bed;
use super::contender::Contender;
use super::figures::{paired_ratio, ratio_of_minima};
use super::loads::LOADS;
use super::matrix::{Events, Matrix, Measured, Side};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use anyhow::Result;

pub const SUBJECT: Subject = Subject { name: "cores", rounds: 21, loads: LOADS, words: &[], run };

/// The settings, the one first without which the others are.
const MODES: [&str; 3] = ["off", "auto", "accounting"];

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    let side = |mode| -> Result<Side> {
        let mut bed = Bed::new(built.clone())?;
        bed.set("OMPTTRACE_CORES", mode);
        Ok(Side::new(mode, bed, Contender::Ompttrace, 0))
    };
    let sides = MODES.into_iter().map(side).collect::<Result<_>>()?;
    report.table(
        "cores",
        "OMPTTRACE_CORES beside off: added thread-ns per event, minimum and median of the rounds; then the median of the \
         ratios of run times within a round, and the ratio of the best times.",
    );
    let matrix = Matrix { sides, events: Events::Callback, instructions: false };
    matrix.run(report, &options.loads, options.rounds, more)
}

fn more(measured: &Measured, row: &mut Row) -> Result<()> {
    let off = measured.times(0);
    for (at, mode) in MODES.iter().enumerate().skip(1) {
        let times = measured.times(at);
        row.number(&format!("{mode}/off"), paired_ratio(&times, &off), 3);
        row.number(&format!("best {mode}/off"), ratio_of_minima(&times, &off), 3);
    }
    Ok(())
}
