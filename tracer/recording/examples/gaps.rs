//! Silences of the threads of recordings, as `cargo xtask bench drains` asks for them: for each run folder a line of
//! JSON with their number and the longest.
//! `cargo run --release -p ompttrace-recording --example gaps -- MICROSECONDS RUN...`.

use ompttrace_recording::Recording;
use serde_json::json;
use std::path::Path;

/// Callbacks of a run, its time per thread, and its threads' silences of `limit` ticks and more.
#[derive(Default)]
struct Silences {
    events: u64,
    gaps: u64,
    longest: u64,
    busiest: u64,
}

impl Silences {
    fn of(recording: &Recording, limit: u64) -> Silences {
        let mut all = Silences::default();
        for thread in 0..recording.threads.len() {
            all.add_thread(recording, thread, limit);
        }
        all
    }

    fn add_thread(&mut self, recording: &Recording, thread: usize, limit: u64) {
        let mut stream = recording.stream(thread);
        let (mut first, mut last) = (None, 0);
        while let Some((ticks, number)) = stream.take(|record| (record.ticks, record.code.number()))
        {
            // Our own records are where their event will be, or after it: they say nothing new.
            if !(1..=37).contains(&number) {
                continue;
            }
            let gap = if first.is_some() { ticks.saturating_sub(last) } else { 0 };
            self.events += 1;
            self.gaps += u64::from(gap >= limit);
            self.longest = self.longest.max(gap);
            first.get_or_insert(ticks);
            last = last.max(ticks);
        }
        self.busiest = self.busiest.max(last.saturating_sub(first.unwrap_or(last)));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let limit: f64 = arguments.next().ok_or("which limit, in microseconds?")?.parse()?;
    for run in arguments {
        let recording = Recording::open(Path::new(&run))?;
        let [first, .., last] = recording.facts.clock.pairs[..] else {
            return Err(format!("{run}: not closed").into());
        };
        let frequency = (last.ticks - first.ticks) as f64 * 1e9
            / last.monotonic.saturating_sub(first.monotonic) as f64;
        let silences = Silences::of(&recording, (limit * frequency / 1e6) as u64);
        let nanoseconds = |ticks: u64| (ticks as f64 / frequency * 1e9) as u64;
        println!(
            "{}",
            json!({
                "run": run,
                "events": silences.events,
                "gaps": silences.gaps,
                "longest_ns": nanoseconds(silences.longest),
                "busiest_thread_ns": nanoseconds(silences.busiest),
                "drains": recording.facts.drains,
            })
        );
    }
    Ok(())
}
