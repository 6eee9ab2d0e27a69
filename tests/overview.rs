//! Overviews in front of Perfetto's trace processor: what is long is there as it is, and by name there is as much as in
//! the whole trace, to the nanosecond.

mod expected_size;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::crowd;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::peak;
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch};
use serde_json::Value;

/// Programs with every kind of thing on tracks.
const PROGRAMS: &[&str] = &[
    "c/nested",
    "c/fib",
    "c/critical",
    "c/lock_contended",
    "c/task_untied",
    "c/taskgroup",
    "c/for_dynamic",
    "c/task_depend",
    "c/many_roots",
    "c/teams",
];

/// Bytes by which an overview may exceed its limit: the last switches of cores are written when the size of the rest is known,
/// and on a busy machine there are many.
const LAST_SWITCHES: u64 = 10_000;

/// Query for the number and total duration of slices by name, in the trace or in summaries. States are not counted, because a
/// trace that is made in windows has them in more parts.
const SUMS: &str = "select name || ': ' || sum(n) || ' for ' || sum(ns) from ( \
    select name, category not glob 'state*' as n, max(dur, 0) as ns from slice where category not glob '*summary' \
    union all \
    select a.string_value, iif(category glob 'state*', 0, n.int_value), coalesce(t.int_value, 0) from slice \
      join args a on a.arg_set_id = slice.arg_set_id and a.flat_key glob '*sums.name' \
      join args n on n.arg_set_id = a.arg_set_id and n.key = replace(a.key, '.name', '.count') \
      left join args t on t.arg_set_id = a.arg_set_id and t.key = replace(a.key, '.name', '.total_ns') \
      where category glob '*summary') \
    group by name order by name";

/// Query for the slices that are at least as long as the resolution, which the overview shows unchanged.
fn long(resolution: u64) -> String {
    format!(
        "select ts || ' ' || dur || ' ' || slice.name || ' on ' || coalesce(track.name, '') \
         from slice join track on track.id = track_id where dur >= {resolution} \
         and category not glob '*summary' order by 1"
    )
}

fn export(run: &Path, options: &[&str]) -> Result<Value> {
    Product::find()?.export_with(run, options)
}

fn trace(reported: &Value) -> Result<PathBuf> {
    Ok(reported["trace"].as_str().context("a path")?.into())
}

fn judged(reported: &Value) -> Result<Judged> {
    Judged::of(&trace(reported)?, reported.clone(), Value::Null)
}

#[test]
fn sums_are_those_of_the_whole_trace_and_what_is_long_is_as_it_is() {
    let wanted = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    let wrong = crowd::wrong(&runtimes::libomp_19().unwrap(), wanted, check);
    assert!(wrong.is_empty(), "{wrong}");
}

fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])?;
    let mut said = String::new();
    for (run, format) in each_format(traced.scratch.runs()?) {
        let mut whole = judged(&export(&run, &["--format", format, "--detail", "all"])?)?;
        let (sums, slices) = (whole.lines(SUMS)?, whole.count("select count(*) from slice")?);
        for (time, resolution) in [("5us", 5_000), ("300us", 300_000), ("10s", 10_000_000_000)] {
            let reported = export(&run, &["--format", format, "--detail", time])?;
            ensure!(number(&reported, &format!("/overview/{format}/resolution_ns"))? == resolution);
            let mut seen = judged(&reported)?;
            let mut wrong = |what: &str| said += &format!("    {format}, {time}: {what}\n");
            if seen.lines(SUMS)? != sums {
                wrong(&format!("{:?} instead of {sums:?}", seen.lines(SUMS)?));
            }
            if seen.lines(&long(resolution))? != whole.lines(&long(resolution))? {
                wrong("what is long differs");
            }
            if seen.count("select count(*) from slice")? > slices {
                wrong("more slices than in the whole trace");
            }
            for fault in seen.judge().stats_errors()? {
                wrong(&format!("{fault:?}"));
            }
        }
    }
    Ok(said)
}

fn each_format(runs: Vec<PathBuf>) -> impl Iterator<Item = (PathBuf, &'static str)> {
    runs.into_iter().flat_map(|run| [(run.clone(), "perfetto"), (run, "chrome")])
}

#[test]
fn windows_make_an_overview_with_the_same_sums() {
    let wanted = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    let wrong = crowd::wrong(&runtimes::libomp_19().unwrap(), wanted, check_windows);
    assert!(wrong.is_empty(), "{wrong}");
}

/// A window ends where a buffer did.
const SMALL_BUFFERS: (&str, &str) = ("OMPTTRACE_BUFFER", "4K");

