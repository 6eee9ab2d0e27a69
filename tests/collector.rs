//! The Sun Collector API from its two sides: a runtime that speaks it is recorded to the last event,
//! and a collector that was written for it works on today's runtimes.

mod endings;
mod provider;
mod recorded;
mod runs;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_recording::events::Event;
use ompttrace_tests::contexts;
use ompttrace_tests::judged::{Judged, dropped};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::sampled::{Compared, compared};
use recorded::Recorded;
use runs::{EVENTS, Run};
use std::collections::BTreeMap;

/// Variants of the test runtime's behaviour; see tests/runtimes/collector.c.
const HABITS: [&str; 6] = ["", "padded", "signed", "mute", "double", "padded,signed,mute,double"];

#[test]
fn every_event_of_the_paper_is_recorded() -> Result<()> {
    for habits in HABITS {
        let run = runs::program(habits, &["5", "4"])?;
        let sent = run.sent()?;
        // Each of them happens in this program, so that none is handled by hope.
        ensure!(sent[1..].iter().all(|count| *count > 0), "{habits}: {sent:?}");
        let recorded = Recorded::read(&run.folder()?)?;
        check(&recorded, &sent).with_context(|| format!("habits {habits:?}"))?;
        check_ids(&recorded, &run)?;
    }
    Ok(())
}

/// Samples have the runtime's states as values of ompt_state_t, and the object that the thread waits for.
#[test]
fn samples_have_the_runtimes_states() -> Result<()> {
    let run = runs::sampled("collector_program", "5000", &["300", "4"])?;
    let recording = Recording::open(&run.folder()?)?;
    let lock = run.printed("lock")?;
    let mut states = BTreeMap::<u64, u64>::new();
    for at in 0..recording.samples.len() {
        let mut stream = recording.sample_stream(at);
        while let Some(event) = stream.take(|record| record.event()) {
            let Event::Sample(sample) = event else { continue };
            ensure!(sample.state != 0x41 || sample.wait_id == lock, "{sample:x?}, lock {lock:x}");
            *states.entry(sample.state).or_default() += 1;
        }
    }
    let known = [0, 1, 2, 0x13, 0x14, 0x41, 0x42, 0x43, 0x44, 0x100, 0x101];
    ensure!(states.keys().all(|state| known.contains(state)), "{states:x?}");
    let waits = states.keys().filter(|state| (0x10..0x100).contains(*state)).count();
    ensure!(waits > 1, "{states:x?}");
    Ok(())
}

/// Runtimes say IDLE of workers that events know nothing of.
#[test]
fn events_say_what_the_runtime_says_at_the_same_instant() -> Result<()> {
    let run = runs::sampled("collector_states", "1000", &[])?;
    let folder = run.folder()?;
    let recording = Recording::open(&folder)?;
    ensure!(recording.facts.samples.threads == 2, "{:?}", recording.facts.samples);
    let samples = compared(&recording, &folder)?;
    for state in ["work", "wait", "idle"] {
        let of: Vec<_> = samples.iter().filter(|one| one.by_runtime == state).collect();
        let others = of.iter().filter(|one| one.by_events != state).collect::<Vec<_>>();
        ensure!(of.len() > 50 && others.len() * 50 < of.len(), "{state}: {} {others:?}", of.len());
    }
    let wrong = |one: &&Compared| {
        one.in_work != (one.by_events == "work") || one.in_work != one.pseudo_frame.is_none()
    };
    let wrong: Vec<_> = samples.iter().filter(wrong).collect();
    ensure!(wrong.len() * 50 < samples.len(), "{} {wrong:?}", samples.len());
    Ok(())
}

/// Event by event, what the runtime counted beside what the recording holds.
fn check(recorded: &Recorded, sent: &[u64]) -> Result<()> {
    for (event, name) in EVENTS.iter().enumerate().skip(1) {
        let found = recorded.of(name);
        ensure!(found == sent[event], "{name}: {found} recorded, {} sent", sent[event]);
    }
    let teams = sent[runs::FORK] + sent[runs::END_IDLE];
    let [begun, ended] = recorded.implicit_tasks;
    ensure!(begun == teams && ended == teams, "{begun} and {ended} of {teams} implicit tasks");
    ensure!(recorded.inferred_tasks == 2 * teams, "{} are inferred", recorded.inferred_tasks);
    Ok(())
}

/// Waits name what the program waited for; team threads are in regions that were forked.
fn check_ids(recorded: &Recorded, run: &Run) -> Result<()> {
    for (name, kind) in [("lock", 1), ("critical", 5), ("atomic", 6)] {
        let address = run.printed(name)?;
        let waits = &recorded.wait_ids[&kind];
        ensure!(waits.iter().all(|id| *id == address), "{name} {address:#x}: {waits:x?}");
    }
    let (forked, joined) = (&recorded.forked, &recorded.joined);
    ensure!(forked == joined && !forked.contains(&0), "{forked:?} forked, {joined:?} joined");
    ensure!(recorded.entered.iter().all(|region| forked.contains(region)), "implicit tasks");
    Ok(())
}

/// A runtime that reports no idleness: its workers' teams are known by what they say in other events.
#[test]
fn teams_are_found_without_idleness() -> Result<()> {
    let run = runs::program("no-idle", &["3", "3"])?;
    let (sent, recorded) = (run.sent()?, Recorded::read(&run.folder()?)?);
    ensure!(sent[runs::BEGIN_IDLE] == 0 && recorded.of("thr_begin_idle") == 0, "{sent:?}");
    for (event, name) in EVENTS.iter().enumerate().skip(1) {
        ensure!(recorded.of(name) == sent[event], "{name}: {} of {sent:?}", recorded.of(name));
    }
    let outer = 3;
    ensure!(recorded.threads_in(outer) == [3; 3], "{:?}", recorded.team_threads);
    let info = Product::find()?.info(&run.folder()?)?;
    let answer = &info["runtime"]["registered"]["thr_begin_idle"];
    ensure!(answer == "unsupported", "{answer}");
    Ok(())
}

