//! The subject without a name: an event's cost beside tools in C, on loads and where callbacks are called directly.

use super::bed::Bed;
use super::contender::Contender;
use super::direct::Direct;
use super::figures::{paired_ratio, ratio_of_minima};
use super::loads::LOADS;
use super::matrix::{Events, Matrix, Measured, Side};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use anyhow::Result;

pub const SUBJECT: Subject =
    Subject { name: "", rounds: 21, loads: LOADS, words: &["--direct", "--instructions"], run };

const LEGEND: &str = "\
thread-ns per event = added wall time x threads / events; minima of all rounds, then the median
of the differences within a round. ours/tsc and ours/raw: median of the ratios of run times within
a round, then the ratio of the best times. B/event: what ompttrace left on disk.";

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    if options.has("--direct") {
        Direct::new(&built)?.run(report, 20 * options.rounds)?;
    }
    if options.loads.is_empty() {
        return Ok(());
    }
    let side = |tool: Contender| Ok(Side::new(tool.name(), Bed::new(built.clone())?, tool, 0));
    let matrix = Matrix {
        sides: Contender::ALL.into_iter().map(side).collect::<Result<_>>()?,
        events: Events::Callback,
        instructions: options.has("--instructions"),
    };
    report.table("loads", LEGEND);
    matrix.run(report, &options.loads, options.rounds, more)
}

fn more(measured: &Measured, row: &mut Row) -> Result<()> {
    let ours = measured.times(Contender::Ompttrace as usize);
    for other in [Contender::Tsc, Contender::Raw] {
        let times = measured.times(other as usize);
        let name = format!("ours/{}", other.name());
        row.number(&name, paired_ratio(&ours, &times), 2);
        row.number(&format!("best/{}", other.name()), ratio_of_minima(&ours, &times), 2);
    }
    row.number("B/event", measured.bytes_per_event(Contender::Ompttrace as usize), 1);
    Ok(())
}
