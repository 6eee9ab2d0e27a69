//! `cargo xtask bench stacks`: what a call stack costs where a region or a task is made, by how deep the
//! calls are and whether the program keeps frame pointers.

use super::bed::Bed;
use super::contender::Contender;
use super::loads::{Load, load};
use super::matrix::{Events, Matrix, Side};
use super::options::Options;
use super::report::Report;
use super::{Subject, build};
use anyhow::Result;

pub const SUBJECT: Subject = Subject { name: "stacks", rounds: 21, loads: &LOADS, words: &[], run };

/// Programs that `loads/stacks.c` is compiled to: the construct, the number of nested calls around it, and whether frame
/// pointers are kept.
const LOADS: [Load; 12] = [
    load("parallel_5_kept", 1, 60_000),
    load("parallel_5_none", 1, 60_000),
    load("parallel_30_kept", 1, 60_000),
    load("parallel_30_none", 1, 60_000),
    load("nested_5_kept", 1, 60_000),
    load("nested_5_none", 1, 60_000),
    load("nested_30_kept", 1, 60_000),
    load("nested_30_none", 1, 60_000),
    load("task_5_kept", 1, 60_000),
    load("task_5_none", 1, 60_000),
    load("task_30_kept", 1, 60_000),
    load("task_30_none", 1, 60_000),
];

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let built = build::build(std::iter::empty())?;
    options.loads.iter().try_for_each(|load| build::calling(load.program, &built))?;
    let side = |name, setting| -> Result<Side> {
        let mut bed = Bed::new(built.clone())?;
        bed.set("OMPTTRACE_CALLSTACK", setting);
        Ok(Side::new(name, bed, Contender::Ompttrace, 0))
    };
    let sides = vec![side("off", "off")?, side("ns/stack", "regions")?];
    report.table(
        "stacks",
        "One thread, OMPTTRACE_CALLSTACK=regions beside off: added time, minimum and median of the \
         rounds, and instructions, per stack.",
    );
    let matrix = Matrix { sides, events: Events::Turn, instructions: true };
    matrix.run(report, &options.loads, options.rounds, |_, _| Ok(()))
}
