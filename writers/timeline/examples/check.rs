//! Checks the timelines of real run folders against the contract; prints them with `--dump`, and their
//! records in the order of time with `--raw`:
//! `cargo run -p ompttrace-timeline --features testing --example check -- [--dump] [--raw] RUN…`.

use ompttrace_recording::Recording;
use ompttrace_timeline::testing::{Checker, Timeline};
use std::path::Path;

fn dump(timeline: &Timeline) {
    let mut lines: Vec<_> = timeline
        .slices
        .iter()
        .map(|s| {
            let marks = format!("{:?}/{:?}", s.begin_mark, s.end_mark).replace("Observed", "");
            let resumed = if s.resumed { " resumed" } else { "" };
            let args: Vec<_> =
                s.args.iter().map(|a| format!("{}={:?}", a.key.name(), a.value)).collect();
            let text = format!("{} [{:?}]{resumed} {marks} {}", s.name, s.kind, args.join(" "));
            (
                s.begin,
                s.depth,
                s.thread,
                format!("{:>9} {:8} {text}", s.end - s.begin, s.logical_thread),
            )
        })
        .chain(timeline.instants.iter().map(|i| {
            (
                i.at,
                99,
                i.thread,
                format!("{:>9} {:8} {} [{:?}]", "", i.logical_thread, i.name, i.kind),
            )
        }))
        .collect();
    lines.sort();
    let start = lines.first().map_or(0, |line| line.0);
    for (at, depth, thread, text) in lines {
        let indent = if depth < 99 { "  ".repeat(depth) } else { "! ".into() };
        println!("{:>12} T{thread:<3} {indent}{text}", at - start);
    }
    for (lock, name) in &timeline.locks {
        println!("lock {lock}: {name}");
    }
    for (at, counter, value) in &timeline.counters {
        println!("{:>12} {counter:?} {value}", at.saturating_sub(start));
    }
}

fn raw(recording: &Recording) {
    let clock = ompttrace_timeline::Clock::of(recording);
    let streams = (0..recording.threads.len()).map(|position| recording.stream(position));
    let mut start = None;
    ompttrace_timeline::Merge::new(streams.collect()).run(|thread, record| {
        let at = clock.nanoseconds(record.ticks);
        let at = at - *start.get_or_insert(at);
        let (scope, event) = (record.code.scope(), record.event());
        let event = format!("{event:?}").replace("None", "");
        println!("{at:>12} T{thread:<3} {scope:?} {event}");
    });
}

fn main() {
    let (flags, runs): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let mut failed = false;
    for run in runs {
        let recording = Recording::open(Path::new(&run)).expect("a run folder");
        match ompttrace_timeline::run(&recording, Checker::default()) {
            Ok((timeline, summary)) => {
                if flags.iter().any(|flag| flag == "--raw") {
                    raw(&recording);
                }
                if flags.iter().any(|flag| flag == "--dump") {
                    dump(&timeline);
                }
                println!("{run}: {summary:?}\n  logical threads {:?}", timeline.paths());
            }
            Err(error) => {
                failed = true;
                println!("{run}: FAILED {error}");
            }
        }
    }
    std::process::exit(i32::from(failed));
}
