//! OMPi's host runtime, with the archive linked in front of it: a runtime in its shape, made of the document on its
//! interface, counts what it is asked for, and as much is in the recording.

mod command;
mod counted;
mod endings;
mod library;
mod linked;
mod processes;
mod recorded;
mod traces;

use anyhow::{Context, Result, ensure};
use linked::Run;
use ompttrace_tests::product::Product;
use recorded::Recorded;

#[test]
fn every_call_is_recorded() -> Result<()> {
    for (threads, schedule) in [("4", "dynamic"), ("3", "static"), ("2", "guided"), ("1", "static")]
    {
        let run = Run::of(&[threads, "3"], &[("OMP_SCHEDULE", schedule)])?.ended_well()?;
        let (counted, recorded) = (run.counted()?, Recorded::read(&run.folder()?)?);
        if threads != "1" {
            // Each of them happens in this program, so that none is compared by hope.
            let never = counted.never();
            // Of the library there are those that bring barriers and tasks.
            let known = never.iter().all(|name| {
                name.starts_with("library_") || *name == "runtime_chunks" && schedule != "static"
            });
            ensure!(known, "never: {never:?}");
        }
        recorded::compare(&recorded, &counted)
            .with_context(|| format!("{threads} threads, {schedule}"))?;
    }
    Ok(())
}

/// Barriers and tasks of the execution entity library's own are seen where the program has them, and the tasks' data get
/// back to where they came from.
#[test]
fn barriers_and_tasks_of_the_library_below_are_recorded() -> Result<()> {
    for threads in ["4", "1"] {
        let run = Run::of_program(&linked::program_of_own()?, &[threads, "3"], &[])?;
        let run = run.ended_well()?;
        let (counted, recorded) = (run.counted()?, Recorded::read(&run.folder()?)?);
        recorded::compare(&recorded, &counted).with_context(|| format!("{threads} threads"))?;
        ensure!(counted.of("tasks_run") == counted.of("nodes"), "{counted:?}");
        ensure!(threads == "1" || counted.of("library_barriers") > 0, "{counted:?}");
    }
    Ok(())
}

/// Loops have their schedules and iterations, whichever call says them.
#[test]
fn loops_are_known_by_the_call_that_follows() -> Result<()> {
    let run = Run::of(&["4", "1"], &[("OMP_SCHEDULE", "guided")])?.ended_well()?;
    let recorded = Recorded::read(&run.folder()?)?;
    let (fixed, dynamic, guided) = (10, 11, 12);
    // By every thread of the large region; outside it; in combined regions of 4, 1, 2 times 2, and 2 threads.
    let expected = [
        ((dynamic, 40), 4 + 4),
        ((guided, 40), 4 + 4),
        ((fixed, 0), 4),
        ((fixed, 4), 4),
        ((fixed, 40), 4 + 1),
        ((fixed, 100), 4 + 1 + 4 + 2),
    ];
    for (loops, count) in expected {
        let found = recorded.loops.get(&loops).copied().unwrap_or(0);
        ensure!(found == count, "{loops:?}: {found} of {count}: {:?}", recorded.loops);
    }
    ensure!(recorded.loops.len() == expected.len(), "{:?}", recorded.loops);
    Ok(())
}

/// The replaced functions change neither what the program prints, nor how much memory the runtime needs.
#[test]
fn the_program_does_what_it_does_without_us() -> Result<()> {
    for threads in ["1", "4"] {
        let alone = Run::alone(&[threads, "20"])?.ended_well()?;
        let recorded = Run::of(&[threads, "20"], &[])?.ended_well()?;
        ensure!(
            alone.stdout() == recorded.stdout(),
            "{:?} {:?}",
            alone.stdout(),
            recorded.stdout()
        );
    }
    // On one thread as many tasks run as without us, and their memory is used again.
    let tasks = |run: &Run| -> Result<[u64; 2]> {
        let counted = run.counted()?;
        Ok([counted.of("tasks"), counted.of("nodes")])
    };
    let [alone, recorded] = [Run::alone(&["1", "20"])?, Run::of(&["1", "20"], &[])?];
    ensure!(tasks(&alone)? == tasks(&recorded)?, "{:?} {:?}", tasks(&alone)?, tasks(&recorded)?);
    ensure!(tasks(&recorded)?[1] == 2, "{:?}", tasks(&recorded)?);
    Ok(())
}

/// Where recording cannot begin, the program runs untraced, and one line says why.
#[test]
fn a_wrong_setting_is_one_line() -> Result<()> {
    let run = Run::of(&["4", "2"], &[("OMPTTRACE_OVERFLOW", "never")])?.ended_well()?;
    ensure!(run.stdout() == Run::alone(&["4", "2"])?.stdout());
    let stderr = run.stderr();
    ensure!(stderr.lines().count() == 1 && stderr.contains("OMPTTRACE_OVERFLOW"), "{stderr}");
    ensure!(run.folders()?.is_empty(), "{:?}", run.folders());
    Ok(())
}

#[test]
fn families_of_events_can_be_left_out() -> Result<()> {
    let settings = [("OMPTTRACE_EVENTS", "-mutex,-dispatch,-task")];
    let run = Run::of(&["4", "2"], &settings)?.ended_well()?;
    let recorded = Recorded::read(&run.folder()?)?;
    for (event, is_there) in [("mutex", false), ("chunk", false), ("task", false), ("loop", true)] {
        ensure!((recorded.of(event) > 0) == is_there, "{event}: {}", recorded.of(event));
    }
    Ok(())
}

/// Two rounds of three: the second is not recorded, and the third is whole.
#[test]
fn a_program_steers_its_recording() -> Result<()> {
    let run = Run::of(&["4", "3", "steer"], &[])?.ended_well()?;
    let (counted, recorded) = (run.counted()?, Recorded::read(&run.folder()?)?);
    for (name, of) in
        [("region begins", "regions"), ("implicit end", "implicit_tasks"), ("flush", "fences")]
    {
        let (found, all) = (recorded.of(name), counted.of(of));
        ensure!(3 * found == 2 * all, "{name}: {found} recorded, {all} counted in three rounds");
    }
    Ok(())
}

#[test]
fn the_source_is_named() -> Result<()> {
    let run = Run::of(&["2", "1"], &[])?.ended_well()?;
    let info = Product::find()?.info(&run.folder()?)?;
    let runtime = &info["runtime"];
    ensure!(runtime["interface"] == "ompi" && runtime["version"] == "OMPi ORT 2.5", "{runtime}");
    ensure!(runtime["dialect"] == "execution entities are threads", "{runtime}");
    let program = runtime["library"].as_str().context("a file")?;
    ensure!(program == linked::program()?.canonicalize()?.to_string_lossy(), "{program}");
    ensure!(info["closed"] == true && info["finalized"] == true, "{info}");
    Ok(())
}

/// The linker is to put in front what the archive has, and nothing else.
#[test]
fn the_list_for_the_linker_is_that_of_the_archive() -> Result<()> {
    ensure!(linked::listed()? == linked::in_archive()?);
    Ok(())
}
