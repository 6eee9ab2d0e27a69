//! Counters of threads (OMPTTRACE_COUNTERS): they have the kernel's numbers at the events where they were read, in every
//! trace, and do not depend on the program's file descriptors and processes.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::process::Finished;
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Upper bound of the page faults that the runtime and the tool cause in a region or between two.
const OTHERS: u64 = 60;

/// A run that is over.
struct Run {
    said: Finished,
    scratch: Scratch,
}

impl Run {
    /// Numbers in the program's output lines that begin with these words.
    fn lines(&self, words: &str) -> Vec<Vec<u64>> {
        let lines = self.said.stdout.lines().filter_map(|line| line.strip_prefix(words));
        lines.map(|rest| rest.split(' ').filter_map(|word| word.parse().ok()).collect()).collect()
    }

    /// Page faults in the first region, in the second, and between them.
    fn faults(&self, who: &str) -> Result<[u64; 3]> {
        let lines = self.lines(&format!("{who} first"));
        let [line] = &lines[..] else { anyhow::bail!("{:?}", self.said) };
        line.clone().try_into().ok().with_context(|| format!("{:?}", self.said))
    }
}

fn run(what: &str, by: By, counters: &str) -> Result<Run> {
    let settings = [RECORD_ONLY, ("OMPTTRACE_COUNTERS", counters)];
    let traced = traced::run_own("tests/counters/counters.c", &[what], by, &settings)?;
    let Traced { run: said, scratch } = traced;
    ensure!(said.last_line() == "ok counters", "{said:?}");
    Ok(Run { said, scratch })
}

fn report(run: &Path) -> Result<Value> {
    let mut command = Command::new(Product::find()?.program);
    Ok(serde_json::from_slice(&build::run(command.args(["report", "--json"]).arg(run), "")?)?)
}

fn number(value: &Value) -> Result<u64> {
    value.as_u64().with_context(|| format!("{value} is no number"))
}

/// The program's own count, plus a little.
fn check(of: &str, said: u64, counted: u64) -> Result<()> {
    ensure!((said..=said + OTHERS).contains(&counted), "{of}: {counted}, the program's own {said}");
    Ok(())
}

fn check_report(run: &Run, who: &str, folder: &Path) -> Result<Value> {
    let report = report(folder)?;
    let [first, second, between] = run.faults(who)?;
    let mut regions: Vec<_> = report["regions"].as_array().context("regions")?.iter().collect();
    regions.sort_by_key(|region| report["constructs"][region["construct"].as_u64().unwrap_or(0) as usize]["location"]["line"].as_u64());
    let [one, other] = regions[..] else { anyhow::bail!("{} regions", regions.len()) };
    check("first region", first, number(&one["counters"]["page-faults"])?)?;
    check("second region", second, number(&other["counters"]["page-faults"])?)?;
    ensure!(number(&report["counted_outside"]["page-faults"])? >= between, "between regions");
    let mut sum = 0;
    for line in run.lines(&format!("{who} thread ")) {
        let [thread, faults] = line[..] else { anyhow::bail!("{line:?}") };
        let threads = report["threads"].as_array().context("threads")?;
        let found = threads.iter().find(|one| one["os_thread"] == thread);
        let counted = number(&found.context("a thread")?["counters"]["page-faults"])?;
        ensure!(counted >= faults, "thread {thread}: {counted}, the program's own {faults}");
        sum += counted;
    }
    ensure!(number(&report["counters"][0]["sum"])? == sum, "{sum}: {}", report["counters"]);
    Ok(report)
}

/// Each thread's last value by Perfetto's trace processor and by OTF2's own reader.
fn check_traces(folder: &Path, report: &Value) -> Result<()> {
    let expected = |thread: &Value| -> Result<String> {
        Ok(format!("{}|{}", thread["os_thread"], number(&thread["counters"]["page-faults"])?))
    };
    let threads = report["threads"].as_array().context("threads")?;
    let mut expected = threads.iter().map(expected).collect::<Result<Vec<_>>>()?;
    expected.sort();
    let mut judged = Judged::open(folder)?;
    ensure!(judged.judge().stats_errors()?.is_empty(), "errors of the trace");
    let values = "select cast(tid as text), cast(max(value) as int) from counter c join \
                  thread_counter_track t on t.id = c.track_id join thread using (utid) \
                  where t.name = 'page-faults' group by tid order by 1";
    let mut drawn = judged.lines(values)?;
    drawn.sort();
    ensure!(drawn == expected, "{drawn:?} instead of {expected:?}");
    let mut export = Command::new(Product::find()?.program);
    export.args(["export", "--format", "otf2,chrome"]).arg(folder);
    build::run(&mut export, "")?;
    let mut print = Command::new("otf2-print");
    let printed = build::run(print.arg(folder.join("trace-otf2/traces.otf2")), "otf2-tools")?;
    let printed = String::from_utf8(printed)?;
    let chrome = std::fs::read_to_string(folder.join("trace.json"))?;
    for thread in threads {
        let last = number(&thread["counters"]["page-faults"])?;
        let value = format!("(\"page-faults\" <3>; INT64; {last})");
        ensure!(printed.contains(&value), "OTF2 has no {value}");
        let value = format!(
            "\"name\":\"page-faults of {}\",\"args\":{{\"faults\":{last}}}",
            thread["name"].as_str().unwrap_or_default()
        );
        ensure!(chrome.contains(&value), "Chrome has no {value}");
    }
    Ok(())
}

#[test]
fn page_faults_are_counted_where_they_happen() -> Result<()> {
    for by in [By::Runtime, By::Preload, By::Gomp] {
        let run = run("", by, "page-faults,context-switches").context(format!("{by:?}"))?;
        let folder = run.scratch.only_run()?;
        let report = check_report(&run, "main", &folder).context(format!("{by:?}"))?;
        check_traces(&folder, &report).context(format!("{by:?}"))?;
    }
    Ok(())
}

/// Perf's own counters need descriptors, which the program closes and takes for others.
#[test]
fn descriptors_are_the_programs_to_take() -> Result<()> {
    for counters in ["page-faults", "migrations,page-faults"] {
        let run = run("closes", By::Runtime, counters)?;
        let folder = run.scratch.only_run()?;
        let report = report(&folder)?;
        let [first, second, _] = run.faults("main")?;
        let [later, last, _] = run.faults("later")?;
        let regions = report["regions"].as_array().context("regions")?;
        let counted = regions.iter().map(|region| number(&region["counters"]["page-faults"]));
        let counted: u64 = counted.sum::<Result<u64>>()?;
        let said = first + second + later + last;
        ensure!((said..=said + 2 * OTHERS).contains(&counted), "{counted} instead of {said}");
    }
    Ok(())
}

#[test]
fn a_child_counts_for_itself() -> Result<()> {
    let run = run("forks", By::Runtime, "page-faults,migrations")?;
    let folders: Vec<PathBuf> = run.scratch.runs()?;
    ensure!(folders.len() == 2, "{folders:?}");
    let pid = format!("run.{}", run.said.pid);
    for folder in &folders {
        let who = if folder.ends_with(&pid) { "main" } else { "child" };
        check_report(&run, who, folder).context(who)?;
    }
    Ok(())
}
