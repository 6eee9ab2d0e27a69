//! Windows and parts of runs in front of the judges: each is sound, and shows what the whole trace shows
//! in that time.

mod long;

use std::fmt::Write;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use ompttrace_recording::{Recording, folder};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_tests::{crowd, otf2_judge};
use ompttrace_timeline::{Clock, span_of};
use serde_json::Value;

/// Query for the total duration in nanoseconds and the number of slices with a duration, on threads and logical threads.
const LASTING: &str = "select cast(sum(dur) as int) || ' in ' || count(*) from slice where dur > 0 \
    and category glob 'openmp.*'";

/// Exports a run with all logical threads, as the counts include them.
fn export(run: &Path, options: &[&str]) -> Result<Value> {
    Product::find()?.export_with(run, &[&["--view", "both"], options].concat())
}

fn path(value: &Value) -> Result<PathBuf> {
    Ok(value.as_str().context("a path")?.into())
}

fn judged(trace: &Path, export: &Value) -> Result<Judged> {
    Judged::of(trace, export.clone(), Value::Null)
}

/// Query for the same sums of the parts of a whole trace's slices between two times.
fn lasting_between(from: u64, to: u64) -> String {
    format!(
        "select cast(sum(min(ts + dur, {to}) - max(ts, {from})) as int) || ' in ' || count(*) \
         from slice where ts < {to} and ts + dur > {from} and dur > 0 and category glob 'openmp.*'"
    )
}

/// Programs with every kind of thing that may be open where a window begins.
const PROGRAMS: &[&str] = &[
    "c/nested",
    "c/fib",
    "c/critical",
    "c/lock_contended",
    "c/task_untied",
    "c/taskgroup",
    "c/for_dynamic",
    "c/nest_locks",
    "c/many_roots",
    "c/teams",
    "c/root_outlives_main",
];

#[test]
fn windows_show_what_the_whole_shows() {
    let wanted = |program: &Program| PROGRAMS.contains(&program.name.as_str());
    let wrong = crowd::wrong(&runtimes::libomp_19().unwrap(), wanted, check);
    assert!(wrong.is_empty(), "{wrong}");
}

fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])?;
    let mut said = String::new();
    for run in traced.scratch.runs()? {
        said += &wrong_in(&run)?;
    }
    Ok(said)
}

fn wrong_in(run: &Path) -> Result<String> {
    let reported = export(run, &[])?;
    let whole_records = reported["records"].clone();
    let mut whole = judged(&path(&reported["trace"])?, &reported)?;
    let span = whole.lines(
        "select coalesce(min(ts), 0) || ' ' || coalesce(max(ts + dur), 0) from slice where dur > 0",
    )?;
    let (first, last) = span[0].split_once(' ').context("two times")?;
    let (first, last): (u64, u64) = (first.parse()?, last.parse()?);
    let begin = whole.count("select start_ts from process where start_ts is not null limit 1")?;
    if last - first < 1_000 {
        return Ok(String::new());
    }
    let mut said = String::new();
    for (from, to) in [(first + (last - first) / 3, first + (last - first) / 2), (first, last)] {
        let expected = whole.lines(&lasting_between(from, to))?;
        let (from, to) = (format!("{}ns", from - begin), format!("{}ns", to - begin));
        let options = ["--from", &from, "--to", &to, "--format", "perfetto,chrome,otf2"];
        let reported = export(run, &options)?;
        let traces = reported["traces"].as_array().context("traces")?;
        let mut seen = judged(&path(&traces[0])?, &reported)?;
        let shown = seen.lines(LASTING)?;
        if shown != expected && expected != ["[NULL]"] {
            writeln!(said, "    {from} to {to}: {shown:?} instead of {expected:?}")?;
        }
        let records = &reported["records"];
        let [read, whole] = [records, &whole_records].map(|records| records["read"].as_u64());
        let skipped = records["skipped"].as_u64().context("a number")?;
        if read.map(|read| read + skipped) > whole {
            writeln!(said, "    {records} of {whole_records}")?;
        }
        said += &faults(&mut seen)?;
        said += &counts(&mut seen, &reported)?;
        let mut chrome = judged(&path(&traces[1])?, &reported)?;
        said += &faults(&mut chrome)?;
        let archive = path(&traces[2])?;
        for breach in otf2_judge::judge(archive.parent().context("a folder")?)?.breaches {
            // A window may end before a task that was made in it has run, and while a lock is held.
            if !breach.kind.ends_with("-open-at-end") {
                writeln!(said, "    {from} to {to}: {breach:?}")?;
            }
        }
    }
    Ok(said)
}

