//! MPI: programs that know their own numbers, with two implementations and one library in front of them.

mod judged;
mod written;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use judged::{IMPLEMENTATIONS, Mpi, Recorded};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;

/// Records the program with each implementation, and compares what it says of itself with what is recorded.
fn judge(source: &str) -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        Recorded::new(mpi, source, &[], folder.path())?.judge()?;
    }
    Ok(())
}

#[test]
fn calls_and_messages_are_those_that_the_program_made() -> Result<()> {
    judge("judge.c")
}

#[test]
fn programs_in_fortran_count_the_same() -> Result<()> {
    judge("fortran.f90")
}

#[test]
fn threads_of_the_programs_own_are_recorded() -> Result<()> {
    judge("threads.c")
}

#[test]
fn only_calls_where_only_these_are_wanted() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &["--mpi", "calls"], folder.path())?;
    for rank in 0..2 {
        let (said, found) = (recorded.said(rank), recorded.found(rank)?);
        ensure!(said.calls == found.calls, "{found:?} instead of {said:?}");
        ensure!(found.sent == (0, 0) && found.received == (0, 0), "{found:?}");
    }
    Ok(())
}

#[test]
fn all_time_of_a_rank_is_in_a_state() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[], folder.path())?;
    let report = recorded.report(0)?;
    let times = report["times"].as_object().context("times")?;
    for state in ["work_serial", "mpi_point_to_point", "mpi_collective", "mpi_wait", "mpi_other"] {
        ensure!(times[state].as_u64() > Some(0), "{state}: {times:?}");
    }
    ensure!(times["overhead_start"] == 0, "{times:?}");
    Ok(())
}

#[test]
fn a_program_without_mpi_does_not_see_its_functions() -> Result<()> {
    let program = build::target_dir().join("test-programs/mpi/weak");
    build::make_in_place(&program, |draft| {
        let source = build::root().join("tests/mpi/weak.c");
        build::run(Command::new("gcc").args(["-O1", "-o"]).arg(draft).arg(source), "gcc").map(drop)
    })?;
    let status = |options: &[&str]| -> Result<Option<i32>> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(Product::find()?.program);
        judged::without_launcher(&mut command);
        command.arg("run").args(options).arg("--").arg(&program).current_dir(folder.path());
        Ok(command.output()?.status.code())
    };
    ensure!(status(&[])? == Some(0), "it sees {:?}", status(&[])?);
    // Asked for, they are there: the program can tell.
    ensure!(status(&["--mpi", "calls"])? == Some(3));
    Ok(())
}

#[test]
fn nothing_is_recorded_where_mpi_is_off() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &["--mpi", "off"], folder.path())?;
    ensure!(!Path::new(&recorded.run(0)).exists(), "a recording of a program without OpenMP");
    Ok(())
}
