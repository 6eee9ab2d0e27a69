//! Bytes per event and speeds of packing and reading on one core, of run folders that are named:
//! `cargo run --release -p ompttrace-packed --example pack_speed -- [--level N] RUN...`. Files stay as they are.

use ompttrace_packed::{Options, open, pack_folder, packed_bytes};
use ompttrace_recording::{Recording, folder};
use std::hint::black_box;
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Instant;

/// Callbacks among the records, and seconds that it took to look at each: the best of five.
fn read(open: impl Fn() -> Recording) -> (u64, f64) {
    let (mut events, mut best) = (0, f64::MAX);
    for _ in 0..5 {
        let recording = open();
        let start = Instant::now();
        events = 0;
        for thread in 0..recording.threads.len() {
            let mut stream = recording.stream(thread);
            while let Some(number) = stream.take(|record| {
                black_box((record.ticks, record.words));
                record.code.number()
            }) {
                events += u64::from((1..=37).contains(&number));
            }
        }
        recording.check().expect("whole");
        best = best.min(start.elapsed().as_secs_f64());
    }
    (events, best)
}

fn measure(run: &Path, level: i32) {
    let copy = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(run).expect("a run folder").flatten() {
        if entry.file_name() != folder::PACKED && entry.path().is_file() {
            let to = copy.path().join(entry.file_name());
            std::os::unix::fs::symlink(entry.path(), to).expect("linked");
        }
    }
    let plain = || Recording::open(copy.path()).expect("a recording");
    let (events, before) = read(plain);
    let recording = plain();
    let start = Instant::now();
    let jobs = available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let outcome = pack_folder(&recording, Options { level, keep: true, jobs }, |_, _| {});
    let took = start.elapsed().as_secs_f64();
    outcome.expect("packed");
    let bytes = packed_bytes(copy.path()).expect("packed");
    let (again, after) = read(|| open(copy.path()).expect("a packed recording"));
    assert_eq!(events, again);
    let rate = |seconds: f64| events as f64 / seconds / 1e6;
    println!(
        "{:24} {events:>9} events, {:5.2} bytes each, packed at {:5.1} M/s on all cores, read on one at {:5.1} M/s (unpacked {:5.1})",
        run.file_name().unwrap_or_default().to_string_lossy(),
        bytes as f64 / events as f64,
        rate(took),
        rate(after),
        rate(before)
    );
}

fn main() {
    let mut level = 3;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--level" => level = arguments.next().and_then(|n| n.parse().ok()).expect("a level"),
            run => measure(&std::fs::canonicalize(run).expect("a run folder"), level),
        }
    }
}
