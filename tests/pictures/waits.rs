//! Waits, and events that end them, that runtimes report indirectly or not at all:
//! cancelled loops, taskwaits with dependences, detached tasks, consecutive tests of locks.

use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::judged::{Judged, dropped};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{build, otf2_judge};
use serde_json::Value;

/// The recording of a program on this runtime, or on libgomp; opened by the judge.
fn on(program: &Program, runtime: Option<&Runtime>) -> Result<(traced::Scratch, Judged)> {
    let traced = match runtime {
        Some(runtime) => traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])?,
        None => traced::run_as_linked(&program.by_gcc(), By::Gomp, &[RECORD_ONLY])?,
    };
    ensure!(traced.run.last_line() == program.last_line(), "{:?}", traced.run);
    let judged = Judged::open(&traced.scratch.only_run()?)?;
    Ok((traced.scratch, judged))
}

/// libomp, Intel's runtime where it exists, libgomp.
fn everywhere() -> Result<Vec<Option<Runtime>>> {
    let mut all = vec![Some(runtimes::libomp_19()?), None];
    if cfg!(target_arch = "x86_64") {
        all.push(Some(runtimes::by_name("intel-2026")?));
    }
    Ok(all)
}

#[test]
fn nothing_but_its_chunks_is_inside_of_a_cancelled_construct() -> Result<()> {
    for runtime in everywhere()? {
        for (name, word) in [("c/cancel_for", "for dynamic*"), ("c/cancel_sections", "sections*")] {
            let program = programs::by_name(name)?;
            let (_folder, mut judged) = on(&program, runtime.as_ref())?;
            ensure!(dropped(&judged.export)?.is_empty(), "{}", judged.export);
            let inside = judged.lines(&format!(
                "select distinct what(s.name) from slice s join ancestor_slice(s.id) a \
                 where what(a.name) glob '{word}' order by 1"
            ))?;
            // A thread may wait anywhere for its own buffer to be written.
            let known = ["cancel", "chunk", "section", "wait: atomic", "wait: tracing tool"];
            let strange = inside.iter().find(|name| !known.contains(&name.as_str()));
            ensure!(strange.is_none(), "{name} on {runtime:?}: {strange:?} in {inside:?}");
            let ended = judged
                .count(&format!("select count(*) from slice where what(name) glob '{word}'"))?;
            ensure!(ended >= u64::from(program.directives.threads), "{name}: {ended}");
        }
    }
    Ok(())
}

#[test]
fn a_taskwait_with_dependences_is_a_wait_in_every_format() -> Result<()> {
    let program = programs::by_name("c/taskwait_depend")?;
    for runtime in everywhere()? {
        let (folder, mut judged) = on(&program, runtime.as_ref())?;
        let waits = "select count(*) from slice w join slice t on t.id = w.parent_id \
                     join track on track.id = w.track_id left join track p on p.id = track.parent_id \
                     where what(w.name) = 'wait: taskwait' and what(t.name) = 'taskwait' and p.name is null";
        ensure!(judged.count(waits)? >= 1, "{runtime:?}");
        let run = folder.only_run()?;
        let mut report = Command::new(Product::find()?.program);
        let output = build::run(report.args(["report", "--json"]).arg(&run), "")?;
        let report: Value = serde_json::from_slice(&output)?;
        ensure!(number(&report, "/times/wait_taskwait")? > 0, "{runtime:?}: {}", report["times"]);
        let mut export = Command::new(Product::find()?.program);
        build::run(export.args(["export", "--json", "--format", "otf2"]).arg(&run), "")?;
        let archive = otf2_judge::check(&run.join("trace-otf2"))?;
        let mut regions = archive.regions.iter().filter(|region| region.role == "TASK_WAIT");
        ensure!(regions.any(|region| region.active_ns > 0), "{runtime:?}: {:?}", archive.regions);
    }
    Ok(())
}

#[test]
fn the_completion_of_a_detached_task_ends_the_wait_for_it() -> Result<()> {
    let program = programs::of_test("tests/pictures/detached.c")?;
    let (_folder, mut judged) = on(&program, Some(&runtimes::libomp_19()?))?;
    let from = |from: &str| {
        format!(
            "select count(*) from flow join slice a on a.id = slice_out join slice b on \
             b.id = slice_in where what(a.name) = '{from}' and what(b.name) glob 'task *'"
        )
    };
    assert_eq!(judged.count(&from("detached task complete"))?, 1);
    let body = "select count(*) from flow join slice a on a.id = slice_out join slice b on \
                b.id = slice_in where what(a.name) glob 'task *' and what(b.name) glob 'task *'";
    assert_eq!(judged.count(body)?, 0);
    Ok(())
}

#[test]
fn a_spin_on_a_lock_is_one_slice_with_a_count() -> Result<()> {
    let program = programs::of_test("tests/pictures/spin_on_lock.c")?;
    for runtime in [Some(runtimes::libomp_19()?), None] {
        let (_folder, mut judged) = on(&program, runtime.as_ref())?;
        let tests = judged.lines(
            "select case when what(s.name) glob 'test failed: nest lock *' then 'nest' else 'plain' end, sum(coalesce(extract_arg(s.arg_set_id, \
             'debug.count'), 1)), count(*) < 20 from slice s join thread_track on thread_track.id = \
             s.track_id where what(s.name) glob 'test failed: *' group by 1 order by 1 desc",
        )?;
        // A drain in between makes two of one.
        assert_eq!(tests, ["plain|1000|1", "nest|501|1"]);
    }
    Ok(())
}
