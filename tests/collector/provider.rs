//! The other side: a collector that was written for the paper, on our provider over runtimes with OMPT,
//! beside the oracle's counts of what these runtimes reported.

use anyhow::{Context, Result, ensure};
use ompttrace_tests::counts::{Counts, Totals};
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use ompttrace_tests::{build, oracle, process};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Programs that together make every event of the paper happen but the waits for atomic regions, which
/// these compilers' atomics do not have.
const PROGRAMS: [&str; 13] = [
    "c/barrier",
    "c/critical",
    "c/fib",
    "c/for_ordered",
    "c/lock_contended",
    "c/locks",
    "c/masked",
    "c/nest_locks",
    "c/nested",
    "c/reduction",
    "c/sections",
    "c/single",
    "c/two_roots",
];

/// Waits for locks, critical and atomic.
const WAITS: [usize; 6] = [9, 10, 11, 12, 21, 22];

/// Words of `struct seen` in sun.c.
const STATES: usize = 32;
const SAMPLES: usize = 48;
const REFUSED: usize = 49;
const WRONG: usize = 50;
const WRONG_PRID: usize = 51;
const REGISTERED: usize = 52;
const START: usize = 53;
const LAST_WRONG: usize = 54;

#[test]
fn a_collector_sees_what_the_runtime_reports() -> Result<()> {
    on_all(&runtimes::libomp_19()?)
}

#[cfg(target_arch = "x86_64")]
#[test]
fn on_intels_runtime_too() -> Result<()> {
    on_all(&runtimes::by_name("intel-2026")?)
}

fn on_all(runtime: &Runtime) -> Result<()> {
    let mut all = [0; 23];
    for name in PROGRAMS {
        let seen = counted(&programs::by_name(name)?, runtime)
            .with_context(|| format!("{name} on {}", runtime.name))?;
        all.iter_mut().zip(&seen).for_each(|(sum, count)| *sum += count);
    }
    // Whether a thread has to wait is luck: `only_threads_that_wait_are_reported` leaves nothing to it.
    let all = all.iter().enumerate().skip(1).filter(|(event, _)| !WAITS.contains(event));
    let never: Vec<usize> = all.filter(|(_, count)| **count == 0).map(|(event, _)| event).collect();
    ensure!(never.is_empty(), "{never:?} never came on {}", runtime.name);
    Ok(())
}

/// Runs a program with the oracle in front of the provider; returns the collector's counts by event.
fn counted(program: &Program, runtime: &Runtime) -> Result<Vec<u64>> {
    let scratch = Scratch::new()?;
    let mut command = program.command(runtime)?;
    let counts = scratch.path().join("counts");
    oracle::attach(&mut command, &counts, Some(&provider()?))?;
    // Found before any list of tools is looked at: by the order of preloading the oracle's.
    command.env_remove("OMP_TOOL_LIBRARIES");
    let seen = preload(&mut command, &scratch)?;
    runtimes::prepend(&mut command, "LD_PRELOAD", &oracle::library()?);
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end), "{run:?}");
    let (seen, counts) = (words(&seen)?, Counts::read(&counts)?);
    ensure!(counts.tool, "the oracle had no tool behind it");
    ensure!(seen[START] == 1 && seen[REGISTERED] == (1 << 23) - 2, "{seen:?}");
    for (event, wanted) in expected(&counts).into_iter().enumerate().skip(1) {
        let name = super::runs::EVENTS[event];
        // Who was asked for a mutex did not always wait; who waited was asked for it, and had it in the end.
        let good = match event {
            _ if !WAITS.contains(&event) => seen[event] == wanted,
            _ if event % 2 == 1 => seen[event] <= wanted && seen[event + 1] == seen[event],
            _ => true,
        };
        ensure!(good, "{name}: {} seen, {wanted} reported by OMPT", seen[event]);
    }
    check_questions(&seen)?;
    Ok(seen[..23].to_vec())
}

/// Whatever was asked in events and signal handlers was answered, and as the paper has it.
fn check_questions(seen: &[u64]) -> Result<()> {
    let last = seen[LAST_WRONG];
    ensure!(
        seen[WRONG] == 0,
        "{} states, the last {} in event {}",
        seen[WRONG],
        last as u32,
        last >> 32
    );
    ensure!(seen[WRONG_PRID] == 0 && seen[REFUSED] == 0, "{seen:?}");
    Ok(())
}

