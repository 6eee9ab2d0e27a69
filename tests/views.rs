//! The PerfettoSQL package of `viewer-configs`, run by the trace processor: on programs of which the
//! answer is known, and on others for what must hold of any: no nanosecond is lost or counted twice.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::trace_processor::TraceProcessor;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};
use serde_json::Value;

const PACKAGE: &str = "viewer-configs/perfetto/ompttrace";

fn record(program: &Program) -> Result<Traced> {
    // The tables know of slices alone: which threads had a core depends on what else the machine does.
    let settings = [RECORD_ONLY, ("OMPTTRACE_CORES", "off")];
    let traced = traced::run(program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    ensure!(traced.run.ended_by(program.directives.end), "{}: {:?}", program.name, traced.run);
    Ok(traced)
}

/// The trace of a run with the package at hand.
fn opened(traced: &Traced) -> Result<Judged> {
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    judged.judge().register_package(build::root().join(PACKAGE))?;
    Ok(judged)
}

/// The trace of a program on libomp 19, with every module of the package included.
fn viewed(program: &Program) -> Result<Judged> {
    let mut judged = opened(&record(program)?)?;
    for module in modules()? {
        judged.judge().query(&format!("include perfetto module ompttrace.{module}"))?;
    }
    Ok(judged)
}

fn modules() -> Result<Vec<String>> {
    let mut modules = Vec::new();
    for entry in fs::read_dir(build::root().join(PACKAGE))? {
        let path = entry?.path();
        modules.push(path.file_stem().context("a name")?.to_string_lossy().into_owned());
    }
    modules.sort();
    Ok(modules)
}

/// `stages.c:27`: the line that holds `text`, the `nth` of them from 1.
fn location(program: &Program, text: &str, nth: usize) -> Result<String> {
    let source = fs::read_to_string(&program.source)?;
    let lines = source.lines().enumerate().filter(|(_, line)| line.contains(text));
    let line = lines.map(|(at, _)| at + 1).nth(nth - 1).with_context(|| format!("no {text}"))?;
    let file = program.source.file_name().context("a name")?.to_string_lossy();
    Ok(format!("{file}:{line}"))
}

/// The names that stages.c's constructs have in a trace: loop, region, loop, region.
fn stages(program: &Program) -> Result<[String; 4]> {
    let at = |text, nth| location(program, text, nth);
    Ok([
        format!("{} for static", at("omp for", 1)?),
        format!("{} parallel (main)", at("omp parallel", 1)?),
        format!("{} for static", at("omp for", 2)?),
        format!("{} parallel (main)", at("omp parallel", 2)?),
    ])
}

#[test]
fn imbalance_names_the_loop_and_its_slowest_thread() -> Result<()> {
    let program = programs::of_test("tests/views/stages.c")?;
    let mut judged = viewed(&program)?;
    let [first, _, second, _] = stages(&program)?;
    let loops = judged.lines(
        "select construct, threads, calls, slowest, waiting > 0.5 from ompttrace_imbalance \
         where construct glob '* for *' order by construct",
    )?;
    assert_eq!(loops, [format!("{first}|4|1|3|1"), format!("{second}|4|1|1|1")]);
    let patient = judged.lines(
        "select l.construct, group_concat(l.thread_num, ' ') from (select * from ompttrace_load \
         order by thread_num) l join ompttrace_imbalance i on i.construct = l.construct \
         where l.construct glob '* for *' and l.wait_ns > 40000000 and l.thread_num != i.slowest \
         group by 1 order by 1",
    )?;
    assert_eq!(patient, [format!("{first}|0 1 2"), format!("{second}|0 2 3")]);
    Ok(())
}

#[test]
fn idleness_is_charged_to_those_that_work() -> Result<()> {
    let program = programs::of_test("tests/views/stages.c")?;
    let mut judged = viewed(&program)?;
    let [first, before, second, after] = stages(&program)?;
    let loops = judged.lines(
        "select construct from ompttrace_idle_blame where construct glob '* for *' \
         and blamed_ns > worked_ns / 2 order by construct",
    )?;
    assert_eq!(loops, [first, second]);
    // The root works alone between the regions, and three workers have no team.
    let alone = judged.lines(&format!(
        "select blamed_ns - 3 * worked_ns, worked_ns >= 20000000 from ompttrace_idle_blame \
         where construct = 'serial: after {before}, before {after}'"
    ))?;
    assert_eq!(alone, ["0|1"]);
    Ok(())
}

#[test]
fn the_critical_path_goes_through_the_last_ones() -> Result<()> {
    let program = programs::of_test("tests/views/stages.c")?;
    let mut judged = viewed(&program)?;
    let [first, before, second, after] = stages(&program)?;
    // The long parts in their order, and the thread number, if there is one.
    let alone = format!("serial: after {before}, before {after}");
    let path = judged.lines(&format!(
        "select p.name, m.thread_num from ompttrace_critical_path p \
         left join ompttrace_team_thread m on m.track_id = p.track_id and m.ts <= p.ts \
         and m.end_ts >= p.ts + p.dur \
         where p.name in ('{first}', '{alone}', '{second}') and p.dur >= 20000000 order by p.ts",
    ))?;
    assert_eq!(path, [format!("{first}|3"), format!("{alone}|null"), format!("{second}|1")]);
    Ok(())
}

#[test]
fn a_wait_for_a_lock_is_its_holders() -> Result<()> {
    let program = programs::of_test("tests/views/holder.c")?;
    let mut judged = viewed(&program)?;
    let (long, waits) = (location(&program, "held long", 1)?, location(&program, "// waits", 1)?);
    let blame = judged
        .lines("select waiter, waits_at, holder, held_at, ns > 0 from ompttrace_lock_blame")?;
    assert_eq!(blame, [format!("worker 1|{waits}|initial|{long}|1")]);
    let lock = judged.lines(
        "select holds, wait_ns - unexplained_ns = (select sum(ns) from ompttrace_lock_blame) \
         from ompttrace_lock",
    )?;
    assert_eq!(lock, ["2|1"]);
    // The path leads from the waiter to the holder.
    let path = judged.lines(
        "select thread from ompttrace_critical_path where state = 'work' and dur >= 90000000",
    )?;
    assert_eq!(path, ["initial"]);
    Ok(())
}

#[test]
fn tasks_are_counted_and_sorted_by_length() -> Result<()> {
    let program = programs::of_test("tests/views/grains.c")?;
    let mut judged = viewed(&program)?;
    let name = |nth| location(&program, "#pragma omp task", nth);
    let constructs = judged.lines(
        "select construct, tasks, moved, shortest_ns >= 2000000 from ompttrace_task_construct \
         order by tasks",
    )?;
    let wanted =
        [format!("{} task (main)|10|10|1", name(2)?), format!("{} task (main)|90|90|0", name(1)?)];
    assert_eq!(constructs, wanted);
    let large = judged.lines(
        "select sum(tasks) from ompttrace_task_grain where at_least_ns >= 1000000 \
         and construct = (select construct from ompttrace_task_construct where tasks = 10)",
    )?;
    assert_eq!(large, ["10"]);
    let queued =
        judged.lines("select value from ompttrace_tasks_queued order by ts desc limit 1")?;
    assert_eq!(queued, ["0"]);
    Ok(())
}

/// Two processes in one trace, as the ranks of an MPI program are.
#[test]
fn merged_ranks_are_kept_apart() -> Result<()> {
    let program = programs::of_test("tests/views/stages.c")?;
    let scratch = Scratch::new()?;
    let trace = scratch.path().join("all.pftrace");
    let mut merge = Command::new(Product::find()?.program);
    merge.arg("merge").arg("--output").arg(&trace);
    for rank in ["0", "1"] {
        let settings = [RECORD_ONLY, ("OMPI_COMM_WORLD_RANK", rank)];
        traced::run_in(&scratch, &program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    }
    build::run(merge.args(scratch.runs()?), "")?;
    let mut judge = TraceProcessor::open(&trace)?;
    assert_eq!(judge.stats_errors()?, []);
    judge.register_package(build::root().join(PACKAGE))?;
    judge.query("include perfetto module ompttrace.critical_path")?;
    let [first, _, second, _] = stages(&program)?;
    let loops = judge.query(
        "select p.name, i.construct, i.threads, i.slowest from ompttrace_imbalance i join process p \
         using (upid) where i.construct glob '* for *' order by 1, 2",
    )?;
    let rank = |name| [format!("{name}|{first}|4|3"), format!("{name}|{second}|4|1")];
    assert_eq!(loops.lines(), [rank("stages:rank0"), rank("stages:rank1")].concat());
    let paths = judge.query(
        "select count(*) from (select upid, sum(dur) as ns from ompttrace_critical_path group by 1) \
         join ompttrace_thread using (upid) where not is_worker and ns = end_ts - begin_ts",
    )?;
    assert_eq!(paths.integer()?, 2);
    Ok(())
}

/// A thread's times that both have, by its name: serial, waiting, locks, the tool, idle.
fn of_report(report: &Value) -> Result<Vec<String>> {
    let threads = report["threads"].as_array().context("no threads")?;
    let line = |thread: &Value| -> Result<String> {
        let times = &thread["times"];
        let sum = |states: &[&str]| -> Result<u64> {
            states.iter().map(|state| number(times, &format!("/{state}"))).sum()
        };
        let barriers = ["wait_barrier_implicit", "wait_barrier_explicit", "wait_barrier"];
        let waits = sum(&barriers)? + sum(&["wait_taskwait", "wait_taskgroup"])?;
        let locks = sum(&["wait_lock", "wait_critical", "wait_ordered", "wait_atomic"])?;
        let (serial, idle) = (sum(&["work_serial"])?, sum(&["idle"])?);
        let tool = sum(&["overhead_tool"])?;
        let name = thread["name"].as_str().context("a name")?;
        Ok(format!("{name}|{serial}|{waits}|{locks}|{tool}|{idle}"))
    };
    let mut lines = threads.iter().map(line).collect::<Result<Vec<_>>>()?;
    lines.sort();
    Ok(lines)
}

/// Two ways from the same recording, which share no line of code, to the same nanosecond.
#[test]
fn the_report_says_the_same() -> Result<()> {
    for name in ["stages", "holder"] {
        let traced = record(&programs::of_test(&format!("tests/views/{name}.c"))?)?;
        let mut command = Command::new(Product::find()?.program);
        let run = traced.scratch.only_run()?;
        let output = build::run(command.args(["report", "--json"]).arg(run), "")?;
        let report: Value = serde_json::from_slice(&output)?;
        let mut judged = opened(&traced)?;
        for module in ["threads", "locks", "critical_path"] {
            judged.judge().query(&format!("include perfetto module ompttrace.{module}"))?;
        }
        let times = judged.lines(
            "select thread, serial_ns, wait_ns, lock_ns, tool_ns, idle_ns \
             from ompttrace_thread_time order by thread",
        )?;
        assert_eq!(times, of_report(&report)?, "{name}");
        let blamed =
            judged.count("select coalesce(sum(blamed_ns), 0) from ompttrace_lock_holder")?;
        let holders = report["holders"].as_array().context("no holders")?;
        let reported: Result<u64> = holders.iter().map(|one| number(one, "/blame_ns")).sum();
        assert_eq!(blamed, reported?, "{name}");
        assert_eq!(path_by_sql(&mut judged)?, path_of_report(&report)?, "{name}");
    }
    Ok(())
}

/// Minimum duration in nanoseconds of work on the critical path that is compared: shorter work may be chance.
const LONG: u64 = 5_000_000;

fn path_by_sql(judged: &mut Judged) -> Result<Vec<u64>> {
    let rows = judged.judge().query(&format!(
        "select sum(dur) from ompttrace_critical_path where state in ('work', 'serial') \
         group by name having sum(dur) > {LONG} order by 1",
    ))?;
    rows.rows.iter().map(|row| row[0].as_u64().context("a time")).collect()
}

/// Work of each construct on the critical path by the report, in nanoseconds.
fn path_of_report(report: &Value) -> Result<Vec<u64>> {
    let parts = report["critical_path"]["parts"].as_array().context("no critical path")?;
    let work = parts.iter().map(|part| number(part, "/work_ns"));
    let mut long = work.filter(|work| !matches!(work, Ok(..=LONG))).collect::<Result<Vec<_>>>()?;
    long.sort_unstable();
    Ok(long)
}

/// Runs a macro as the UI does, as far as queries can: tables are created, a track
/// gets the columns that it needs, a tab has rows. Returns the faults; empty if there are none.
fn run_macro(judged: &mut Judged, one: &Value) -> Result<String> {
    let mut said = String::new();
    for command in one["run"].as_array().context("it runs commands")? {
        let id = command["id"].as_str().unwrap_or_default();
        let argument = |at: usize| command["args"][at].as_str().unwrap_or_default();
        let rows = judged.judge().query(argument(0))?;
        let wanted: &[&str] = match id {
            "dev.perfetto.RunQuery" => continue,
            "dev.perfetto.RunQueryAndShowTab" => &[],
            "dev.perfetto.AddDebugSliceTrack" => &["ts", "dur", "name"],
            "dev.perfetto.AddDebugSliceTrackWithPivot" => &["ts", "dur", "name", argument(1)],
            "dev.perfetto.AddDebugCounterTrack" => &["ts", "value"],
            _ => bail!("is {id} a command of the UI?"),
        };
        let has = |column: &&str| rows.columns.iter().any(|one| one == column);
        if rows.rows.is_empty() || !wanted.iter().all(has) {
            said += &format!("{}: {id}: {:?}, {} rows\n", one["id"], rows.columns, rows.rows.len());
        }
    }
    Ok(said)
}

#[test]
fn macros_find_what_they_show() -> Result<()> {
    let folder = build::root().join("viewer-configs/perfetto");
    let read = |name| -> Result<Value> {
        Ok(serde_json::from_str(&fs::read_to_string(folder.join(name))?)?)
    };
    let (pasted, offered) = (read("macros.json")?, read("extension/modules/default/macros")?);
    let traced = record(&programs::of_test("tests/views/all.c")?)?;
    let mut said = String::new();
    for list in [&pasted, &offered["macros"]] {
        for one in list.as_array().context("a list of macros")? {
            // In a trace that knows no other macro; and twice, for a user may click twice.
            let mut judged = opened(&traced)?;
            said += &run_macro(&mut judged, one)?;
            said += &run_macro(&mut judged, one)?;
        }
    }
    assert!(said.is_empty(), "{said}");
    Ok(())
}

/// Queries that must find nothing in any trace.
const NOTHING: &[(&str, &str)] = &[
    (
        "threads whose states are not their life",
        "select count(*) from ompttrace_thread_time where life_ns != \
         work_ns + serial_ns + wait_ns + lock_ns + tool_ns + idle_ns",
    ),
    (
        "intervals that leave a gap or overlap",
        "select count(*) from (select ts, lag(end_ts) over (partition by track_id order by ts) \
         as before from ompttrace_interval) where before != ts",
    ),
    (
        "idleness that is charged to nobody or twice",
        "select abs(coalesce((select sum(blamed_ns) from ompttrace_idle_blame), 0) - coalesce( \
         (select sum(dur) from ompttrace_interval where state in ('wait', 'idle')), 0)) > \
         (select count(*) from ompttrace_idle_blame)",
    ),
    (
        "waits for locks that are charged twice",
        "select count(*) from ompttrace_lock where unexplained_ns < 0",
    ),
    (
        "tasks that ran longer than they were there",
        "select count(*) from ompttrace_task where run_ns > end_ts - ts or run_ns < 0 \
         or queued_ns < 0",
    ),
    (
        "breaks in the critical path",
        "select count(*) from (select ts, lag(ts + dur) over (partition by upid order by ts) as \
         before from ompttrace_critical_path) where before != ts",
    ),
    (
        "critical paths that are not as long as the run",
        "select count(*) from (select max(end_ts - begin_ts) as life, count(*) as roots \
         from ompttrace_thread where not is_worker) where roots = 1 and life != \
         (select sum(dur) from ompttrace_critical_path)",
    ),
    (
        "team threads of a barrier that have another number of barriers",
        "select count(*) from (select region_id, instance, count(*) as arrivals from \
         ompttrace_barrier group by 1, 2) join (select region_id, count(*) as team from \
         ompttrace_team_thread group by 1) using (region_id) where arrivals != team",
    ),
];

#[test]
fn sums_hold_in_any_trace() -> Result<()> {
    let names = ["fib", "nested", "lock_contended", "task_depend", "critical", "for_dynamic"];
    let more = ["taskgroup", "taskloop", "barrier", "sections", "tasks_nested_region", "two_roots"];
    let mut said = String::new();
    for name in names.into_iter().chain(more) {
        let mut judged = viewed(&programs::by_name(&format!("c/{name}"))?)?;
        for (what, query) in NOTHING {
            let found = judged.count(query).with_context(|| name.to_string())?;
            if found > 0 {
                said += &format!("{name}: {found} {what}\n");
            }
        }
        if judged.count("select count(*) from ompttrace_interval")? == 0 {
            said += &format!("{name}: nothing happened\n");
        }
    }
    assert!(said.is_empty(), "{said}");
    Ok(())
}
