//! A long window of a run's time is made in several windows of the records: the trace is the same however many threads make it, and
//! shows what it shows if it is made in one.

use std::fs;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use ompttrace_timeline::{Clock, span_of};
use serde_json::Value;

use super::{judged, path};
use crate::jobs::{ARROWS, COUNTERS, DETAILS, SLICES, SMALL_BUFFERS, STATES};

/// Window size in bytes that is larger than any recording.
const ONE_WINDOW: &str = "1000000000000";
/// Window size in bytes of which the recordings here have many.
const SMALL: &str = "2000";

#[test]
fn a_long_window_of_tasks_is_the_same_in_several_windows() -> Result<()> {
    check(programs::by_name("c/fib")?)
}

#[test]
fn a_long_window_of_locks_is_the_same_in_several_windows() -> Result<()> {
    check(programs::by_name("c/critical")?)
}

/// The thread waits from before the window on, which is known when it has the lock.
#[test]
fn a_wait_that_began_before_a_long_window_begins_with_it() -> Result<()> {
    check(programs::of_test("tests/windows/long_wait.c")?)
}

fn check(program: Program) -> Result<()> {
    let settings = [RECORD_ONLY, SMALL_BUFFERS];
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    let run = traced.scratch.only_run()?;
    let [from, to] = most_of(&Recording::open(&run)?)?;
    for (format, times) in [
        ("perfetto", &["--from", &from, "--to", &to][..]),
        ("chrome", &["--from", &from, "--to", &to]),
        ("perfetto", &["--to", &to]),
        ("perfetto", &["--from", &from]),
    ] {
        let made = |name: &str, window: &str, jobs: &str| -> Result<(Value, Vec<u8>)> {
            let output = run.join(name).to_string_lossy().into_owned();
            let how = ["--view", "both", "--detail", "all", "--exact"];
            let by = ["--format", format, "--window-size", window, "--jobs", jobs];
            let all = [&how[..], &by, times, &["--output", &output]].concat();
            let reported = Product::find()?.export_with(&run, &all)?;
            let bytes = fs::read(path(&reported["trace"])?)?;
            Ok((reported, bytes))
        };
        let (one, one_window) = made("one", ONE_WINDOW, "2")?;
        let (several, bytes) = made("several", SMALL, "1")?;
        ensure!(made("others", SMALL, "3")?.1 == bytes, "{format}, {times:?}: another trace");
        ensure!(bytes != one_window, "{format}, {times:?}: there is one window");
        for count in ["events", "lost", "slices", "instants", "region_slices", "truncated"] {
            let [one, several] = [&one, &several].map(|of| number(of, &format!("/{count}")));
            let (one, several) = (one?, several?);
            ensure!(one == several, "{format}, {times:?}: {several} {count} instead of {one}");
        }
        let mut one = judged(&path(&one["trace"])?, &one)?;
        let mut several = judged(&path(&several["trace"])?, &several)?;
        for sql in [SLICES, DETAILS, STATES, COUNTERS, ARROWS] {
            let (one, several) = (one.lines(sql)?, several.lines(sql)?);
            let differ = one.iter().zip(&several).find(|(one, several)| one != several);
            ensure!(
                one.len() == several.len() && differ.is_none(),
                "{format}, {times:?}: {} and {} of {sql}, {differ:?}",
                one.len(),
                several.len()
            );
        }
        ensure!(several.judge().stats_errors()?.is_empty(), "{format}, {times:?}");
        ["one", "several", "others"].iter().try_for_each(|name| fs::remove_file(run.join(name)))?;
    }
    Ok(())
}

/// Times since the begin of a run between which it has most of its records.
fn most_of(recording: &Recording) -> Result<[String; 2]> {
    let cuts = recording.cuts(2_000, u64::MAX >> 1);
    ensure!(cuts.len() > 8, "the recording is too small for this test: {cuts:?}");
    let (clock, (begin, _)) = (Clock::of(recording), span_of(recording));
    let time = |at: usize| -> Result<String> {
        let cut = *cuts.get(at).context("a cut")?;
        Ok(format!("{}ns", clock.nanoseconds(cut).saturating_sub(begin)))
    };
    Ok([time(cuts.len() / 6)?, time(cuts.len() * 9 / 10)?])
}
