//! Recording that goes on inside a region: what was running is drawn from then on, what belongs to a region ends
//! with it, and what a pause cut does not continue.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_tests::all_formats::AllFormats;
use ompttrace_tests::programs::Program;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

use ompttrace_model::ompt;
use ompttrace_model::{Mark, SliceKind};
use ompttrace_timeline::testing::{Checker, SeenSlice, Timeline};

use super::with_header;

const REGION: SliceKind = SliceKind::Region { league: false };

/// A run, what the timeline makes of it, and what the program says when things were over.
struct Seen {
    traced: Traced,
    timeline: Timeline,
    times: BTreeMap<String, u64>,
}

impl Seen {
    fn time(&self, what: &str) -> Result<u64> {
        self.times.get(what).copied().with_context(|| format!("the program prints no {what}"))
    }

    /// Slices of a kind that began before `what`.
    fn before(&self, kind: SliceKind, what: &str) -> Result<Vec<&SeenSlice>> {
        let time = self.time(what)?;
        Ok(self.timeline.of_kind(kind).into_iter().filter(|slice| slice.begin < time).collect())
    }
}

fn program(mode: &str) -> Result<Program> {
    let mut program = with_header("tests/control/inside.c", "inside", &[], &[])?;
    program.directives.args = vec![mode.to_string()];
    Ok(program)
}

/// Runs the program on a runtime, or on libgomp with our library in front of it.
fn see(mode: &str, runtime: &str) -> Result<Seen> {
    let begins_off = !["paused", "over"].contains(&mode);
    let settings = [RECORD_ONLY, ("OMPTTRACE_START", if begins_off { "off" } else { "on" })];
    let traced = match runtime {
        "libgomp" => traced::run_as_linked(&program(mode)?.by_gcc(), By::Gomp, &settings)?,
        name => traced::run(&program(mode)?, &runtimes::by_name(name)?, By::Runtime, &settings)?,
    };
    let times = traced.run.stdout.lines().filter_map(|line| line.split_once(' '));
    let times = times.filter_map(|(what, time)| Some((what.to_string(), time.parse().ok()?)));
    let times = times.collect();
    let recording = Recording::open(&traced.scratch.only_run()?)?;
    let (timeline, _) = ompttrace_timeline::run(&recording, Checker::default())
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(Seen { traced, timeline, times })
}

/// Checks that apply to every way in which recording resumes.
fn check(seen: &Seen) -> Result<()> {
    ends_with_its_region(seen)?;
    serial_section(seen)?;
    every_format(&seen.traced.scratch.only_run()?)
}

/// Except for the initial task, nothing that began before the region's end lasts longer.
fn ends_with_its_region(seen: &Seen) -> Result<()> {
    let joined = seen.time("joined")?;
    let lasting = seen.timeline.slices.iter().filter(|slice| {
        slice.begin < joined && slice.end > joined && slice.kind != SliceKind::InitialTask
    });
    let names: Vec<_> = lasting.map(|slice| (&slice.name, slice.end - joined)).collect();
    ensure!(names.is_empty(), "{names:?} last longer than their region");
    let regions = seen.timeline.regions.iter();
    let lasting = regions.filter(|region| region.begin < joined && region.end > joined).count();
    ensure!(lasting == 0, "{lasting} regions last longer than they should");
    Ok(())
}

/// Between the regions the primary thread is in its initial task and in nothing else.
fn serial_section(seen: &Seen) -> Result<()> {
    let (joined, forking) = (seen.time("joined")?, seen.time("forking")?);
    let on_primary = seen.timeline.slices.iter().filter(|slice| slice.thread == 0);
    let around = on_primary.filter(|slice| slice.begin < joined && slice.end > forking);
    let kinds: Vec<_> = around.map(|slice| slice.kind).collect();
    ensure!(kinds == [SliceKind::InitialTask], "{kinds:?} around the serial section");
    Ok(())
}

fn every_format(run: &Path) -> Result<()> {
    let all = AllFormats::export(run, &["--view", "both"])?;
    let said = all.sums()? + &all.trace_faults()? + &all.archives(false)?;
    ensure!(said.is_empty(), "{said}");
    Ok(())
}

/// This many regions and implicit tasks were running when recording was switched on, and are drawn from the
/// command on.
fn from_the_command_on(seen: &Seen, regions: usize, tasks: usize) -> Result<()> {
    let (before, started) = (seen.time("before")?, seen.time("started")?);
    for (kind, wanted) in [(REGION, regions), (SliceKind::ImplicitTask, tasks)] {
        let found = seen.before(kind, "joined")?;
        ensure!(found.len() == wanted, "{} of {wanted} {kind:?}", found.len());
        for slice in found {
            let at_the_command = before <= slice.begin && slice.begin <= started;
            ensure!(at_the_command && slice.begin_mark == Mark::Cut, "{slice:?}");
        }
    }
    Ok(())
}