/// Compares overviews in windows with the whole trace, of all tracks and exactly: otherwise borders of windows change sums a little.
fn check_windows(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY, SMALL_BUFFERS])?;
    let mut said = String::new();
    for (run, format) in each_format(traced.scratch.runs()?) {
        let all = ["--format", format, "--view", "both", "--detail", "all", "--exact", "--output"];
        let output = |name: &str| run.join(name).to_string_lossy().into_owned();
        let mut whole =
            judged(&export(&run, &[&all[..], &[&output(&format!("{format}-whole"))]].concat())?)?;
        let sums = whole.lines(SUMS)?;
        let size = (number(&whole.export, "/events")? * 16 / 12).max(1).to_string();
        for (time, resolution) in [("5us", 5_000), ("300us", 300_000), ("10s", 10_000_000_000)] {
            let made = |jobs: &str| {
                let output = output(&format!("{format}-{time}-{jobs}"));
                let what = ["--format", format, "--view", "both", "--detail", time, "--exact"];
                let how = ["--window-size", &size, "--jobs", jobs, "--output", &output];
                export(&run, &[&what[..], &how].concat())
            };
            let reported = made("1")?;
            let mut seen = judged(&reported)?;
            let mut wrong = |what: &str| said += &format!("    {format}, {time}: {what}\n");
            if std::fs::read(trace(&made("3")?)?)? != std::fs::read(trace(&reported)?)? {
                wrong("three jobs make another trace");
            }
            if seen.lines(SUMS)? != sums {
                wrong(&format!("{:?} instead of {sums:?}", seen.lines(SUMS)?));
            }
            // What threads do is cut where a window ends.
            let long = long(resolution).replace("order", "and category not glob 'state*' order");
            if seen.lines(&long)? != whole.lines(&long)? {
                wrong("what is long differs");
            }
            for fault in seen.judge().stats_errors()? {
                wrong(&format!("{fault:?}"));
            }
        }
    }
    Ok(said)
}

/// A program with some hundred thousand events.
fn recorded() -> Result<(Scratch, PathBuf)> {
    let program = programs::by_name("c/many_events")?.with(&["50000"]);
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let folder = traced.scratch.only_run()?;
    Ok((traced.scratch, folder))
}

/// A program of these tests, whose recording can be cut into many windows.
fn recorded_in_small_buffers(source: &str) -> Result<(Scratch, PathBuf)> {
    let (program, settings) = (programs::of_test(source)?, [RECORD_ONLY, SMALL_BUFFERS]);
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let folder = traced.scratch.only_run()?;
    Ok((traced.scratch, folder))
}

/// The resolution before one of 1, 2, 5, 10 and so on.
fn finer(resolution: u64) -> u64 {
    if resolution.to_string().starts_with('5') { resolution * 2 / 5 } else { resolution / 2 }
}

#[test]
fn a_trace_keeps_to_its_limit_at_the_finest_resolution_that_does() -> Result<()> {
    let (_scratch, run) = recorded()?;
    let reported = export(&run, &["--detail", "all"])?;
    let size = |reported: &Value| Ok::<_, anyhow::Error>(trace(reported)?.metadata()?.len());
    let whole = size(&reported)?;
    ensure!(whole > 3_000_000, "{whole} bytes are too few for this test");
    let mut all = judged(&reported)?;
    let sums = all.lines(SUMS)?;
    let mut compared = 0;
    for (limit, most) in [("1MB", 1_000_000), ("2MB", 2_000_000)] {
        let reported = export(&run, &["--limit", limit])?;
        let (bytes, kept) =
            (size(&reported)?, number(&reported, "/overview/perfetto/resolution_ns")?);
        // A block under way when the limit is met is not half a trace.
        assert!(bytes <= most + LAST_SWITCHES, "{bytes} of {limit}");
        let about = number(&reported, "/overview/perfetto/whole_bytes")?;
        assert!(about.abs_diff(whole) < whole / 4, "{about} said, {whole} bytes in fact");
        let mut seen = judged(&reported)?;
        assert_eq!(seen.lines(SUMS)?, sums, "{limit}");
        // Nothing finer is tried, and how long slices last depends on the machine.
        if kept == 1_000 {
            continue;
        }
        compared += 1;
        let finer = export(&run, &["--detail", &format!("{}ns", finer(kept))])?;
        assert!(size(&finer)? > most, "{kept} ns is not the finest for {limit}");
    }
    ensure!(compared > 0, "1MB is too much for this test");
    let reported = export(&run, &["--limit", "none"])?;
    assert_eq!((size(&reported)?, reported["overview"]["perfetto"].is_null()), (whole, true));
    let left: Vec<_> = std::fs::read_dir(&run)?.flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
    Ok(())
}

