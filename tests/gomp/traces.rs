//! The traces of programs on libgomp: sound and whole in front of the readers of both formats, and with
//! the names that a user looks for.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::exactness::may_lose;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::{build, crowd, otf2_judge, runtimes, soundness};
use std::process::Command;

use super::counts;

/// Number of events above which a trace is only exported and its sums are checked.
const LARGE: u64 = 20_000;

#[test]
fn every_trace_is_sound_and_whole() {
    let libomp = runtimes::libomp_19().unwrap();
    let wrong = crowd::wrong(&libomp, counts::is_for_libgomp, |program, _| check(program));
    assert!(wrong.is_empty(), "{wrong}");
}

fn check(program: &Program) -> Result<String> {
    let (_, scratch) = super::run(&program.by_gcc(), &[])?;
    let mut said = String::new();
    for run in scratch.runs()? {
        let product = Product::find()?;
        let (info, export) = (product.info(&run)?, product.export(&run)?);
        said += &soundness::sums_with_loss(&info, &export, may_lose(program))?;
        if number(&info, "/events/recorded")? <= LARGE {
            said += &soundness::faults(&mut Judged::open(&run)?)?;
        }
    }
    Ok(said)
}

#[test]
fn slices_have_the_names_of_the_constructs() -> Result<()> {
    let (_, scratch) = super::run(&programs::by_name("c/gcc_loops")?, &[])?;
    let mut judged = Judged::open(&scratch.only_run()?)?;
    for (name, at_least) in [
        ("gcc_loops.c:9 parallel (main)", 1),
        ("gcc_loops.c:9 implicit task", 4),
        ("gcc_loops.c:12 for dynamic", 4),
        ("gcc_loops.c:14 sections", 4),
        ("gcc_loops.c:23 single", 1),
        ("critical update", 4),
    ] {
        let query = format!("select count(*) from slice where name glob '*{name}*'");
        let found = judged.count(&query)?;
        let names = judged.lines("select distinct name from slice order by name")?;
        ensure!(found >= at_least, "{name}: {found} of {at_least}; there are {names:?}");
    }
    Ok(())
}

#[test]
fn archives_are_sound() -> Result<()> {
    for name in ["c/gcc_loops", "c/gcc_tasks", "c/nested", "fortran/tasks"] {
        let (_, scratch) = super::run(&programs::by_name(name)?.by_gcc(), &[])?;
        let run = scratch.only_run()?;
        let mut export = Command::new(Product::find()?.program);
        export.args(["export", "--json", "--format", "otf2"]).arg(&run);
        build::run(&mut export, "")?;
        let statistics = otf2_judge::check(&run.join("trace-otf2")).context(name)?;
        ensure!(statistics.events("Enter") > 0, "{name}: {:?}", statistics.events);
    }
    Ok(())
}

/// gfortran's main program and the parts taken out of it are one function.
#[test]
fn a_fortran_main_program_has_one_name() -> Result<()> {
    let (_, scratch) = super::run(&programs::by_name("fortran/tasks")?.by_gcc(), &[])?;
    let mut judged = Judged::open(&scratch.only_run()?)?;
    let functions = judged.lines(
        "select distinct substr(name, instr(name, '(')) from slice \
         where name glob '*(*)' and name glob '*.f90:*' order by 1",
    )?;
    ensure!(functions.contains(&"(tasks)".to_owned()), "{functions:?}");
    ensure!(!functions.contains(&"(program)".to_owned()), "{functions:?}");
    Ok(())
}