fn switched_on(mode: &str, runtime: &str, regions: usize, tasks: usize) -> Result<()> {
    let seen = see(mode, runtime)?;
    let checked = from_the_command_on(&seen, regions, tasks).and_then(|()| check(&seen));
    checked.with_context(|| format!("{mode} on {runtime}: {:#?}", seen.timeline.slices))
}

const RUNTIMES: [&str; 3] = ["libomp-19", "libomp-16", "libgomp"];

#[test]
fn by_the_primary_thread() -> Result<()> {
    RUNTIMES.iter().try_for_each(|runtime| switched_on("primary", runtime, 1, 2))
}

#[test]
fn by_a_worker() -> Result<()> {
    RUNTIMES.iter().try_for_each(|runtime| switched_on("worker", runtime, 1, 2))
}

/// The worker is in the closing barrier, of which it has nothing to say before the next region.
#[test]
fn while_a_worker_waits_at_the_regions_end() -> Result<()> {
    RUNTIMES.iter().try_for_each(|runtime| switched_on("closing", runtime, 1, 2))
}

#[test]
fn in_a_nested_region() -> Result<()> {
    RUNTIMES.iter().try_for_each(|runtime| switched_on("nested", runtime, 2, 4))
}

#[test]
fn inside_an_explicit_task() -> Result<()> {
    RUNTIMES.iter().try_for_each(|runtime| inside_a_task(runtime))
}

fn inside_a_task(runtime: &str) -> Result<()> {
    switched_on("task", runtime, 1, 2)?;
    let seen = see("task", runtime)?;
    let first = seen.before(SliceKind::Task, "started")?;
    ensure!(first.len() == 1 && first[0].begin_mark == Mark::Cut, "{first:?}");
    // It made another one and waited for it, inside itself.
    let started = seen.time("started")?;
    let inside = |slice: &&SeenSlice| slice.begin >= started && slice.task == first[0].task;
    let waits = seen.timeline.of_kind(SliceKind::Sync(ompt::SyncRegion::Taskwait));
    ensure!(waits.into_iter().filter(inside).count() > 0, "no taskwait of the task");
    Ok(())
}

/// Then there is nothing to make up: the initial task continues, and regions begin as they do.
#[test]
fn between_regions() -> Result<()> {
    for runtime in RUNTIMES {
        let seen = see("between", runtime)?;
        check(&seen).with_context(|| runtime.to_string())?;
        let cut = seen.timeline.slices.iter().filter(|slice| slice.begin_mark != Mark::Observed);
        let cut: Vec<_> = cut.map(|slice| slice.kind).collect();
        ensure!(cut == [SliceKind::InitialTask] || cut.is_empty(), "{runtime}: {cut:?}");
        ensure!(seen.timeline.regions.len() == 1, "{runtime}");
    }
    Ok(())
}

/// The region and its implicit tasks go on through the pause; the barrier that ended meanwhile does not.
#[test]
fn after_a_pause_by_another_thread() -> Result<()> {
    RUNTIMES.iter().try_for_each(|runtime| {
        let seen = see("paused", runtime)?;
        paused(&seen).and_then(|()| check(&seen)).with_context(|| runtime.to_string())
    })
}

fn paused(seen: &Seen) -> Result<()> {
    let resumed = seen.time("started")?;
    for (kind, wanted) in [(REGION, 1), (SliceKind::ImplicitTask, 2)] {
        let found = seen.before(kind, "joined")?;
        let whole = found.iter().filter(|slice| slice.begin_mark == Mark::Observed);
        let whole = whole.filter(|slice| slice.end > resumed).count();
        ensure!((found.len(), whole) == (wanted, wanted), "{kind:?}: {found:?}");
    }
    let before = seen.time("before")?;
    let through = seen.timeline.slices.iter().filter(|slice| {
        let waits = matches!(slice.kind, SliceKind::Sync(_) | SliceKind::Wait(_));
        waits && slice.begin < before && slice.end > before
    });
    let through: Vec<_> = through.collect();
    ensure!(through.is_empty(), "{through:?} go on through the pause");
    Ok(())
}

/// A region whose end was not recorded ends where the pause began, and is shown as truncated.
#[test]
fn after_a_region_whose_end_nobody_saw() -> Result<()> {
    RUNTIMES.iter().try_for_each(|runtime| {
        let seen = see("over", runtime)?;
        over(&seen).and_then(|()| check(&seen)).with_context(|| runtime.to_string())
    })
}

fn over(seen: &Seen) -> Result<()> {
    let before = seen.time("before")?;
    for (kind, wanted) in [(REGION, 1), (SliceKind::ImplicitTask, 2)] {
        let found = seen.before(kind, "joined")?;
        let cut = found.iter().filter(|slice| slice.end_mark == Mark::Cut && slice.end < before);
        ensure!((found.len(), cut.count()) == (wanted, wanted), "{kind:?}: {found:?}");
    }
    Ok(())
}
