//! What a thread does by its events against what its runtime says of it in the signal's handler, at the same instant.

use super::{Run, Taken, over};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use std::collections::BTreeMap;

/// Each sample with the state by events around it, and how far the next change of that is, nanoseconds.
const BY_EVENTS: &str = "with state as (select t.utid, s.ts, s.dur, s.name from slice s \
    join thread_track t on t.id = s.track_id where s.category = 'state') \
    select th.tid, state.name, min(p.ts - state.ts, state.ts + state.dur - p.ts) from perf_sample p \
    join thread th using (utid) left join state on state.utid = p.utid \
    and state.ts <= p.ts and p.ts < state.ts + state.dur order by th.tid, p.ts, p.id";

/// Nearer to a change either side may be the one that knows it already.
const NEAR: i64 = 200_000;

/// The state of a runtime (ompt_state_t) in one word, as the track has it.
fn activity(state: u64) -> &'static str {
    match state {
        0..=0xf => "work",
        0x10..=0xff => "wait",
        0x100 => "idle",
        0x101 => "overhead",
        _ => "undefined",
    }
}

/// How often each pair of states was found, the runtime's first, away from changes.
fn pairs(run: &Run) -> Result<BTreeMap<(&'static str, String), u64>> {
    let mut judged = Judged::with_view(&run.scratch.only_run()?, "threads")?;
    let rows = judged.judge().query(BY_EVENTS)?.rows;
    let mut samples: Vec<Taken> = run.samples()?;
    // Within a thread they are in the order of time.
    samples.sort_by_key(|taken| taken.os_thread);
    ensure!(rows.len() == samples.len(), "{} in the trace, {} recorded", rows.len(), samples.len());
    let mut pairs = BTreeMap::new();
    for (row, taken) in rows.iter().zip(&samples) {
        let thread = row.first().and_then(|tid| tid.as_u64()).context("a thread")?;
        ensure!(thread == u64::from(taken.os_thread));
        let (Some(by_events), Some(distance)) = (row[1].as_str(), row[2].as_i64()) else {
            continue;
        };
        if distance > NEAR {
            *pairs.entry((activity(taken.state), by_events.to_owned())).or_default() += 1;
        }
    }
    Ok(pairs)
}

fn check(runtime: &str) -> Result<()> {
    let program = programs::of_test("tests/samples/states.c")?;
    let settings = [RECORD_ONLY, ("OMPTTRACE_SAMPLE", "1000,wall"), ("OMPTTRACE_CORES", "off")];
    let traced = traced::run(&program, &runtimes::by_name(runtime)?, By::Runtime, &settings)?;
    let run = over("states", traced)?;
    let pairs = pairs(&run)?;
    println!("{runtime}: {pairs:?}");
    // A worker stays in a region's last barrier, as its runtime has it, until the next region; events end its part with
    // the region.
    for (state, by_events) in [("work", &["work"][..]), ("wait", &["wait", "idle"][..])] {
        let of = pairs.iter().filter(|((said, _), _)| *said == state);
        let same = of.clone().filter(|((_, found), _)| by_events.contains(&&**found));
        let [all, same] = [of.map(|(_, n)| n).sum::<u64>(), same.map(|(_, n)| n).sum()];
        ensure!(same > 20 && same >= all - all / 20, "{state} on {runtime}: {pairs:?}");
    }
    ensure!(pairs.contains_key(&("wait", "wait".to_owned())), "{pairs:?}");
    Ok(())
}

#[test]
fn events_say_what_libomp_says() -> Result<()> {
    check("libomp-19")
}

#[cfg(target_arch = "x86_64")]
#[test]
fn events_say_what_intels_runtime_says() -> Result<()> {
    check("intel-2026")
}
