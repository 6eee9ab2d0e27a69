//! `cargo xtask bench gomp`: what an event costs on libgomp, recorded by functions in front of it, and on
//! libomp, which reports by callbacks: the same loads, built by GCC and by clang.

use super::bed::Bed;
use super::contender::Contender;
use super::loads::{Load, load};
use super::matrix::{Events, Matrix, Measured, Side};
use super::options::Options;
use super::report::{Report, Row};
use super::{Subject, build};
use crate::shell;
use anyhow::Result;

pub const SUBJECT: Subject = Subject { name: "gomp", rounds: 11, loads: &LOADS, words: &[], run };

const LOADS: [Load; 6] = [
    load("critical", 1, 1_000_000),
    load("lock", 1, 1_000_000),
    load("task", 1, 500_000),
    load("task", 2, 200_000),
    load("barrier", 1, 1_000_000),
    load("barrier", 2, 200_000),
];

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let programs = || options.loads.iter().map(|load| load.program);
    let (by_gcc, by_clang) = (build::by_gcc(programs())?, build::build(programs())?);
    let in_front = shell::target_dir().join("release/libompttrace_gomp.so");
    let on_libgomp = || -> Result<Bed> {
        let mut bed = Bed::of(by_gcc.clone(), in_front.clone())?;
        bed.set("OMP_WAIT_POLICY", "active");
        Ok(bed)
    };
    let on_libomp = || Bed::new(by_clang.clone());
    let sides = vec![
        Side::new("libgomp alone", on_libgomp()?, Contender::None, 0),
        Side::new("libgomp", on_libgomp()?, Contender::Ompttrace, 0),
        Side::new("libomp alone", on_libomp()?, Contender::None, 2),
        Side::new("libomp", on_libomp()?, Contender::Ompttrace, 2),
    ];
    report.table(
        "gomp",
        "Added for each event on libgomp and on libomp: thread-ns (minimum and median of the rounds), and \
         instructions on one thread.\nRatios are libgomp's to libomp's, of medians and of instructions.",
    );
    let matrix = Matrix { sides, events: Events::Record, instructions: true };
    matrix.run(report, &options.loads, options.rounds, more)
}

fn more(measured: &Measured, row: &mut Row) -> Result<()> {
    let ns = measured.added(1, 0)[1] / measured.added(3, 2)[1];
    row.number("ratio ns", ns, 2);
    let counted = measured.instructions.as_ref();
    row.number("ratio instr", counted.map(|counted| counted[1] / counted[3]), 2);
    Ok(())
}
