//! Process, threads, flows, annotations, locations: what a user sees in a slice.

use anyhow::Result;
use ompttrace_model::ompt;
use ompttrace_model::{Mark, SliceKind, ThreadInfo};
use ompttrace_perfetto::View;

use crate::fake::{REALTIME_OFFSET, START, threads};
use crate::judge::{VIEWS, judge, judge_threads};
use crate::stencil::play;

#[test]
fn process_and_threads_are_named() -> Result<()> {
    let mut judged = judge(View::Threads, |fake| play(fake, START, 1))?;
    let process = judged.lines(
        "select name, pid, cmdline, extract_arg(arg_set_id, 'chrome.process_label[0]') from process \
         where pid = 4711",
    )?;
    let version = "LLVM OMP version: 5.0.20140926";
    assert_eq!(process, [format!("stencil|4711|stencil -n 100|{version}")]);
    let threads = judged
        .lines("select name, tid, is_main_thread from thread where upid != 0 order by tid desc")?;
    assert_eq!(
        threads,
        ["worker 1|4799|0", "worker 2|4798|0", "worker 3|4797|0", "initial|4711|1"]
    );
    let clock = judged.number(&format!(
        "select clock_value from clock_snapshot where clock_name = 'REALTIME' and ts = {START}"
    ))?;
    assert_eq!(clock, START.wrapping_add_signed(REALTIME_OFFSET));
    Ok(())
}

#[test]
fn a_kernel_id_that_is_used_again_is_another_thread() -> Result<()> {
    let again =
        ThreadInfo { number: 4, os_thread: 4799, kind: ompt::Thread::Worker, name: "io".into() };
    let mut all = threads(4);
    all.push(again);
    let mut judged = judge_threads(View::Threads, &all, |fake| {
        for thread in [1, 4] {
            let executor = fake.on(thread, "0.1");
            let slice = fake.slice(SliceKind::ImplicitTask, "implicit", 1);
            fake.begin(START + u64::from(thread) * 100, executor, &slice);
            fake.end(START + u64::from(thread) * 100 + 50, executor, Mark::Observed);
        }
    })?;
    judged.assert_sound()?;
    let tracks = judged.lines(
        "select distinct s.track_id is not null, th.tid, th.name from slice s join thread_track t \
         on t.id = s.track_id join thread th using (utid) order by s.ts",
    )?;
    assert_eq!(tracks, ["1|4799|worker 1", "1|4799|io (worker 4)"]);
    Ok(())
}

#[test]
fn flows_stand_once_in_every_view() -> Result<()> {
    let mut counts = Vec::new();
    for view in VIEWS {
        let mut judged = judge(view, |fake| play(fake, START, 2))?;
        judged.assert_sound()?;
        let forks = judged.number(
            "select count(*) from flow join slice a on a.id = slice_out join slice b on \
             b.id = slice_in where a.name glob '* parallel*' and b.name glob '* implicit task*' and \
             a.ts < b.ts",
        )?;
        // Four regions of four threads, one of two, and two of two inside.
        assert_eq!(forks, 2 * (4 * 3 + 1 + 2), "{view:?}");
        let tasks = judged.number(
            "select count(*) from flow join slice a on a.id = slice_out join slice b on \
             b.id = slice_in where (a.name glob '* create task*' or a.name = b.name) and \
             b.name glob '*:?? task *'",
        )?;
        assert_eq!(tasks, 2 * 12 * 2, "{view:?}");
        counts.push(judged.number("select count(*) from flow")?);
    }
    assert_eq!(counts, [counts[0]; 3]);
    Ok(())
}

#[test]
fn slices_have_their_arguments() -> Result<()> {
    let mut judged = judge(View::Both, |fake| play(fake, START, 1))?;
    let categories = judged
        .lines("select distinct category from slice where category glob 'openmp.*' order by 1")?;
    let expected = ["mutex", "parallel", "sync", "task", "work"];
    assert_eq!(categories, expected.map(|family| format!("openmp.{family}")));
    for (key, value, name, least) in [
        ("debug.location", "stencil.c:42", "stencil.c:42 parallel*", 1),
        ("source.file_name", "/home/me/src/stencil.c", "* for static*", 1),
        ("source.function_name", "heat_step", "* wait: barrier*", 1),
        ("source.line_number", "62", "* chunk", 1),
        ("debug.region", "0.1", "* parallel*", 1),
        ("debug.end", "inferred", "* implicit task*", 3),
        ("debug.logical thread", "0.3", "* implicit task*", 1),
        ("debug.thread", "worker 3", "* implicit task*", 1),
        ("debug.thread", "worker 2", "* critical update", 1),
        ("debug.logical thread", "0.2", "* critical update", 1),
        ("debug.segment", "resumed", "* task *", 12),
        ("debug.first", "224", "* chunk", 4),
    ] {
        let found = judged.number(&format!(
            "select count(*) from slice join args using (arg_set_id) where name glob '{name}' \
             and flat_key = '{key}' and display_value = '{value}'"
        ))?;
        assert!(found >= least, "{key} = {value} on {name}: {found}");
    }
    let coloured = "select count(*) from args where flat_key = 'correlation_id'";
    assert_eq!(judged.number(coloured)?, 0, "tasks are coloured by construct, not one by one");
    let uncertain = judged.number(
        "select count(*) from args where flat_key = 'debug.certainty' or flat_key glob 'debug.*?'",
    )?;
    assert_eq!(
        uncertain,
        judged.number("select count(*) from args where flat_key glob 'debug.*?'")?
    );
    Ok(())
}
