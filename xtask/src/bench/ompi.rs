//! `cargo xtask bench ompi`: what an event costs on the tests' runtime in the shape of OMPi's, whose library of execution
//! entities brings barriers and tasks, recorded in front of it or between it and that library; beside libomp.

use super::Subject;
use super::bed::Bed;
use super::build;
use super::contender::Contender;
use super::loads::{Load, load};
use super::matrix::{Events, Matrix, Measured, Side};
use super::options::Options;
use super::report::{Report, Row};
use crate::shell;
use anyhow::{Context, Result};
use std::path::Path;

pub const SUBJECT: Subject = Subject { name: "ompi", rounds: 11, loads: &LOADS, words: &[], run };

/// Barriers of a team of one do not come to the library: it has not made that team.
const LOADS: [Load; 2] = [load("barrier", 2, 200_000), load("task", 1, 500_000)];

/// Folders of programs: with nothing linked in front, by the options of either way.
const VARIANTS: [(&str, Option<&str>); 3] =
    [("alone", None), ("at-ort", Some("wrap.options")), ("at-library", Some("eelib.options"))];

fn run(options: &Options, report: &mut Report) -> Result<()> {
    let programs = || options.loads.iter().map(|load| load.program);
    let by_clang = build::build(programs())?;
    let bed = |index: usize| -> Result<Bed> {
        let (name, list) = VARIANTS[index];
        let folder = shell::target_dir().join("bench/ompi").join(name);
        link(&folder, list, programs()).with_context(|| format!("{}", folder.display()))?;
        Bed::of(folder, shell::tool_library()?)
    };
    let on_libomp = || Bed::new(by_clang.clone());
    let sides = vec![
        Side::new("ORT alone", bed(0)?, Contender::None, 0),
        Side::new("at ORT", bed(1)?, Contender::Ompttrace, 0),
        Side::new("at library", bed(2)?, Contender::Ompttrace, 0),
        Side::new("libomp alone", on_libomp()?, Contender::None, 3),
        Side::new("libomp", on_libomp()?, Contender::Ompttrace, 3),
    ];
    report.table(
        "ompi",
        "Added for each event by functions linked in front of ORT, of its library, and by callbacks of libomp: \
         thread-ns (minimum and median of the rounds), and instructions on one thread.\nRatios are the library's to \
         libomp's, of medians and of instructions. ORT is the tests' stand-in.",
    );
    let matrix = Matrix { sides, events: Events::Record, instructions: true };
    matrix.run(report, &options.loads, options.rounds, more)
}

fn more(measured: &Measured, row: &mut Row) -> Result<()> {
    row.number("ratio ns", measured.added(2, 0)[1] / measured.added(4, 3)[1], 2);
    let counted = measured.instructions.as_ref();
    row.number("ratio instr", counted.map(|counted| counted[2] / counted[4]), 2);
    Ok(())
}

/// Shell commands that build the runtime's archive in a folder, in which the library is one object, as in OMPi.
const ARCHIVE: &str = "gcc $FLAGS -c $(ls $ROOT/ompi/*.c | grep -v 'program\\|constructs') \
                       $ROOT/ompi_barriers/*.c $ROOT/ompi_tasks/*.c && \
                       ld -r -o othr.o ee_*.o && rm ee_*.o && rm -f libort.a && ar crs libort.a *.o && rm *.o";

const FLAGS: &str =
    "-O2 -g -gdwarf-4 -pthread -DAVOID_OMPI_DEFAULT_BARRIER -DAVOID_OMPI_DEFAULT_TASKS";

/// Links each load with the runtime as OMPi does.
fn link<'p>(
    folder: &Path,
    list: Option<&str>,
    programs: impl Iterator<Item = &'p str>,
) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let runtimes = shell::root().join("tests/runtimes");
    let mut sh = shell::command("sh");
    sh.current_dir(folder).args(["-c", ARCHIVE]).env("FLAGS", FLAGS).env("ROOT", runtimes);
    shell::run(&mut sh)?;
    let archive = shell::target_dir().join("release/libompttrace_ompi.a");
    std::fs::copy(&archive, folder.join("libompttrace-ompi.a")).context("the archive")?;
    let options = list.map(|list| option(&shell::root().join("runtime/ompi").join(list)));
    for program in programs {
        let mut gcc = shell::command("gcc");
        gcc.args(FLAGS.split(' ')).arg(format!("-D{}", program.to_uppercase()));
        gcc.arg("tests/bench/loads/ompi.c").arg("-o").arg(folder.join(program));
        gcc.arg("-L").arg(folder).arg("-lort").args(&options).arg("-lort");
        shell::run(&mut gcc)?;
    }
    Ok(())
}

/// The argument by which gcc reads options from a file (`@file`).
fn option(file: &Path) -> String {
    format!("@{}", file.display())
}