/// Records before a window are not interpreted one by one, and records after it are not read at all.
#[test]
fn a_window_costs_what_it_shows() -> Result<()> {
    let program = programs::by_name("c/many_events")?.with(&["50000"]);
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let reported = export(&run, &["--detail", "all"])?;
    let (whole, trace) = (number(&reported, "/records/read")?, path(&reported["trace"])?);
    let mut seen = judged(&trace, &reported)?;
    // How long the process took to come to its locks, or to end after them, does not matter.
    let mut of_locks = |what: &str| {
        seen.count(&format!("select {what} from slice where name glob '*wait: lock*'"))
    };
    let (first, last) = (of_locks("min(ts)")?, of_locks("max(ts)")?);
    let begin = seen.count("select start_ts from process where start_ts is not null limit 1")?;
    let [from, to] = [5, 6].map(|tenths| first - begin + (last - first) * tenths / 10);
    let expected = seen.lines(&lasting_between(begin + from, begin + to))?;
    let [from, to] = [from, to].map(|time| format!("{time}ns"));
    let reported = export(&run, &["--from", &from, "--to", &to])?;
    let [read, skipped] =
        ["read", "skipped"].map(|what| number(&reported, &format!("/records/{what}")));
    let (read, skipped) = (read?, skipped?);
    assert!(skipped > 0 && read + skipped < whole, "{read} and {skipped} of {whole}");
    assert_eq!(judged(&path(&reported["trace"])?, &reported)?.lines(LASTING)?, expected);
    Ok(())
}

/// A pass over a large recording leaves an index, by which a window is found and nothing before it is read; whatever
/// becomes of the index, the window is the same.
#[test]
fn a_window_is_the_same_by_the_index() -> Result<()> {
    let program = programs::of_test("tests/windows/many_tasks.c")?;
    let settings = [RECORD_ONLY, ("OMPTTRACE_CORES", "off")];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let run = traced.scratch.only_run()?;
    let index = run.join("timeline.index");
    let exported = export(&run, &[])?;
    let whole = number(&exported, "/records/read")?;
    let sound = fs::read(&index).with_context(|| format!("no index was left: {exported}"))?;
    let span = Recording::open(&run)?;
    // Not by time: some rounds take longer than others.
    let cuts = span.cuts(1 << 20, u64::MAX);
    let cut = cuts[cuts.len() * 7 / 10];
    let from = Clock::of(&span).nanoseconds(cut) - span_of(&span).0 - 1;
    let window = |name: &str| -> Result<Vec<u8>> {
        let (from, output) = (format!("{from}ns"), run.join(name));
        let options = ["--from", &from, "--detail", "all", "--output"];
        let output = output.to_str().context("a path")?;
        let reported = export(&run, &[&options[..], &[output]].concat())?;
        ensure!(number(&reported, "/records/read")? < whole / 2, "{name}: {reported}");
        Ok(fs::read(output)?)
    };
    let by_index = window("by_index.pftrace")?;
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 1;
    fs::write(&index, damaged)?;
    assert!(window("by_damaged_index.pftrace")? == by_index, "the index was damaged");
    fs::remove_file(&index)?;
    assert!(window("by_nothing.pftrace")? == by_index, "there is no index");
    fs::write(&index, &sound)?;
    // Nobody looks there: otherwise it would be noticed.
    damage_before(&run, &span, cut)?;
    assert!(window("by_index_alone.pftrace")? == by_index, "what is before was read");
    fs::remove_file(&index)?;
    let noticed = window("by_damaged_recording.pftrace");
    assert!(noticed.is_err() || noticed? != by_index, "nothing was damaged");
    Ok(())
}

/// Writes zeros over records well before a time, in ticks: of each thread, because one may have come to most of its
/// events only after the others were done.
fn damage_before(run: &Path, span: &Recording, cut: u64) -> Result<()> {
    let mut damaged = 0;
    for (index, thread) in span.threads.iter().enumerate() {
        let mut stream = span.stream(index);
        let (mut before, mut records) = (0, 0);
        while let Some(ticks) = stream.next_ticks() {
            before += u64::from(ticks < cut);
            records += 1;
            stream.take(|_| ());
        }
        let stripe = thread.number as usize % folder::STRIPES;
        let path = run.join(format!("{}{stripe}", folder::EVENTS));
        let events = File::options().write(true).open(path)?;
        let known = events.metadata()?;
        let bytes = known.len() * before / records.max(1);
        // Of less than a few chunks, the window may need the last one.
        if bytes > 4 << 20 {
            events.write_all_at(&vec![0; (bytes / 10) as usize], bytes / 4)?;
            events.set_modified(known.modified()?)?;
            damaged += 1;
        }
    }
    ensure!(damaged > 0, "no thread has enough records before the window");
    Ok(())
}

