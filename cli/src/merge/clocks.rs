//! A common time for recordings of several processes, also of several machines.
//!
//! Processes of one machine have the same CLOCK_MONOTONIC, and keep what it says of them. Between machines the ranks of an MPI job
//! have compared their clocks when it began and when it ended; where they have not, only the time of day is common, as
//! accurately as machines keep it.

use crate::job;
use ompttrace_recording::facts::{ClockPair, Facts, Life};
use ompttrace_recording::{Correction, Recording, mpi};
use serde_json::{Value, json};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Time of day minus CLOCK_MONOTONIC, in nanoseconds.
type Offset = i128;

/// Maximum difference of offsets on one machine between two starts, in nanoseconds: clocks are set by less in a run.
const SAME_START: Offset = 1_000_000_000;

/// The way in which clocks were put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// The number of machines.
    pub machines: usize,
    /// The largest error of the comparisons of clocks, nanoseconds; `None`: the time of day was taken.
    error_ns: Option<u64>,
}

impl Alignment {
    /// True if only the time of day was common.
    pub fn is_by_time_of_day(&self) -> bool {
        self.machines > 1 && self.error_ns.is_none()
    }

    /// As JSON.
    pub fn value(&self) -> Value {
        let by = match (self.machines, self.error_ns) {
            (0 | 1, _) => "one_machine",
            (_, Some(_)) => "messages",
            (_, None) => "time_of_day",
        };
        json!({ "machines": self.machines, "aligned_by": by, "error_ns": self.error_ns })
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.machines, self.error_ns) {
            (0 | 1, _) => to.write_str("those of one machine"),
            (machines, Some(error)) => write!(
                to,
                "of {machines} machines, compared by messages between their ranks, with an error of at most {error} ns"
            ),
            (machines, None) => write!(to, "of {machines} machines, aligned by the time of day"),
        }
    }
}

/// A run folder, and the facts of its recording.
pub type Place<'a> = (&'a Path, &'a Facts);

/// The way in which the times of a recording go to the common clock.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The time of day minus the common clock.
    common: Offset,
    /// The comparisons by which times are moved.
    clocks: Vec<mpi::Clock>,
    /// Nanoseconds by which all times are later, where there are none.
    later: u64,
    /// The correction that the logical clock adds to that.
    pub(super) correction: Option<Arc<Correction>>,
}

impl Motion {
    /// Moves all times of a recording, whose time of day is then the common offset away.
    pub fn apply(&self, recording: &mut Recording) {
        let Motion { common, clocks, later, correction } = self;
        let by_clocks = |time| mpi::Clock::to_reference(clocks, time).unwrap_or(time);
        match clocks.is_empty() {
            true => move_times(recording, *common, |time| time.saturating_add(*later)),
            false => move_times(recording, *common, by_clocks),
        }
        if let Some(correction) = correction {
            let times = times_of_life(recording);
            times.for_each(|time| *time = correction.apply(*time));
            recording.correction = Some(Arc::clone(correction));
        }
    }
}

/// True if all recordings are of one machine, whose clock they share.
pub fn are_one(recordings: &[Facts]) -> bool {
    machines(recordings.iter()).0.len() <= 1
}