#[test]
fn the_readers_open_the_traces() -> Result<()> {
    let run = runs::program("", &["3", "4"])?;
    let sent = run.sent()?;
    let mut judged = Judged::open(&run.folder()?)?;
    let faults = judged.judge().stats_errors()?;
    ensure!(faults.is_empty(), "{faults:?}");
    ensure!(dropped(&judged.export)?.is_empty(), "{}", judged.export);
    let slices = |judged: &mut Judged, name: &str| {
        judged.count(&format!(
            "select count() from slice join thread_track on thread_track.id = slice.track_id \
             where what(slice.name) glob '{name}' and slice.category glob 'openmp.*'"
        ))
    };
    for (name, event) in [
        ("parallel*", runs::FORK),
        ("idle", runs::BEGIN_IDLE),
        ("wait: lock*", runs::BEGIN_LKWT),
        ("wait: critical*", runs::BEGIN_CTWT),
        ("wait: atomic*", runs::BEGIN_ATWT),
        ("wait: ordered*", runs::BEGIN_ODWT),
        ("wait: barrier (implicit)", runs::BEGIN_IBAR),
        ("single", runs::BEGIN_SINGLE),
    ] {
        let drawn = slices(&mut judged, name)?;
        ensure!(drawn == sent[event], "{name}: {drawn} drawn, {} sent", sent[event]);
    }
    // Only ordered regions are reported when they are over: nothing else is shown as held.
    ensure!(number(&judged.export, "/hold_slices")? == sent[runs::BEGIN_ORDERED]);
    run.otf2_is_read()
}

/// OpenUH's runtime sends the begin of an ordered region twice: it is held once, from the first to its end.
#[test]
fn an_ordered_region_that_begins_twice_is_one() -> Result<()> {
    let run = runs::program("double", &["3", "4"])?;
    let sent = run.sent()?;
    ensure!(sent[runs::BEGIN_ORDERED] == 2 * sent[runs::END_ORDERED], "{sent:?}");
    let mut judged = Judged::open(&run.folder()?)?;
    ensure!(number(&judged.export, "/hold_slices")? == sent[runs::END_ORDERED], "{sent:?}");
    let cut = judged.count(
        "select count() from slice s join track t on t.id = s.track_id join track p on \
         p.id = t.parent_id where p.name = 'Locks' and \
         extract_arg(s.arg_set_id, 'debug.end') is not null",
    )?;
    ensure!(cut == 0, "the ends of {cut} holds are inferred");
    ensure!(dropped(&judged.export)?.is_empty(), "{}", judged.export);
    run.otf2_is_read()
}

#[test]
fn what_it_cannot_distinguish_is_said() -> Result<()> {
    let run = runs::program("", &["2", "4"])?;
    let info = Product::find()?.info(&run.folder()?)?;
    let runtime = &info["runtime"];
    ensure!(runtime["interface"] == "collector", "{runtime}");
    let library = runtime["library"].as_str().context("a library")?;
    ensure!(library.ends_with("libcollector_runtime.so"), "{library}");
    let notes = runtime["notes"].to_string();
    ensure!(notes.contains("never reported: explicit tasks"), "{notes}");
    // Three of four threads enter each single region and do not carry it out.
    ensure!(notes.contains("thr_begin_single had no end 6 times"), "{notes}");
    ensure!(info["closed"] == true && info["finalized"] == true, "{info}");
    Ok(())
}

/// The second of three regions is not even sent, and the third is whole.
#[test]
fn commands_reach_the_runtime() -> Result<()> {
    let run = runs::program("", &["3", "4", "control"])?;
    let (sent, recorded) = (run.sent()?, Recorded::read(&run.folder()?)?);
    ensure!(sent[runs::FORK] == 2 * 2, "{sent:?}");
    for (event, name) in EVENTS.iter().enumerate().skip(1) {
        ensure!(recorded.of(name) == sent[event], "{name}: {} of {sent:?}", recorded.of(name));
    }
    ensure!(recorded.forked == recorded.joined, "{:?}", recorded.forked);
    Ok(())
}

/// A runtime that comes with dlopen, by itself or with a library that needs it.
#[test]
fn a_runtime_that_comes_late() -> Result<()> {
    for how in ["with", "by itself", "alone"] {
        let run = runs::late(how)?;
        let (sent, recorded) = (run.sent()?, Recorded::read(&run.folder()?)?);
        ensure!(sent[runs::FORK] == 4, "{how}: {sent:?}");
        check(&recorded, &sent).with_context(|| format!("it comes {how}"))?;
    }
    Ok(())
}

/// Regions have the calling contexts that the program prints.
#[test]
fn regions_have_their_calling_contexts() -> Result<()> {
    let run = runs::chains()?;
    let mut judged = Judged::open(&run.folder()?)?;
    contexts::check(&mut judged, &contexts::said(run.stdout()))
}

#[test]
fn the_command_puts_the_library_in_front() -> Result<()> {
    let run = runs::by_command(&["2", "3"])?;
    check(&Recorded::read(&run.folder()?)?, &run.sent()?)
}

/// A program without such a runtime has no recording, and our hook does not change what it does.
#[test]
fn nobody_else_notices() -> Result<()> {
    let (status, stdout, folders) = runs::unrelated()?;
    ensure!(
        status == Some(0) && stdout == "12\n" && folders == 0,
        "{status:?} {stdout:?} {folders}"
    );
    Ok(())
}
