//! A common time for recordings of several processes, also of several machines.
//!
//! Processes of one machine have the same CLOCK_MONOTONIC, and keep their times of it. Between machines only the time
//! of day is common, as accurately as they keep it.

use ompttrace_recording::Recording;
use ompttrace_recording::facts::{Clock, ClockPair, Life};
use ompttrace_timeline::span_of;

/// Time of day minus CLOCK_MONOTONIC, in nanoseconds.
type Offset = i128;

/// Maximum difference of offsets on one machine between two starts, in nanoseconds: clocks are set by less in a run.
const SAME_START: Offset = 1_000_000_000;

/// Puts all times on the clock of the machine that has been up for longest, and the recordings in the
/// order in which they begin: a reader wants clocks to go forward from packet to packet. Returns of how many machines
/// they are.
pub fn align(recordings: &mut [Recording]) -> usize {
    let mut machines: Vec<(String, Offset)> = Vec::new();
    let of_machine: Vec<Offset> = recordings
        .iter()
        .map(|recording| machine(&mut machines, &recording.facts.process.host, offset(recording)))
        .collect();
    let Some(common) = of_machine.iter().copied().min() else { return 0 };
    for (recording, offset) in recordings.iter_mut().zip(of_machine) {
        let by = u64::try_from(offset - common).unwrap_or(0);
        shift(&mut recording.facts.clock, by, common);
        let Life { began, ended, .. } = &mut recording.facts.life;
        let times = began.iter_mut().chain(ended.iter_mut().map(|end| &mut end.monotonic));
        times
            .chain(recording.last_sign.iter_mut())
            .for_each(|time| *time = time.saturating_add(by));
        let clocks = recording.threads.iter_mut().filter_map(|thread| thread.clock.as_mut());
        clocks.for_each(|(first, last)| [first, last].into_iter().for_each(|pair| later(pair, by)));
    }
    recordings.sort_by_key(begin);
    machines.len()
}

/// The offset of the machine that a process ran on, the same for all of them.
fn machine(machines: &mut Vec<(String, Offset)>, host: &str, offset: Offset) -> Offset {
    let same = |(name, known): &&(String, Offset)| {
        name == host && known.abs_diff(offset) < SAME_START.unsigned_abs()
    };
    if let Some((_, known)) = machines.iter().find(same) {
        return *known;
    }
    machines.push((host.to_owned(), offset));
    offset
}

fn offset(recording: &Recording) -> Offset {
    let clock = &recording.facts.clock;
    let monotonic = clock.pairs.first().map_or(0, |pair| pair.monotonic);
    Offset::from(clock.realtime) - Offset::from(monotonic)
}

/// Moves a clock, whose time of day is then the common offset away.
fn shift(clock: &mut Clock, by: u64, common: Offset) {
    clock.pairs.iter_mut().for_each(|pair| later(pair, by));
    if let Some(first) = clock.pairs.first() {
        clock.realtime = u64::try_from(Offset::from(first.monotonic) + common).unwrap_or(0);
    }
}

fn later(pair: &mut ClockPair, by: u64) {
    pair.monotonic = pair.monotonic.saturating_add(by);
}

/// Begin of the run, in nanoseconds.
fn begin(recording: &Recording) -> u64 {
    let is_empty = recording.threads.iter().all(|thread| thread.bytes() == 0);
    if is_empty { u64::MAX } else { span_of(recording).0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::Scope;
    use ompttrace_recording::events::Flush;
    use ompttrace_timeline::testing::RunBuilder;

    /// A run on `host` with one event at `at`, where it was `day` when the clock said 1,000.
    fn recorded(host: &str, at: u64, day: u64) -> (tempfile::TempDir, Recording) {
        let mut run = RunBuilder::new();
        run.facts.process.host = host.into();
        let pair = |time| ClockPair { ticks: time, monotonic: time };
        run.facts.clock.pairs = vec![pair(1_000), pair(1 << 40)];
        run.facts.clock.realtime = day;
        run.put(0, at, Scope::None, Flush::default());
        run.open().expect("a run folder")
    }

    /// Times of the events after the recordings were aligned, and the time of day at each.
    fn aligned(
        machines: usize,
        runs: Vec<(tempfile::TempDir, Recording)>,
    ) -> Vec<(String, u64, i128)> {
        let (_folders, mut recordings): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        assert_eq!(align(&mut recordings), machines);
        let one = |recording: &Recording| {
            let at = begin(recording);
            (recording.facts.process.host.clone(), at, Offset::from(at) + offset(recording))
        };
        recordings.iter().map(one).collect()
    }

    #[test]
    fn machines_meet_by_the_time_of_day() {
        let day = 1_700_000_000_000_000_000;
        // The second has been up for 5 s longer when the same day breaks.
        let runs = vec![
            recorded("a", 3_000, day),
            recorded("b", 5_000_001_000, day - 5_000_000_000 + 5_000_000_000),
            recorded("b", 2_000, day - 5_000_000_000),
        ];
        let reported = aligned(3, runs);
        let days: Vec<_> = reported.iter().map(|(_, _, day)| *day).collect();
        assert!(reported.iter().map(|(_, at, _)| at).is_sorted());
        let expected =
            [day as i128 - 4_999_999_000, day as i128 + 2_000, day as i128 + 5_000_000_000];
        assert_eq!(days, expected);
    }

    #[test]
    fn one_machine_keeps_its_own_clock() {
        let day = 1_700_000_000_000_000_000;
        // The time of day was set by 3 us in between.
        let reported =
            aligned(1, vec![recorded("a", 4_000, day), recorded("a", 3_500, day + 3_000)]);
        let times: Vec<_> = reported.iter().map(|(_, at, _)| *at).collect();
        assert_eq!(times, [3_500, 4_000]);
        assert_eq!(reported[0].2 - reported[1].2, -500, "one offset for both");
    }
}
