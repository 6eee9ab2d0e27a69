//! Sums of a report, calculated in SQL from the Perfetto trace: the self time of slices on thread tracks, by
//! their names, and the integral of the counter of threads that work.

use super::{list, record_events, report};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::number;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Query for self time in nanoseconds by thread, category and name.
const SELF_TIMES: &str = "select th.tid, s.category, what(s.name), sum(s.dur - coalesce(c.dur, 0)) \
    from slice s join thread_track t on t.id = s.track_id join thread th using (utid) \
    left join (select parent_id, sum(dur) dur from slice group by 1) c on c.parent_id = s.id \
    where s.category glob 'openmp.*' group by 1, 2, 3";

/// Query for the time from the first event on a thread's track to the last, in nanoseconds.
const LIVES: &str = "select th.tid, max(s.ts + s.dur) - min(s.ts) from slice s \
    join thread_track t on t.id = s.track_id join thread th using (utid) \
    where s.category glob 'openmp.*' group by 1";

/// Query for the time of each thread's states in nanoseconds, from the track that shows them in one word.
const ACTIVITIES: &str = "select th.tid, s.name, sum(s.dur) from slice s \
    join thread_track t on t.id = s.track_id join thread th using (utid) \
    where s.category = 'state' group by 1, 2";

/// Query for the times of states that an overview shows in sums only because they are short, in nanoseconds.
const SUMMED: &str = "select th.tid, n.string_value, sum(t.int_value) from slice s \
    join thread_track tt on tt.id = s.track_id join thread th using (utid) \
    join args n on n.arg_set_id = s.arg_set_id and n.flat_key glob '*sums.name' \
    join args t on t.arg_set_id = s.arg_set_id and t.key = replace(n.key, '.name', '.total_ns') \
    where s.category = 'state.summary' group by 1, 2";

/// Query for the integral of each counter by name: its values times the durations for which it had them, in thread-nanoseconds.
const INTEGRALS: &str = "select name, sum(value * dur) from (select t.name as name, c.value as value, \
    coalesce(lead(c.ts) over (partition by c.track_id order by c.ts, c.id), c.ts) - c.ts as dur \
    from counter c join counter_track t on t.id = c.track_id) group by 1";

/// The state that a slice's name stands for; `work` is all of them but `target`.
fn state(category: &str, name: &str) -> &'static str {
    let starts = |opening: &str| name.starts_with(opening);
    match category {
        "openmp.tool" => "overhead_tool",
        "openmp.target" => "target",
        "openmp.mutex" if starts("test failed") => "work",
        "openmp.mutex" if starts("wait: critical") => "wait_critical",
        "openmp.mutex" if starts("wait: ordered") => "wait_ordered",
        "openmp.mutex" if starts("wait: atomic") => "wait_atomic",
        "openmp.mutex" => "wait_lock",
        "openmp.sync" if name == "wait: barrier" => "wait_barrier",
        "openmp.sync" if name == "wait: barrier (explicit)" => "wait_barrier_explicit",
        "openmp.sync" if starts("wait: barrier") => "wait_barrier_implicit",
        "openmp.sync" if starts("wait: taskwait") => "wait_taskwait",
        "openmp.sync" if starts("wait: taskgroup") => "wait_taskgroup",
        "openmp.sync" if starts("taskgroup") || starts("reduction") => "work",
        "openmp.sync" => "overhead_sync",
        "openmp.parallel" if starts("parallel") || starts("teams") => "overhead_fork",
        "openmp.work" if starts("for dynamic") || starts("for guided") => "overhead_schedule",
        _ => "work",
    }
}

type Times = BTreeMap<(i64, String), i64>;

fn from_sql(judged: &mut Judged) -> Result<(Times, BTreeMap<i64, i64>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut times = Times::new();
    for row in judged.judge().query(SELF_TIMES)?.rows {
        let tid = row[0].as_i64().context("a thread")?;
        let state = state(&text(&row[1]), &text(&row[2])).to_owned();
        *times.entry((tid, state)).or_default() += row[3].as_i64().context("a time")?;
    }
    let lives = judged.judge().query(LIVES)?.rows;
    let lives = lives.iter().filter_map(|row| Some((row[0].as_i64()?, row[1].as_i64()?)));
    Ok((times, lives.collect()))
}

/// The report's states, named as the ones from SQL: what is on no slice is left out.
fn from_report(report: &Value) -> Result<(Times, BTreeMap<i64, i64>)> {
    let (mut times, mut lives) = (Times::new(), BTreeMap::new());
    for thread in list(report, "threads")? {
        let tid = number(thread, "/os_thread")? as i64;
        lives.insert(tid, number(thread, "/lifetime_ns")? as i64);
        for (state, time) in thread["times"].as_object().context("states")? {
            let state = match state.as_str() {
                "idle" | "overhead_start" => continue,
                state if state.starts_with("work_") => "work",
                state => state,
            };
            *times.entry((tid, state.to_owned())).or_default() +=
                time.as_i64().context("a time")?;
        }
    }
    Ok((times, lives))
}