/// Expected number of each event of the paper, by event number, calculated from the counts of OMPT callbacks.
fn expected(counts: &Counts) -> Vec<u64> {
    let of = |event: &str, kinds: &[u32]| {
        let by_kind = &counts.event(event).by_kind;
        let found = kinds.iter().filter_map(|kind| by_kind.get(kind));
        found.fold(Totals::default(), |sum, one| sum.plus(one))
    };
    let forks = of("parallel_begin", &[2]).sum();
    // An initial task is not in a team; a team's primary is never idle in it.
    let implicit_tasks = of("implicit_task", &[2]);
    let implicit = of("sync_region", &[2, 4, 8, 9, 10]);
    let explicit = of("sync_region", &[1, 3]);
    let asked = |kinds: &[u32]| of("mutex_acquire", kinds).sum();
    let had = |kinds: &[u32]| of("mutex_acquired", kinds).sum();
    let again = again_by_set(counts);
    let (single, masked) = (of("work", &[3]), counts.event("masked").returned);
    vec![
        0,
        forks,
        of("parallel_end", &[2]).sum(),
        of("thread_begin", &[2]).sum() + implicit_tasks.end - forks,
        implicit_tasks.begin - forks,
        implicit.begin,
        implicit.end,
        explicit.begin,
        explicit.end,
        asked(&[1, 3]),
        had(&[1, 3]) + again,
        asked(&[5]),
        had(&[5]),
        asked(&[7]),
        had(&[7]),
        masked.begin,
        masked.end,
        single.begin,
        single.end,
        had(&[7]),
        of("mutex_released", &[7]).sum(),
        asked(&[6]),
        had(&[6]),
    ]
}

/// Nestable locks that their owner set again: asked for and neither tested nor reported as acquired.
fn again_by_set(counts: &Counts) -> u64 {
    let of = |event: &str| counts.event(event).by_kind.get(&3).map_or(0, Totals::sum);
    of("mutex_acquire") - of("mutex_acquired")
}

/// Signal handlers on all threads, all the time: nothing hangs, everything is answered, and the states
/// are those that the program is in.
#[test]
fn samples_are_taken_in_signal_handlers() -> Result<()> {
    let mut names = vec![runtimes::libomp_19()?];
    if cfg!(target_arch = "x86_64") {
        names.push(runtimes::by_name("intel-2026")?);
    }
    for runtime in names {
        let scratch = Scratch::new()?;
        let program = programs::of_test("tests/collector/sampled.c")?;
        let mut command = program.command(&runtime)?;
        let seen = preload(&mut command, &scratch)?;
        let run = process::run(&mut command, program.directives.timeout)?;
        ensure!(run.stdout == "ok sampled\n" && run.ended_by(program.directives.end), "{run:?}");
        let seen = words(&seen)?;
        check_questions(&seen).with_context(|| runtime.name.clone())?;
        let states = &seen[STATES..STATES + 12];
        ensure!(seen[SAMPLES] >= 3000, "{} samples", seen[SAMPLES]);
        ensure!(states.iter().sum::<u64>() == seen[SAMPLES], "{states:?} of {}", seen[SAMPLES]);
        // Work, implicit barriers, idleness, serial code, critical sections: the program has much of them.
        for state in [2, 3, 5, 6, 9] {
            ensure!(states[state] > 0, "state {state} on {}: {states:?}", runtime.name);
        }
        println!("{}: {states:?}", runtime.name);
    }
    Ok(())
}

/// A mutex that is free is no wait, one that another holds is one; and one of which nobody can say whether it
/// is free, because too many others are held, counts as one.
#[test]
fn only_threads_that_wait_are_reported() -> Result<()> {
    for runtime in [runtimes::libomp_19()?].into_iter().chain(intel()?) {
        let reported = |words: &[&str]| {
            waits(&runtime, words).with_context(|| format!("{words:?} on {}", runtime.name))
        };
        ensure!(reported(&["free"])? == [0, 0, 0], "{}: {:?}", runtime.name, reported(&["free"])?);
        let held = reported(&["held", "20"])?;
        ensure!(held == [2 * 20, 20, 0], "{}: {held:?}", runtime.name);
        let many = reported(&["many", "5000"])?;
        ensure!(many[0] == many[2] && many[0] >= 5000 - 4096, "{}: {many:?}", runtime.name);
    }
    Ok(())
}

/// Waits for locks and for critical sections as reported to the collector, and how often there was no slot for a
/// mutex.
fn waits(runtime: &Runtime, words: &[&str]) -> Result<Vec<u64>> {
    let (program, scratch) = (programs::of_test("tests/collector/waits.c")?, Scratch::new()?);
    let mut command = program.command(runtime)?;
    command.args(words);
    let seen = preload(&mut command, &scratch)?;
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end), "{run:?}");
    check_questions(&self::words(&seen)?)?;
    let counts = run.stdout.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>();
    counts.with_context(|| format!("{run:?}"))
}

