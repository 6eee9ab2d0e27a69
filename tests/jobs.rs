//! Traces that several threads make, each a window of the recording: the same bytes however many there are, and what one
//! window of all of it shows.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::crowd;
use ompttrace_tests::in_windows::InWindows;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::no_threads;
use ompttrace_tests::otf2_in_windows;
use ompttrace_tests::peak;
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use serde_json::Value;

/// Programs with every kind of thing on tracks. The last one shows what is only followed from the begin of a recording
/// on: it is one window.
const PROGRAMS: &[&str] = &[
    "c/nested",
    "c/fib",
    "c/critical",
    "c/lock_contended",
    "c/nest_locks",
    "c/task_untied",
    "c/taskgroup",
    "c/for_dynamic",
    "c/sections",
    "c/teams",
    "c/many_roots",
    "c/short_regions",
    "c/task_depend",
];

/// Every slice, with all its arguments, except for state tracks: a border cuts those.
pub(crate) const SLICES: &str = "select ts || ' ' || dur || ' ' || coalesce(track.name, '') || ' ' || depth || ' ' || slice.name \
    from slice join track on track.id = track_id where category not glob 'state*' order by 1";
pub(crate) const DETAILS: &str = "select ts || ' ' || key || ' ' || coalesce(string_value, int_value) \
    from slice join args on args.arg_set_id = slice.arg_set_id \
    where category not glob 'state*' and (key glob 'debug.*' or key glob 'source.*') order by 1";
/// Query for the time of each thread's states, in nanoseconds.
pub(crate) const STATES: &str = "select name || ' ' || sum(dur) from slice where category glob 'state*' \
    group by track_id, name order by min(ts), name, sum(dur)";
/// Query for the values of each counter, and the times for which it had each, in nanoseconds.
pub(crate) const COUNTERS: &str = "select track.name || ' ' || value || ' ' || sum(next - ts) from ( \
    select ts, value, track_id, coalesce(lead(ts) over (partition by track_id order by ts), ts) as next \
    from counter) join track on track.id = track_id where value != 0 group by track.name, value order by 1";

/// Every arrow, from where to where; times from the first one on, since formats begin with others. From hold to hold of a
/// lock there is one where somebody has waited for it so far, which a window does not know.
pub(crate) const ARROWS: &str = "with arrows as (select a.ts as at, a.name as one, b.ts as until, b.name as other \
    from flow join slice a on a.id = slice_out join slice b on b.id = slice_in \
    where a.category != 'openmp.mutex'), \
    first as (select min(at) as first from arrows) \
    select (at - first) || ' ' || one || ' ' || (until - first) || ' ' || other from arrows, first order by 1";

/// A window ends where a buffer did.
pub(crate) const SMALL_BUFFERS: (&str, &str) = ("OMPTTRACE_BUFFER", "4K");

/// Traces that were made in windows.
static IN_WINDOWS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn what_is_made_in_windows_does_not_depend_on_the_number_of_threads() {
    let wanted = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    let wrong = crowd::wrong(&runtimes::libomp_19().unwrap(), wanted, check);
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(IN_WINDOWS.load(Ordering::Relaxed), 2 * (PROGRAMS.len() - 1));
}

#[test]
fn archives_made_in_windows_do_not_depend_on_the_number_of_threads() {
    let wanted = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    let several = AtomicUsize::new(0);
    let wrong = crowd::wrong(&runtimes::libomp_19().unwrap(), wanted, |program, runtime| {
        let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY, SMALL_BUFFERS])?;
        let are_several = otf2_in_windows::check(&traced.scratch.only_run()?)?;
        several.fetch_add(usize::from(are_several), Ordering::Relaxed);
        Ok(String::new())
    });
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(several.into_inner(), PROGRAMS.len() - 1);
}

/// A task that its group discards is over in another window than it was made in, and runs in none.
#[test]
fn tasks_that_never_run_end_in_archives_made_in_windows() -> Result<()> {
    let program = programs::of_test("tests/jobs/discarded.c")?;
    let libomp = runtimes::libomp_19()?;
    let traced = traced::run(&program, &libomp, By::Runtime, &[RECORD_ONLY, SMALL_BUFFERS])?;
    ensure!(otf2_in_windows::check(&traced.scratch.only_run()?)?, "one window");
    Ok(())
}

/// A thread may have waited for the tool until shortly before a border, and have its next record after it.
#[test]
fn states_take_as_long_wherever_windows_begin() -> Result<()> {
    let program = programs::by_name("c/fib")?;
    let libomp = runtimes::libomp_19()?;
    let traced = traced::run(&program, &libomp, By::Runtime, &[RECORD_ONLY, SMALL_BUFFERS])?;
    let run = traced.scratch.only_run()?;
    let states = |window: u64| {
        let window = window.to_string();
        let output = run.join(&window).to_string_lossy().into_owned();
        let how = ["--exact", "--detail", "all", "--window-size", &window, "--output", &output];
        judged(Product::find()?.export_with(&run, &how)?)?.lines(STATES)
    };
    let whole = states(1 << 40)?;
    ensure!(whole.len() > 2, "{whole:?}");
    for window in (1_000..7_000).step_by(200) {
        let (whole, parts) = (&whole, states(window)?);
        ensure!(*whole == parts, "{window} bytes: {parts:?} instead of {whole:?}");
    }
    Ok(())
}