/// A state of the report in one word.
fn activity(state: &str) -> &'static str {
    let families = [
        ("work_", "work"),
        ("target", "work"),
        ("wait_", "wait"),
        ("off_core_", "off core"),
        ("idle", "idle"),
        ("overhead_", "overhead"),
    ];
    families.iter().find(|(family, _)| state.starts_with(family)).map_or("?", |(_, word)| word)
}

/// Time by thread and activity, of these queries together.
fn activities(judged: &mut Judged, queries: &[&str]) -> Result<Times> {
    let mut times = Times::new();
    for query in queries {
        for row in judged.judge().query(query)?.rows {
            let key = row[0].as_i64().zip(row[1].as_str()).context("a thread and an activity")?;
            *times.entry((key.0, key.1.to_owned())).or_default() +=
                row[2].as_i64().context("a time")?;
        }
    }
    Ok(times)
}

/// The tracks of what threads do have the report's times, alone or in sums.
fn check_activities(run: &Path, report: &Value) -> Result<()> {
    check_activities_within(run, report, &[])?;
    let reported = reported_activities(report)?;
    let summed = activities(&mut Judged::with_view(run, "threads")?, &[ACTIVITIES, SUMMED])?;
    ensure!(summed == reported, "{summed:#?} is drawn, but the report has {reported:#?}");
    Ok(())
}

/// In a window that these options choose they have those of its report.
pub fn check_activities_within(run: &Path, report: &Value, window: &[&str]) -> Result<()> {
    let reported = reported_activities(report)?;
    let mut judged = match window {
        [] => Judged::exact(run)?,
        window => Judged::exact_within(run, window)?,
    };
    let drawn = activities(&mut judged, &[ACTIVITIES])?;
    ensure!(drawn == reported, "{drawn:#?} is drawn, but the report has {reported:#?}");
    Ok(())
}

/// Time by thread and activity, as the report has it.
fn reported_activities(report: &Value) -> Result<Times> {
    let mut reported = Times::new();
    for thread in list(report, "threads")? {
        let tid = number(thread, "/os_thread")? as i64;
        for (state, time) in thread["times"].as_object().context("states")? {
            let key = (tid, activity(state).to_owned());
            *reported.entry(key).or_default() += time.as_i64().context("a time")?;
        }
    }
    reported.retain(|_, time| *time != 0);
    Ok(reported)
}

fn check(name: &str) -> Result<()> {
    let traced = record_events(&programs::by_name(name)?, &runtimes::libomp_19()?)?;
    let run = traced.scratch.only_run()?;
    let mut judged = Judged::exact(&run)?;
    let (mut expected, lives) = from_sql(&mut judged)?;
    let report = report(&run)?;
    check_activities(&run, &report).with_context(|| name.to_owned())?;
    let (mut reported, reported_lives) = from_report(&report)?;
    expected.retain(|_, time| *time != 0);
    reported.retain(|_, time| *time != 0);
    ensure!(reported == expected, "{name}: {reported:#?} but SQL has {expected:#?}");
    ensure!(reported_lives == lives, "{name}: {reported_lives:?} but SQL has {lives:?}");
    let work = |((_, state), time): (&(i64, String), &i64)| match state.as_str() {
        "work" | "target" => *time,
        _ => 0,
    };
    let work: i64 = reported.iter().map(work).sum();
    let integrals = judged.judge().query(INTEGRALS)?.rows;
    let working = integrals.iter().find(|row| row[0] == "threads working");
    let working = working.and_then(|row| row[1].as_f64()).context("a counter")?;
    ensure!(working == work as f64, "{name}: {work} ns of work, but the counter has {working}");
    Ok(())
}

#[test]
fn loops_and_barriers() -> Result<()> {
    ["c/for_static", "c/for_dynamic", "c/imbalance", "c/single"].into_iter().try_for_each(check)
}

#[test]
fn mutexes() -> Result<()> {
    ["c/lock_contended", "c/critical", "c/for_ordered", "c/nest_locks"]
        .into_iter()
        .try_for_each(check)
}

#[test]
fn tasks() -> Result<()> {
    ["c/fib", "c/taskgroup", "c/task_untied", "c/nqueens"].into_iter().try_for_each(check)
}

#[test]
fn regions_within_regions() -> Result<()> {
    ["c/nested", "c/teams", "c/many_roots", "c/tasks_nested_region"].into_iter().try_for_each(check)
}