/// The number of each recording's machine.
pub fn machines_of(recordings: &[Place<'_>]) -> Vec<u32> {
    let (_, of_machine) = machines(recordings.iter().map(|(_, facts)| *facts));
    let mut known = Vec::new();
    let number = |(offset, (_, facts)): (&Offset, &Place<'_>)| {
        let machine = (*offset, facts.process.host.clone());
        known.iter().position(|one| *one == machine).unwrap_or_else(|| {
            known.push(machine);
            known.len() - 1
        }) as u32
    };
    of_machine.iter().zip(recordings).map(number).collect()
}

/// Nanoseconds that a message between machines takes at least: half of what it took on average in the shortest round trip, or what
/// clocks can tell apart.
pub fn latency(measured: &[Vec<mpi::Clock>]) -> u64 {
    let compared = measured.iter().flatten().filter(|clock| !clock.is_shared());
    let half_trips = compared.filter(|clock| clock.rounds > 0).map(|clock| clock.error_ns);
    half_trips.min().map_or(1, |half_trip| (half_trip / 2).max(1))
}

/// The way in which these recordings are put on one clock.
pub fn alignment(recordings: &[Place<'_>], measured: &[Vec<mpi::Clock>]) -> Alignment {
    let (machines, of_machine) = machines(recordings.iter().map(|(_, facts)| *facts));
    let jobs: Vec<_> = recordings.iter().map(|(path, _)| job::number(path)).collect();
    // Each job has a first rank of its own.
    let several = machines.len() > 1 && jobs.iter().all(|job| Some(job) == jobs.first());
    let error_ns = several.then(|| compared(of_machine.len(), measured)).flatten();
    Alignment { machines: machines.len(), error_ns }
}

/// The way in which each recording goes to one clock. `measured`: the comparisons of each rank's clock with another's, where ranks
/// are of several machines.
pub fn motions(recordings: &[Place<'_>], measured: &[Vec<mpi::Clock>]) -> (Alignment, Vec<Motion>) {
    let alignment = alignment(recordings, measured);
    let (_, of_machine) = machines(recordings.iter().map(|(_, facts)| *facts));
    let earliest = of_machine.iter().copied().min().unwrap_or(0);
    // Times go to the clock of the first rank, or to that of the machine that has been up for longest.
    let is_reference = |clocks: &Vec<mpi::Clock>| clocks.first().is_some_and(mpi::Clock::is_shared);
    let is_measured = alignment.error_ns.is_some();
    let reference = measured.iter().position(is_reference).filter(|_| is_measured);
    let common = reference.and_then(|at| of_machine.get(at)).copied().unwrap_or(earliest);
    let motion = |(at, own): (usize, &Offset)| {
        let clocks = measured.get(at).filter(|_| is_measured).cloned().unwrap_or_default();
        let later = u64::try_from(own - common).unwrap_or(0);
        Motion { common, clocks, later, correction: None }
    };
    (alignment, of_machine.iter().enumerate().map(motion).collect())
}

/// The machines of recordings, and for each recording the offset of its machine.
fn machines<'r>(
    recordings: impl Iterator<Item = &'r Facts>,
) -> (Vec<(String, Offset)>, Vec<Offset>) {
    let mut machines = Vec::new();
    let of = |facts: &Facts| machine(&mut machines, &facts.process.host, offset(facts));
    let of_machine = recordings.map(of).collect();
    (machines, of_machine)
}

/// The largest error, if all ranks have compared their clocks with that of the same one.
fn compared(ranks: usize, measured: &[Vec<mpi::Clock>]) -> Option<u64> {
    let reference = measured.first()?.first()?.reference;
    let is_known =
        |clocks: &Vec<mpi::Clock>| clocks.first().is_some_and(|one| one.reference == reference);
    let are_known = measured.len() == ranks && measured.iter().all(is_known);
    let errors = measured.iter().flatten().map(|clock| clock.error_ns);
    are_known.then(|| errors.max().unwrap_or(0))
}

/// Moves all times of a recording, whose time of day is then the common offset away.
fn move_times(recording: &mut Recording, common: Offset, moved: impl Fn(u64) -> u64) {
    times_of_life(recording).for_each(|time| *time = moved(*time));
    let clock = &mut recording.facts.clock;
    let move_pair = |pair: &mut ClockPair| pair.monotonic = moved(pair.monotonic);
    clock.pairs.iter_mut().for_each(move_pair);
    if let Some(first) = clock.pairs.first() {
        clock.realtime = u64::try_from(Offset::from(first.monotonic) + common).unwrap_or(0);
    }
    let clocks = recording.threads.iter_mut().filter_map(|thread| thread.clock.as_mut());
    clocks.for_each(|(first, last)| [first, last].into_iter().for_each(move_pair));
}

/// The times at which a process is known to have been there, besides those of its records.
fn times_of_life(recording: &mut Recording) -> impl Iterator<Item = &mut u64> {
    let Life { began, ended, .. } = &mut recording.facts.life;
    let times = began.iter_mut().chain(ended.iter_mut().map(|end| &mut end.monotonic));
    times.chain(recording.last_sign.iter_mut())
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

fn offset(facts: &Facts) -> Offset {
    let clock = &facts.clock;
    let monotonic = clock.pairs.first().map_or(0, |pair| pair.monotonic);
    Offset::from(clock.realtime) - Offset::from(monotonic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::Scope;
    use ompttrace_recording::events::Flush;
    use ompttrace_timeline::span_of;
    use ompttrace_timeline::testing::RunBuilder;

    /// Puts recordings on one clock, in the order in which they begin.
    fn align(recordings: &mut [Recording], measured: &[Vec<mpi::Clock>]) -> Alignment {
        let facts: Vec<_> =
            recordings.iter().map(|one| (one.path.clone(), one.facts.clone())).collect();
        let places: Vec<_> = facts.iter().map(|(path, facts)| (path.as_path(), facts)).collect();
        let (alignment, motions) = motions(&places, measured);
        for (recording, motion) in recordings.iter_mut().zip(motions) {
            motion.apply(recording);
        }
        recordings.sort_by_key(begin);
        alignment
    }

    fn begin(recording: &Recording) -> u64 {
        span_of(recording).0
    }

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
        assert_eq!(align(&mut recordings, &[]).machines, machines);
        let one = |recording: &Recording| {
            let at = begin(recording);
            (recording.facts.process.host.clone(), at, Offset::from(at) + offset(&recording.facts))
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
    fn machines_meet_by_the_comparisons_of_their_clocks() {
        let clock = |time_ns, offset_ns, error_ns| mpi::Clock {
            time_ns,
            offset_ns,
            error_ns,
            reference: 0,
            measured_by: 1,
            rounds: 10,
        };
        // The second clock is 5 s behind and loses 100 ns in 1,000; the time of day says something else.
        let measured = [
            vec![clock(2_000, 0, 0)],
            vec![clock(2_000, 5_000_000_000, 30), clock(3_000, 5_000_000_100, 70)],
        ];
        let runs = vec![recorded("a", 3_000, 1 << 60), recorded("b", 4_000, 1 << 61)];
        let (_folders, mut recordings): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        let alignment = align(&mut recordings, &measured);
        assert_eq!(alignment, Alignment { machines: 2, error_ns: Some(70) });
        assert!(!alignment.is_by_time_of_day());
        let times: Vec<_> = recordings.iter().map(begin).collect();
        // Times of records are rounded down.
        assert_eq!(times[0], 3_000);
        assert!((5_000_004_199..=5_000_004_200).contains(&times[1]), "{times:?}");
        let days: Vec<_> = recordings.iter().map(|one| offset(&one.facts)).collect();
        assert_eq!(days[0], days[1], "one clock has one time of day");
        assert_eq!(days[0], (1 << 60) - 1_000, "that of the first rank");
        // One that has none has all go by the time of day.
        let runs = vec![recorded("a", 3_000, 1 << 60), recorded("b", 3_000, 1 << 61)];
        let (_folders, mut recordings): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        let alignment = align(&mut recordings, &[measured[0].clone(), Vec::new()]);
        assert!(alignment.is_by_time_of_day());
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