/// `ompttrace view --region LOCATION --instance N` shows that execution of the region, whole.
#[test]
fn a_region_is_viewed_by_its_location() -> Result<()> {
    let program = programs::by_name("c/parallel_forms")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let reported = export(&run, &[])?;
    let mut whole = judged(&path(&reported["trace"])?, &reported)?;
    let regions = "select s.dur || ' ' || s.name from slice s join track t \
                   on t.id = s.track_id where t.name = 'level 1' order by s.ts";
    let regions = whole.lines(regions)?;
    let last = regions.last().context("a region")?;
    let (_, location) = last.split_once(' ').context("a location")?;
    let location = location.split(' ').next().context("a location")?;
    let instance = regions.iter().filter(|region| region.contains(location)).count();
    let view = |location: &str, instance: String| -> Result<std::process::Child> {
        let mut command = Command::new(&Product::find()?.program);
        command
            .args(["view", "--port", "0", "--region", location, "--instance", &instance])
            .arg(&run);
        Ok(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
    };
    let mut viewed = view(location, instance.to_string())?;
    let mut said = String::new();
    BufReader::new(viewed.stdout.take().context("piped")?).read_line(&mut said)?;
    viewed.kill()?;
    viewed.wait()?;
    let trace = said.trim_start_matches("trace: ").split(" (").next().context("a path")?;
    ensure!(trace.ends_with("window.pftrace"), "{said}");
    let seen = judged(Path::new(trace), &reported)?.lines(
        "select s.dur || ' ' || s.name from slice s join track t \
         on t.id = s.track_id where t.name = 'level 1'",
    )?;
    assert!(seen.contains(last), "{seen:?} without {last}");
    let refused = view("nowhere.c:1", "1".to_owned())?.wait_with_output()?;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("there is no parallel region") && said.contains(location), "{said}");
    Ok(())
}

fn faults(seen: &mut Judged) -> Result<String> {
    let mut said = String::new();
    for fault in seen.judge().stats_errors()? {
        writeln!(said, "    {fault:?}")?;
    }
    let odd = [
        ("without an end", "select count(*) from slice where dur < 0"),
        (
            "backward flows",
            "select count(*) from flow join slice a on a.id = slice_out join slice b on \
             b.id = slice_in where b.ts < a.ts",
        ),
    ];
    for (what, sql) in odd {
        let count = seen.count(sql)?;
        if count > 0 {
            writeln!(said, "    {count} {what}")?;
        }
    }
    Ok(said)
}

/// The trace holds as many slices as the export says.
fn counts(seen: &mut Judged, reported: &Value) -> Result<String> {
    let all = [
        "slices",
        "logical_thread_slices",
        "instants",
        "logical_thread_instants",
        "region_slices",
        "hold_slices",
    ];
    let reported: u64 =
        all.iter().map(|what| number(reported, &format!("/{what}"))).sum::<Result<_>>()?;
    let drawn = seen.count("select count(*) from slice where category not glob 'state*'")?;
    Ok(if drawn == reported {
        String::new()
    } else {
        format!("    {drawn} drawn of {reported} reported\n")
    })
}

#[test]
fn parts_are_sound_and_make_up_the_whole() -> Result<()> {
    let program = programs::by_name("c/many_tasks")?.with(&["20000"]);
    let settings = [RECORD_ONLY];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let run = traced.scratch.only_run()?;
    let reported = export(&run, &[])?;
    let mut whole = judged(&path(&reported["trace"])?, &reported)?;
    let begin = whole.count("select start_ts from process where start_ts is not null limit 1")?;
    let parts = export(&run, &["--split", "1M"])?;
    let windows = parts["windows"].as_array().context("windows")?;
    let regions = |reported: &Value| number(reported, "/region_slices");
    ensure!(regions(&parts)? == regions(&reported)?, "{} regions", regions(&parts)?);
    ensure!(windows.len() > 1, "{} parts: the program is too small for this test", windows.len());
    for (at, window) in windows.iter().enumerate() {
        let trace = path(&window["traces"][0])?;
        ensure!(trace.ends_with(format!("trace-part{}.pftrace", at + 1)), "{}", trace.display());
        let mut seen = judged(&trace, &parts)?;
        let wrong = faults(&mut seen)?;
        ensure!(wrong.is_empty(), "{wrong}");
        let from = begin + number(window, "/from_ns")?;
        let to =
            if at + 1 == windows.len() { u64::MAX >> 1 } else { begin + number(window, "/to_ns")? };
        let (shown, expected) = (seen.lines(LASTING)?, whole.lines(&lasting_between(from, to))?);
        ensure!(shown == expected, "part {at}: {shown:?} instead of {expected:?}");
        let bytes = trace.metadata()?.len();
        ensure!(at + 1 == windows.len() || (1 << 20..2 << 20).contains(&bytes), "{bytes} bytes");
    }
    Ok(())
}
