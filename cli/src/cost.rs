//! Estimated cost of recording for the program, for people and as JSON.
//!
//! Records times what one took when the run began, what threads spent writing their full buffers, and
//! what finding call stacks took. The runtime's own way to the tool is not in it.

use ompttrace_model::ompt::Thread as Kind;
use ompttrace_model::thread_name;
use ompttrace_recording::Recording;
use ompttrace_timeline::{Clock, Counts, ThreadCounts};
use serde_json::{Value, json};

/// Threads that are reported one by one to people.
const MOST_REPORTED: usize = 8;

/// The estimate for one recording.
pub struct Cost<'a> {
    recording: &'a Recording,
    counts: &'a Counts,
    clock: Clock,
}

impl<'a> Cost<'a> {
    pub fn new(recording: &'a Recording, counts: &'a Counts) -> Cost<'a> {
        Cost { recording, counts, clock: Clock::of(recording) }
    }

    /// Nanoseconds that one record takes; `None` if not measured.
    fn of_record(&self) -> Option<f64> {
        let picoseconds = self.recording.facts.record_picoseconds;
        (picoseconds > 0).then_some(picoseconds as f64 / 1000.0)
    }

    /// Nanoseconds from the first to the last record of a thread.
    fn lasted(&self, thread: &ThreadCounts) -> f64 {
        self.clock.distance(thread.ticks) as f64
    }

    fn stored(&self, thread: &ThreadCounts) -> f64 {
        self.of_record().unwrap_or(0.0) * thread.records as f64
    }

    /// Threads that records were stored by: a device's driver reports afterwards.
    fn threads(&self) -> impl Iterator<Item = &'a ThreadCounts> {
        self.counts.threads.iter().filter(|one| one.thread.kind != Kind::Device)
    }

    /// Sums of all threads' cost and of all threads' time, in nanoseconds.
    fn sum(&self) -> (f64, f64) {
        let stored: f64 = self.threads().map(|thread| self.stored(thread)).sum();
        let lasted = self.threads().map(|thread| self.lasted(thread)).sum();
        let stacks = self.clock.distance(self.counts.stacks.took) as f64;
        (stored + self.recording.facts.drains.nanoseconds as f64 + stacks, lasted)
    }

    /// The estimate as lines of a table.
    pub fn lines(&self) -> Vec<String> {
        let drains = self.recording.facts.drains;
        let (cost, lasted) = self.sum();
        let mut lines = Vec::new();
        if let Some(record) = self.of_record() {
            lines.push(format!(
                "cost      about {record:.1} ns a record, {} in all{}",
                time(cost),
                // Records that were lost were threads' time too, of which nothing is known.
                match self.counts.lost_sum() {
                    0 => format!(": {} of the threads' time", share(cost, lasted)),
                    _ => String::new(),
                }
            ));
        }
        lines.push(format!(
            "buffers   written {} times in {}, at most {}, 999 of 1000 within {}",
            drains.count,
            time(drains.nanoseconds as f64),
            time(drains.longest as f64),
            time(drains.longest_of_999_in_1000 as f64)
        ));
        if self.of_record().is_some() {
            lines.extend(self.threads().take(MOST_REPORTED).map(|thread| self.line(thread)));
        }
        let more = self.threads().count().saturating_sub(MOST_REPORTED);
        if more > 0 {
            lines.push(format!("          and {more} more threads: --json"));
        }
        lines
    }

    fn line(&self, thread: &ThreadCounts) -> String {
        let name = crate::say::harmless(&thread_name(&self.recording.facts, &thread.thread));
        let (cost, lasted) = (self.stored(thread), self.lasted(thread));
        format!(
            "          {name:<20}{:>12} records, {}: {}",
            thread.records,
            time(cost),
            share(cost, lasted)
        )
    }

    pub fn value(&self) -> Value {
        let facts = &self.recording.facts;
        let (cost, lasted) = self.sum();
        let thread = |thread: &ThreadCounts| {
            json!({
                "number": thread.thread.number,
                "os_thread": thread.thread.os_thread,
                "records": thread.records,
                "lasted_ns": self.lasted(thread) as u64,
                "storing_ns": self.stored(thread) as u64,
                "waited_ns": self.clock.distance(thread.waited),
            })
        };
        json!({
            "record_ns": self.of_record(),
            "drains": facts.drains,
            "estimated_ns": cost as u64,
            "threads_lasted_ns": lasted as u64,
            "threads": self.threads().map(thread).collect::<Vec<_>>(),
        })
    }
}

/// Nanoseconds as people read them.
pub fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns >= 1e9 => format!("{:.2} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{:.1} ms", ns / 1e6),
        ns if ns >= 1e3 => format!("{:.1} us", ns / 1e3),
        ns => format!("{ns:.0} ns"),
    }
}

/// A part of a whole, in percent.
pub fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.2} %", 100.0 * part / whole) } else { "0 %".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_shares_are_short() {
        let times = [150.0, 1_500.0, 2.5e6, 3e9].map(time);
        assert_eq!(times, ["150 ns", "1.5 us", "2.5 ms", "3.00 s"]);
        assert_eq!([share(1.0, 8.0), share(1.0, 0.0)], ["12.50 %", "0 %"]);
    }
}