/// Each of several formats is made in the windows in which it is made alone.
#[test]
fn formats_made_at_once_are_the_same_as_each_alone() -> Result<()> {
    let traced = traced::run(
        &programs::by_name("c/fib")?,
        &runtimes::libomp_19()?,
        By::Runtime,
        &[RECORD_ONLY, SMALL_BUFFERS],
    )?;
    let (run, product) = (traced.scratch.only_run()?, Product::find()?);
    let windows = ["--window-size", "8192", "--detail", "all", "--format"];
    product.export_with(&run, &[&windows[..], &["perfetto,chrome"]].concat())?;
    for (format, made) in [("perfetto", "trace.pftrace"), ("chrome", "trace.json")] {
        let alone = run.join(format);
        let output = ["--output", alone.to_str().context("a path in UTF-8")?];
        product.export_with(&run, &[&windows[..], &[format], &output].concat())?;
        ensure!(fs::read(run.join(made))? == fs::read(alone)?, "{made} is another one");
    }
    Ok(())
}

/// Where no thread can be started, the output of each window, or of each part of one, is written before the next is made.
#[test]
fn without_threads_memory_does_not_follow_the_run() -> Result<()> {
    let program = programs::by_name("c/many_events")?.with(&["50000"]);
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let shim = no_threads::library()?;
    let peak = |preload: &str, window: &str| -> Result<u64> {
        let mut export = Command::new(Product::find()?.program);
        process::without_settings(&mut export);
        export.env("LD_PRELOAD", preload).args(["export", "--quiet", "--detail", "all"]);
        let (peak, is_written) = peak::of(export.args(["--window-size", window]).arg(&run))?;
        ensure!(is_written);
        Ok(peak)
    };
    let (shim, one_window) = (shim.to_string_lossy(), (1u64 << 40).to_string());
    for window in ["100000", &one_window] {
        let (usual, alone) = (peak("", window)?, peak(&shim, window)?);
        let whole = run.join("trace.pftrace").metadata()?.len();
        ensure!(alone < usual + whole / 3, "{window}: {alone} instead of {usual}, of {whole}");
    }
    Ok(())
}

fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY, SMALL_BUFFERS])?;
    let run = traced.scratch.only_run()?;
    let mut arrows: Vec<Vec<String>> = Vec::new();
    for (format, view) in
        [("perfetto", "both"), ("perfetto", "auto"), ("chrome", "both"), ("chrome", "auto")]
    {
        let made = InWindows::of(&run, format, view)?;
        ensure!(made.said.is_empty(), "{format}, {view}: {}", made.said);
        let (mut whole, mut parts) = (judged(made.whole)?, judged(made.parts)?);
        let wrong = parts.judge().stats_errors()?;
        ensure!(wrong.is_empty(), "{format}, {view}: {wrong:?}");
        let mut same = |what: &str, sql: &str| -> Result<()> {
            let (whole, parts) = (whole.lines(sql)?, parts.lines(sql)?);
            let differ = whole.iter().zip(&parts).find(|(whole, parts)| whole != parts);
            let counts = (whole.len(), parts.len());
            ensure!(
                counts.0 == counts.1 && differ.is_none(),
                "{format}, {view}: {what} {counts:?} {differ:?}"
            );
            Ok(())
        };
        same("states", STATES)?;
        same("counters", COUNTERS)?;
        // Where not all of a logical thread is drawn, what is drawn depends on where windows begin.
        if view == "both" {
            same("slices", SLICES)?;
            same("details", DETAILS)?;
            same("arrows", ARROWS)?;
            arrows.push(whole.lines(ARROWS)?);
            IN_WINDOWS.fetch_add(usize::from(made.are_several), Ordering::Relaxed);
        }
    }
    // To Perfetto an arrow is a number that events share, Chrome's have a history.
    ensure!(arrows[0] == arrows[1], "Chrome's arrows are others: {:?}", differing(&arrows));
    Ok(String::new())
}

fn differing(arrows: &[Vec<String>]) -> Option<(&String, &String)> {
    arrows[0].iter().zip(&arrows[1]).find(|(one, other)| one != other)
}

fn judged(reported: Value) -> Result<Judged> {
    let trace = reported["trace"].as_str().context("a path")?.to_owned();
    Judged::of(Path::new(&trace), reported, Value::Null)
}