/// The size of a trace of everything is estimated from windows of the whole run: the first ones are no measure of
/// it. Of 64 KiB there are enough that the one in which phases change counts little.
#[test]
fn the_size_of_everything_is_estimated_from_windows_of_the_whole_run() -> Result<()> {
    let (_scratch, run) = recorded_in_small_buffers("tests/overview/phases.c")?;
    let whole = trace(&export(&run, &["--detail", "all"])?)?.metadata()?.len();
    for (format, jobs) in [("perfetto", "1"), ("perfetto", "3"), ("chrome", "2")] {
        let output = run.join(format!("{format}-{jobs}")).to_string_lossy().into_owned();
        let how = ["--limit", "1MB", "--window-size", "65536", "--format", format];
        let made = ["--jobs", jobs, "--output", &output];
        let reported = export(&run, &[&how[..], &made].concat())?;
        ensure!(trace(&reported)?.metadata()?.len() <= 1_000_000 + LAST_SWITCHES, "{reported}");
        let about = number(&reported, &format!("/overview/{format}/whole_bytes"))?;
        if format == "perfetto" {
            ensure!(about.abs_diff(whole) < whole / 4, "{about} said, {whole} bytes in fact");
        }
    }
    let [one, three] = ["perfetto-1", "perfetto-3"].map(|name| std::fs::read(run.join(name)));
    ensure!(one? == three?, "three jobs make another trace");
    Ok(())
}

/// A few windows say how large a trace will be at each resolution (`cli/src/forecast.rs`): the finest that fits is kept.
#[test]
fn a_few_windows_find_the_finest_resolution_that_fits() -> Result<()> {
    let (_scratch, run) = recorded_in_small_buffers("tests/overview/tasks.c")?;
    for format in ["perfetto", "chrome"] {
        let made = |how: [&str; 2]| {
            let output = run.join(how[1]).with_extension(format).to_string_lossy().into_owned();
            let what = ["--format", format, "--window-size", "32768", "--output", &output];
            let reported = export(&run, &[&what[..], &how].concat())?;
            Ok::<_, anyhow::Error>((trace(&reported)?.metadata()?.len(), reported))
        };
        let sizes = [("1us", 1_000), ("2us", 2_000), ("5us", 5_000), ("10us", 10_000)];
        let sizes = sizes.map(|(time, resolution)| Ok((resolution, made(["--detail", time])?.0)));
        let sizes = sizes.into_iter().collect::<Result<Vec<_>>>()?;
        // Each limit is a tenth larger than the one before, from the least that is allowed.
        let limits = std::iter::successors(Some(1_500), |limit: &u64| Some(limit * 11 / 10));
        let limits: Vec<_> = limits.take_while(|limit| *limit < 2 * sizes[0].1 / 1_000).collect();
        ensure!(limits.len() > 2, "the traces are too small for this test: {sizes:?}");
        for limit in limits {
            let (bytes, reported) = made(["--limit", &format!("{limit}kB")])?;
            let kept = match &reported["overview"][format] {
                Value::Null => 0,
                overview => overview["resolution_ns"].as_u64().context("a resolution")?,
            };
            // On a busy machine estimates were up to a quarter too large.
            let fits = |size: u64| size <= limit * 1_000 * 2 / 3;
            let is_finest = sizes.iter().all(|(finest, size)| !fits(*size) || kept <= *finest);
            let said = format!("{format}, {limit} kB: {kept} ns, {bytes} bytes; {sizes:?}");
            ensure!(is_finest && bytes <= limit * 1_000 + LAST_SWITCHES, said);
        }
    }
    Ok(())
}

/// A run that cannot be cut into windows is one, however long it is: what is drawn of it is not kept until its end.
#[test]
fn a_run_in_one_window_takes_hardly_more_memory() -> Result<()> {
    let (_scratch, run) = recorded()?;
    let whole = trace(&export(&run, &["--detail", "all"])?)?.metadata()?.len();
    let peak = |name: &str, window: &str| {
        let output = run.join(name).to_string_lossy().into_owned();
        peak_of(&run, &["--limit", "1MB", "--window-size", window, "--output", &output])
    };
    let (usual, one) = (peak("usual", "1048576")?, peak("one", "1000000000")?);
    ensure!(one < usual + whole * 2 / 3, "{one} bytes instead of {usual}, for {whole} of trace");
    for name in ["usual", "one"] {
        let bytes = run.join(name).metadata()?.len();
        ensure!(
            (200_000..=1_000_000 + LAST_SWITCHES).contains(&bytes),
            "{name}: {bytes} bytes of at most 1 MB"
        );
    }
    Ok(())
}

