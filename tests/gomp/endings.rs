//! However a program on libgomp ends, it ends as without us, and what it did is in the recording.

use anyhow::{Result, ensure};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs;
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_tests::{own_counts, process};

/// The recording of a killed program has all critical sections that the program had counted itself.
#[test]
fn a_killed_program_leaves_all_that_it_had_counted() -> Result<()> {
    let program = super::of_this_test("killed")?;
    for buffer in ["16K", "4K", "64K@run"] {
        let scratch = Scratch::new()?;
        let mut command = program.command_as_linked()?;
        own_counts::attach(&mut command, &scratch);
        scratch.attach(&mut command, By::Gomp)?;
        command.env(RECORD_ONLY.0, RECORD_ONLY.1).env("OMPTTRACE_BUFFER", buffer);
        let ended = process::run(command.current_dir(scratch.path()), super::LIMIT)?;
        ensure!(ended.ended_by(program.directives.end), "{ended:?}");
        let said = own_counts::check(&scratch, ended.pid, &scratch.runs()?)?;
        ensure!(said.is_empty(), "{buffer}: {said}{}", ended.stderr);
    }
    Ok(())
}

/// A run that ends by itself is closed; one that exit() ends in a region has a stated cut, and an export
/// afterwards finds what threads recorded after that.
#[test]
fn only_an_exit_inside_a_region_leaves_a_recording_open() -> Result<()> {
    for (name, closed) in [("c/hello", true), ("c/two_roots", true), ("c/exit_in_region", false)] {
        let program = programs::by_name(name)?.by_gcc();
        let (ended, scratch) = super::run(&program, &[("OMPTTRACE_FORMAT", "perfetto")])?;
        ensure!(ended.ended_by(program.directives.end), "{name}: {ended:?}");
        let run = scratch.only_run()?;
        ensure!(run.join("trace.pftrace").is_file(), "{name}: {}", ended.stderr);
        let facts = ompttrace_recording::Recording::open(&run)?.facts;
        ensure!(facts.closed == closed, "{name}: closed {}, wanted {closed}", facts.closed);
    }
    Ok(())
}

/// Paused by its own command, a program reports nothing, and goes on afterwards.
#[test]
fn a_program_steers_its_recording() -> Result<()> {
    let program = super::of_this_test("steered")?;
    let (ended, scratch) = super::run(&program, &[])?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    // Two of its three regions; their sections of four threads.
    ensure!(number(&info, "/callbacks/parallel_begin/recorded")? == 2);
    ensure!(number(&info, "/callbacks/mutex_acquired/recorded")? == 8);
    Ok(())
}

/// Events of families that OMPTTRACE_EVENTS excludes are not recorded.
#[test]
fn families_of_events_can_be_left_out() -> Result<()> {
    let program = programs::by_name("c/gcc_loops")?;
    let (ended, scratch) = super::run(&program, &[("OMPTTRACE_EVENTS", "-mutex,-dispatch")])?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    for (event, reported) in [("mutex_acquire", false), ("dispatch", false), ("work", true)] {
        let recorded = number(&info, &format!("/callbacks/{event}/recorded"))?;
        ensure!((recorded > 0) == reported, "{event}: {recorded}");
    }
    ensure!(info["callbacks"]["mutex_acquire"]["registered"] == "not wanted");
    Ok(())
}

/// A wrong setting is one line, and the program runs on without us.
#[test]
fn a_wrong_setting_is_reported_once() -> Result<()> {
    let program = programs::by_name("c/gcc_loops")?;
    let (ended, scratch) = super::run(&program, &[("OMPTTRACE_OVERFLOW", "never")])?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    ensure!(ended.stderr.lines().count() == 1 && ended.stderr.contains("OMPTTRACE_OVERFLOW"));
    ensure!(scratch.runs()?.is_empty());
    Ok(())
}

/// libomp's own functions for GCC's code: reported by OMPT alone, not by both.
#[test]
fn on_libomp_nothing_is_reported_twice() -> Result<()> {
    let program = programs::by_name("c/gcc_tasks")?;
    let libomp = ompttrace_tests::runtimes::libomp_19()?;
    let mut sums = Vec::new();
    for by in [By::Runtime, By::Gomp] {
        let scratch = Scratch::new()?;
        let mut command = program.command(&libomp)?;
        scratch.attach(&mut command, by)?;
        command.env(RECORD_ONLY.0, RECORD_ONLY.1);
        let ended = process::run(command.current_dir(scratch.path()), super::LIMIT)?;
        ensure!(ended.last_line() == program.last_line(), "{ended:?}");
        let run = scratch.only_run()?;
        let info = Product::find()?.info(&run)?;
        ensure!(info["runtimes"].as_array().is_some_and(|all| all.len() == 1), "{by:?}: {info}");
        ensure!(info["runtimes"][0]["interface"] == "ompt");
        let recorded = Recorded::read(&run)?;
        sums.push([3, 5, 7].map(|event| recorded.event(event)));
    }
    ensure!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
    Ok(())
}

/// Code of GCC 4.8 and before begins and ends regions by functions of their own.
#[test]
fn old_entry_points_are_reported() -> Result<()> {
    let program = super::of_this_test("old_entries")?;
    let (ended, scratch) = super::run(&program, &[])?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let recorded = Recorded::read(&scratch.only_run()?)?;
    let begins = |event: u16, kind| {
        let found = recorded.by_kind.get(&(event, kind)).copied().unwrap_or_default();
        (found.none, found.begin, found.end)
    };
    // Two plain regions, one in the other, and a loop: implicit tasks of 4, 4 times 2, and 4 threads.
    ensure!(recorded.event(3).none == 6 && recorded.event(4).none == 6, "{recorded:?}");
    ensure!(begins(7, 2).1 == 16, "{recorded:?}");
    // Begun with the implicit tasks and ended by each thread.
    ensure!(begins(20, 11) == (0, 4, 4), "{recorded:?}");
    Ok(())
}

/// Tasks that libgomp does not even make, because their taskgroup was cancelled before, count as discarded too.
#[test]
fn refused_tasks_are_counted() -> Result<()> {
    let program = super::of_this_test("refused")?;
    let (ended, scratch) = super::run(&program, &[])?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    ensure!(number(&info, "/callbacks/task_create/recorded")? == 6, "{info}");
    ensure!(number(&info, "/callbacks/cancel/recorded")? == 6, "{info}");
    Ok(())
}

/// Tasks that libgomp would discard do not run when it is recorded either, and are reported as discarded.
#[test]
fn cancelled_tasks_never_begin() -> Result<()> {
    let program = super::of_this_test("discarded")?;
    let (ended, scratch) = super::run(&program, &[])?;
    ensure!(ended.last_line() == program.last_line(), "{ended:?}");
    let info = Product::find()?.info(&scratch.only_run()?)?;
    ensure!(number(&info, "/callbacks/task_create/recorded")? == 20);
    // One asks for it, and 19 are discarded; one that ran has a switch to it and one back.
    ensure!(number(&info, "/callbacks/cancel/recorded")? == 20, "{info}");
    ensure!(number(&info, "/callbacks/task_schedule/recorded")? == 2 + 19, "{info}");
    Ok(())
}
