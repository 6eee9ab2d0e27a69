//! First look at a trace: a root track with the parallel regions, the findings where they cost most, the critical path.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use serde_json::Value;

/// A recording of what the program does, whatever else the machine does.
fn record(program: &Program) -> Result<Traced> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_CORES", "off")];
    traced::run(program, &runtimes::libomp_19()?, By::Runtime, &settings)
}

/// Slices that are to be seen first, with their times since the begin of the critical path, which is that of the run.
const SLICES: &str = "select (s.ts - (select min(p.ts) from slice p join track pt on pt.id = p.track_id where \
    pt.name = 'Critical path')) || ' ' || s.dur || ' ' || s.name from slice s join track t on t.id = s.track_id \
    where s.category = 'first look'";

/// The trace of a recording as `export` makes it without any option, and its report.
fn looked_at(run: &std::path::Path) -> Result<(Judged, Value)> {
    let product = Product::find()?;
    let export = product.export(run)?;
    let trace = export["trace"].as_str().context("a trace")?.to_owned();
    let judged = Judged::of(std::path::Path::new(&trace), export, product.info(run)?)?;
    Ok((judged, report(run, &[])?))
}

fn report(run: &std::path::Path, options: &[&str]) -> Result<Value> {
    let mut command = Command::new(Product::find()?.program);
    command.args(["report", "--quiet", "--json"]).arg(run).args(options);
    serde_json::from_slice(&build::run(&mut command, "")?).context("report --json")
}

/// Begin since the run's and duration of each slice on a track.
fn times(judged: &mut Judged, track: &str) -> Result<Vec<(u64, u64, String)>> {
    let lines =
        judged.lines(&format!("{SLICES} and t.name glob '{track}' order by s.ts, s.dur desc"))?;
    let slice = |line: &String| {
        let mut words = line.splitn(3, ' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (begin, duration) = (next().parse()?, next().parse()?);
        Ok((begin, duration, next()))
    };
    lines.iter().map(slice).collect()
}

#[test]
fn findings_are_drawn_where_they_cost_most() -> Result<()> {
    let program = programs::of_test("tests/pictures/costly.c")?;
    let traced = record(&program)?;
    let run = traced.scratch.only_run()?;
    let (mut judged, report) = looked_at(&run)?;
    let findings = report["findings"].as_array().context("findings")?;
    let at = findings.iter().position(|one| one["kind"] == "imbalance").context("a finding")?;
    let title = format!("{}. imbalance: `for static` at costly.c:10", at + 1);
    let drawn = times(&mut judged, "Findings")?;
    ensure!(drawn.len() == findings.len(), "{drawn:?} of {findings:#?}");
    let (begin, duration, _) =
        drawn.iter().find(|(.., name)| *name == title).with_context(|| format!("{drawn:?}"))?;
    let worst = self::report(&run, &["--region", "costly.c:10", "--instance", "5"])?;
    let [from, to] = ["/window/from_ns", "/window/to_ns"].map(|at| number(&worst, at));
    let (from, to) = (from?, to?);
    ensure!(from <= *begin && begin + duration <= to, "{begin} {duration} in {from} to {to}");
    ensure!(*duration > 700_000_000, "{duration}");
    let texts = judged.lines(&format!(
        "select extract_arg(arg_set_id, 'debug.finding') || '|' || extract_arg(arg_set_id, 'debug.try') \
         || '|' || extract_arg(arg_set_id, 'debug.expected') from slice where name = '{title}'"
    ))?;
    let text = findings[at]["text"].as_str().context("a text")?;
    ensure!(texts.len() == 1 && texts[0].starts_with(&format!("{text}|")), "{texts:?} {text}");
    Ok(())
}

/// The path has no gaps and no two parts at once, and is as long as the report's.
#[test]
fn the_critical_path_is_drawn_from_the_begin_to_the_end() -> Result<()> {
    let traced = record(&programs::of_test("tests/pictures/costly.c")?)?;
    let (mut judged, report) = looked_at(&traced.scratch.only_run()?)?;
    let parts = times(&mut judged, "Critical path")?;
    let length = number(&report, "/critical_path/length_ns")?;
    let drawn: u64 = parts.iter().map(|(_, duration, _)| duration).sum();
    ensure!(drawn == length, "{drawn} of {length}");
    for pair in parts.windows(2) {
        ensure!(pair[0].0 + pair[0].1 == pair[1].0, "{pair:?}");
    }
    let (first, last) = (parts.first().context("a path")?, parts.last().context("a path")?);
    ensure!(first.0 == 0 && last.0 + last.1 == length, "{first:?} {last:?} of {length}");
    // The thread that works longest is what the others wait for. Which of them begins first, and so which worker it is, varies.
    let longest = judged.lines(
        "select thread.name from slice s join thread_track t on t.id = s.track_id join thread using (utid) \
         where s.name glob '*for static*' order by s.dur desc limit 1",
    )?;
    let longest = longest.first().context("a loop")?;
    let worst = parts.iter().max_by_key(|(_, duration, _)| *duration).context("a part")?;
    let of_worker = worst.2.strip_prefix(&longest[..]);
    let is_right =
        of_worker.is_some_and(|name| name.starts_with(": ") && name.contains("costly.c:10"));
    ensure!(is_right && longest.starts_with("worker"), "{worst:?}, {longest}");
    Ok(())
}

#[test]
fn the_root_track_has_the_regions_of_all_levels() -> Result<()> {
    let traced = record(&programs::by_name("c/nested")?)?;
    let run = traced.scratch.only_run()?;
    let (mut judged, report) = looked_at(&run)?;
    let regions = times(&mut judged, "OpenMP: nested (*)")?;
    let depth = judged.lines(
        "select max(s.depth) from slice s join track t on t.id = s.track_id where t.name glob 'OpenMP: *'",
    )?;
    ensure!(!regions.is_empty() && depth != ["0"], "{regions:?} {depth:?}");
    let all = report["regions"].as_array().context("regions")?;
    let outermost = all.iter().find(|region| region["calls"] == 1).context("the outermost one")?;
    let wall = number(outermost, "/wall_ns")?;
    ensure!(regions.iter().any(|(_, duration, _)| *duration == wall), "{wall} of {regions:?}");
    let errors = judged.lines("select name from stats where severity = 'error' and value > 0")?;
    ensure!(errors.is_empty(), "{errors:?}");
    // Threads' tracks are as they were.
    let with = judged.count("select count(*) from slice where category != 'first look'")?;
    let without = Judged::open(&run)?.count("select count(*) from slice")?;
    let both = Judged::with_view(&run, "auto")?.count("select count(*) from slice")?;
    ensure!(with == both && without >= both, "{with}, {both}, {without}");
    Ok(())
}
