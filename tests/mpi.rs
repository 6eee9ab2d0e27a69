//! MPI: programs that know their own numbers, with two implementations and one library in front of them; `jobs`: all their ranks
//! together.

mod anonymised;
mod archives;
mod clocks;
mod communicators;
mod compared;
mod controlled;
mod corrected;
mod jobs;
mod judged;
mod objects;
mod packages;
mod tables;
mod written;

use std::collections::BTreeMap;
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

/// MPICH has them, Open MPI 4 has not, and its program must not see any.
#[test]
fn functions_that_not_all_libraries_have_are_recorded_where_they_are() -> Result<()> {
    judge("later.c")
}

#[test]
fn threads_of_the_programs_own_are_recorded() -> Result<()> {
    judge("threads.c")
}

/// The number of runs depends on how often the machine takes the core away; with a slice for each poll it would be 12,000.
#[test]
fn polls_that_fail_are_few_slices_with_their_number() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        let recorded = Recorded::new(mpi, "polls.c", &[], folder.path())?;
        recorded.judge()?;
        let slices = recorded.slices(0)?;
        ensure!(slices < 6_000, "{mpi:?}: {slices} slices");
    }
    Ok(())
}

#[test]
fn bytes_of_windows_and_files_are_those_that_the_program_moved() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        let recorded = Recorded::new(mpi, "moved.c", &[], folder.path())?;
        let (said, found) = (recorded.said(0).moved, recorded.found(0)?.moved);
        ensure!(said.len() == 6 && said == found, "{mpi:?}: {found:?} instead of {said:?}");
    }
    Ok(())
}

#[test]
fn a_tool_that_is_linked_in_records_both_openmp_and_mpi() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        let recorded = Recorded::new(mpi, "hybrid.c", &[], folder.path())?;
        recorded.judge()?;
        let info = Product::find()?.info(&recorded.run(0))?;
        let runtimes = info["runtimes"].as_array().context("runtimes")?;
        ensure!(runtimes.len() == 2, "{mpi:?}: {runtimes:?}");
    }
    Ok(())
}

/// Debian's mpi4py is for Open MPI. It calls some more functions itself.
#[test]
fn a_program_in_python_is_recorded() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::OpenMpi, "program.py", &[], folder.path())?;
    for rank in 0..2 {
        let (said, mut found) = (recorded.said(rank), recorded.found(rank)?);
        found.calls.retain(|name, _| said.calls.contains_key(name));
        ensure!(!said.calls.is_empty() && said == found, "{found:?} instead of {said:?}");
    }
    Ok(())
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
    let status = |options: &[&str], launcher: bool| -> Result<Option<i32>> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(Product::find()?.program);
        judged::without_launcher(&mut command);
        if launcher {
            command.env("PMI_RANK", "0");
        }
        command.arg("run").args(options).arg("--").arg(&program).current_dir(folder.path());
        Ok(command.output()?.status.code())
    };
    // Nor where a launcher of MPI programs has started it.
    for launcher in [false, true] {
        let seen = status(&[], launcher)?;
        ensure!(seen == Some(0), "with a launcher: {launcher}; it sees {seen:?}");
    }
    // Asked for, they are there: the program can tell.
    ensure!(status(&["--mpi", "calls"], false)? == Some(3));
    Ok(())
}

/// The calls that are recorded of a rank, by a program that ends in this way; Open MPI takes an end without MPI_Finalize for one of
/// the whole job, whose other ranks it ends.
fn ending(mpi: Mpi, how: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::with(mpi, "ends.c", how, folder.path())?;
    let calls = |rank: usize| -> Result<BTreeMap<String, u64>> {
        let info = Product::find()?.info(&recorded.run(rank))?;
        let calls = info["mpi"]["calls"].as_object().context("calls")?.clone();
        calls
            .into_iter()
            .map(|(name, calls)| Ok((name, calls.as_u64().context("number")?)))
            .collect()
    };
    let expected: &[(&str, u64)] = match how {
        "abort" => &[("MPI_Abort", 1)],
        "killed" => &[("MPI_Irecv", 1), ("MPI_Test", 20_000)],
        "commands" => &[("MPI_Pcontrol", 3), ("MPI_Barrier", 1), ("MPI_Finalize", 1)],
        _ => &[],
    };
    let begin = [("MPI_Init", 1), ("MPI_Sendrecv", 50)];
    let expected: BTreeMap<String, u64> =
        begin.iter().chain(expected).map(|(n, c)| (n.to_string(), *c)).collect();
    // The one that ends first: the others may have been ended anywhere.
    let found = calls(1)?;
    ensure!(found == expected, "{mpi:?}, {how}: {found:?}");
    let other = calls(0)?;
    ensure!(other.get("MPI_Sendrecv") == Some(&50), "{mpi:?}, {how}: {other:?}");
    Ok(())
}

#[test]
fn a_rank_is_recorded_however_it_ends() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        for how in ["abort", "killed", "exit", "_exit", "commands"] {
            ending(mpi, how)?;
        }
    }
    Ok(())
}

#[test]
fn nothing_is_recorded_where_mpi_is_off() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &["--mpi", "off"], folder.path())?;
    ensure!(!Path::new(&recorded.run(0)).exists(), "a recording of a program without OpenMP");
    Ok(())
}