/// An export whose trace cannot be written neither produces more output nor keeps it in memory.
#[test]
fn a_trace_that_cannot_be_written_takes_hardly_more_memory() -> Result<()> {
    let (_scratch, run) = recorded()?;
    let whole = trace(&export(&run, &["--detail", "all"])?)?.metadata()?.len();
    let peak = |file_limit: &str| {
        let output = run.join(file_limit).to_string_lossy().into_owned();
        let how = ["--limit", "10MB", "--window-size", "1000000000", "--output", &output];
        peak_with(file_limit, &run, &how)
    };
    let (written, failed) = (peak("unlimited")?, peak("100")?);
    ensure!((written.1, failed.1) == (true, false));
    ensure!(failed.0 < written.0 + whole / 3, "{failed:?} and {written:?}, of {whole}");
    Ok(())
}

/// The largest memory of an export, in bytes.
fn peak_of(run: &Path, options: &[&str]) -> Result<u64> {
    let (peak, is_written) = peak_with("unlimited", run, options)?;
    ensure!(is_written);
    Ok(peak)
}

/// Peak memory in bytes of an export whose files may have so many blocks (`ulimit -f`), and true if the export succeeded.
fn peak_with(file_limit: &str, run: &Path, options: &[&str]) -> Result<(u64, bool)> {
    let mut export = Command::new("sh");
    process::without_settings(&mut export);
    export.args(["-c", &format!("ulimit -f {file_limit}; exec \"$0\" \"$@\"")]);
    export.arg(Product::find()?.program).args(["export", "--quiet"]);
    peak::of(export.arg(run).args(options))
}

#[test]
fn a_window_of_a_large_run_is_an_overview_as_well_and_may_be_everything() -> Result<()> {
    let (_scratch, run) = recorded()?;
    let reported = export(&run, &["--limit", "1MB", "--from", "0s"])?;
    let resolution = number(&reported, "/overview/perfetto/resolution_ns")?;
    assert!(trace(&reported)?.metadata()?.len() <= 1_000_000 + LAST_SWITCHES && resolution > 0);
    let begin = number(&reported, "/windows/0/from_ns")?;
    let end = format!("{}ns", begin + 2_000_000);
    let reported = export(&run, &["--limit", "1MB", "--to", &end])?;
    assert!(reported["overview"]["perfetto"].is_null(), "{reported}");
    Ok(())
}

/// `OMPTTRACE_LIMIT` is what the trace at the end of the program is made with, and the closing line says so.
#[test]
fn the_programs_own_trace_keeps_to_the_limit() -> Result<()> {
    let program = programs::by_name("c/many_tasks")?.with(&["20000"]);
    let limit = [("OMPTTRACE_LIMIT", "1MB")];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &limit)?;
    let trace = traced.scratch.only_run()?.join("trace.pftrace");
    assert!(trace.metadata()?.len() <= 1_000_000 + LAST_SWITCHES);
    let said = ["an overview: slices shorter than ", "--detail all", "--from"];
    assert!(said.iter().all(|words| traced.run.stderr.contains(words)), "{}", traced.run.stderr);
    let faults = Judged::of(&trace, Value::Null, Value::Null)?.judge().stats_errors()?;
    assert_eq!(faults, []);
    Ok(())
}

/// Every open slice is shown at the end of a window: with many threads an overview is made in fewer windows than fit its memory,
/// which makes the overview smaller. The resolution is so long that no slice of the run is shown by itself on any machine.
#[test]
fn an_overview_of_many_threads_is_made_in_few_windows() -> Result<()> {
    let (_scratch, run) = recorded_in_small_buffers("tests/overview/many_threads.c")?;
    let size = |name: &str, how: &[&str]| {
        let output = run.join(name).to_string_lossy().into_owned();
        let what = ["--detail", "100s", "--output", &output];
        Ok::<_, anyhow::Error>(trace(&export(&run, &[&what[..], how].concat())?)?.metadata()?.len())
    };
    // A megabyte is the usual window of everything.
    let (usual, many) = (size("usual", &[])?, size("many", &["--window-size", "1048576"])?);
    ensure!(usual < many, "{usual} bytes, {many} in windows of a megabyte");
    Ok(())
}