/// A child's one thread is outside all regions, and what others held is nobody's; its own regions are reported.
#[test]
fn children_are_served_anew() -> Result<()> {
    let program = programs::of_test("tests/collector/forked.c")?;
    for runtime in [runtimes::libomp_19()?].into_iter().chain(intel()?) {
        for how in ["outside", "inside"] {
            let (mut command, scratch) = (program.command(&runtime)?, Scratch::new()?);
            preload(command.arg(how), &scratch)?;
            let run = process::run(&mut command, program.directives.timeout)?;
            let what = format!("{how} on {}: {run:?}", runtime.name);
            ensure!(run.stdout == "ok forked\n" && run.ended_by(program.directives.end), "{what}");
        }
    }
    Ok(())
}

/// Intel's runtime, where there is one.
fn intel() -> Result<Option<Runtime>> {
    cfg!(target_arch = "x86_64").then(|| runtimes::by_name("intel-2026")).transpose()
}

#[test]
fn every_request_is_answered_as_the_paper_has_it() -> Result<()> {
    let program = programs::of_test("tests/collector/requests.c")?;
    for runtime in runtimes::all()? {
        let mut command = program.command(&runtime)?;
        runtimes::prepend(&mut command, "LD_PRELOAD", &provider()?);
        let run = process::run(&mut command, program.directives.timeout)?;
        let what = format!("{}: {run:?}", runtime.name);
        ensure!(run.stdout == "ok requests\n" && run.ended_by(program.directives.end), "{what}");
    }
    Ok(())
}

/// A tool that finds the Collector API of our own provider leaves the runtime to OMPT: there is one recording of one runtime,
/// and each event is in it once.
#[test]
fn no_runtime_is_recorded_twice() -> Result<()> {
    let program = programs::by_name("c/barrier")?;
    let runtime = runtimes::libomp_19()?;
    let mut counts = Vec::new();
    for with_provider in [false, true] {
        let scratch = Scratch::new()?;
        let mut command = program.command(&runtime)?;
        command.env(RECORD_ONLY.0, RECORD_ONLY.1);
        if with_provider {
            runtimes::prepend(&mut command, "LD_PRELOAD", &provider()?);
        }
        scratch.attach(&mut command, By::Preload)?;
        let run = process::run(&mut command, program.directives.timeout)?;
        ensure!(run.ended_by(program.directives.end), "{run:?}");
        let info = Product::find()?.info(&scratch.only_run()?)?;
        ensure!(info["runtimes"].as_array().map(Vec::len) == Some(1), "{info}");
        ensure!(info["runtime"]["interface"] == "ompt", "{info}");
        counts.push(info["callbacks"]["sync_region"]["recorded"].clone());
    }
    ensure!(counts[0] == counts[1] && counts[0] != 0, "{counts:?}");
    Ok(())
}

/// The other order leaves the tool without events: it says so.
#[test]
fn another_tool_in_front_is_named() -> Result<()> {
    let (program, scratch) = (programs::by_name("c/barrier")?, Scratch::new()?);
    let mut command = program.command(&runtimes::libomp_19()?)?;
    scratch.attach(&mut command, By::Preload)?;
    runtimes::prepend(&mut command, "LD_PRELOAD", &provider()?);
    let run = process::run(&mut command, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end), "{run:?}");
    ensure!(run.stderr.lines().count() == 1 && run.stderr.contains("put it behind"), "{run:?}");
    ensure!(scratch.runs()?.is_empty(), "{:?}", scratch.names()?);
    Ok(())
}

/// Puts provider and collector into a program; returns where the collector counts.
fn preload(command: &mut Command, scratch: &Scratch) -> Result<PathBuf> {
    let seen = scratch.path().join("seen");
    let source = build::root().join("tests/collector/sun.c");
    let flags = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-pthread"];
    let collector = oracle::compiled(&[source], "collector/libsun.so", &flags)?;
    runtimes::prepend(command, "LD_PRELOAD", &collector);
    runtimes::prepend(command, "LD_PRELOAD", &provider()?);
    command.env("SUN_COUNTS", &seen);
    Ok(seen)
}

/// The provider, beside the product's library.
fn provider() -> Result<PathBuf> {
    let path = Product::find()?.library.with_file_name("libompttrace_collector.so");
    ensure!(path.is_file(), "no {}: run `cargo build --release` first", path.display());
    Ok(path)
}

fn words(file: &PathBuf) -> Result<Vec<u64>> {
    let bytes = fs::read(file).with_context(|| format!("{}: no session", file.display()))?;
    let words = bytes.chunks_exact(8);
    Ok(words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect())
}
