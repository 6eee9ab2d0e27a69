//! Gains: reductions of a run's elapsed time, by sums of instances that were replayed and by the critical path.
//!
//! A gain is elapsed time. Thread time that is lost becomes elapsed time by the threads that lose it; what is off the
//! critical path, in one of several teams at the same time, brings nothing.

use super::percent;
use crate::model::{Class, ConstructReport, Evidence, Finding, Gain, Report, Unit};
use crate::state::State;
use crate::text::duration;

impl Gain {
    /// Gain of an expected time and its range, in nanoseconds, which are limited to the wall time and put in order.
    pub(super) fn of(report: &Report, ns: f64, low: f64, high: f64) -> Gain {
        let wall = report.wall_ns.saturating_sub(report.recording.path_ns) as f64;
        let high = high.clamp(0.0, wall);
        let ns = ns.clamp(0.0, high);
        let low = low.clamp(0.0, ns);
        let share = |part: f64| if wall > 0.0 { part / wall } else { 0.0 };
        let [share_of, low_share, high_share] = [ns, low, high].map(share);
        Gain {
            ns: ns as u64,
            low_ns: low as u64,
            high_ns: high as u64,
            share: share_of,
            low_share,
            high_share,
        }
    }

    /// The gain of several cures, each with its own.
    pub(super) fn and(self, other: Gain) -> Gain {
        Gain {
            ns: self.ns + other.ns,
            low_ns: self.low_ns + other.low_ns,
            high_ns: self.high_ns + other.high_ns,
            share: self.share + other.share,
            low_share: self.low_share + other.low_share,
            high_share: self.high_share + other.high_share,
        }
    }

    /// The gain where only the kernel's sums of time on cores are known, which do not say when that was: half as much at
    /// least, and half as much again at most.
    pub(super) fn wider(self) -> Gain {
        let high = |high: f64, most: f64| (1.5 * high).min(most.max(high));
        let whole = if self.share > 0.0 { self.ns as f64 / self.share } else { 0.0 };
        Gain {
            low_ns: self.low_ns / 2,
            low_share: self.low_share / 2.0,
            high_ns: high(self.high_ns as f64, whole) as u64,
            high_share: high(self.high_share, 1.0),
            ..self
        }
    }

    /// The part of it that is left where cores are missing.
    pub(super) fn times(self, report: &Report, part: f64) -> Gain {
        let [ns, low, high] = [self.ns, self.low_ns, self.high_ns].map(|time| time as f64 * part);
        Gain::of(report, ns, low, high)
    }

    /// `12.3 ms less (14% of the run, 9% to 16%)`.
    pub(crate) fn in_words(&self) -> String {
        let range = [self.low_share, self.high_share].map(percent);
        let (time, share) = (duration(self.ns), percent(self.share));
        format!("{time} less ({share} of the run; {} to {})", range[0], range[1])
    }
}

impl Finding {
    /// Adds a cure and its gain to the finding.
    pub(super) fn cured_by(self, cure: impl Into<String>, gain: Gain) -> Finding {
        Finding { cure: cure.into(), gain, ..self }
    }

    /// Adds another figure that the finding rests on.
    pub(super) fn shown_by(mut self, name: &'static str, value: impl Into<Figure>) -> Finding {
        let Figure(value, unit) = value.into();
        self.evidence.push(Evidence { name, value, unit });
        self
    }
}

/// A figure with its unit.
pub(super) struct Figure(f64, Unit);

impl From<u64> for Figure {
    fn from(count: u64) -> Figure {
        Figure(count as f64, Unit::Count)
    }
}

impl From<f64> for Figure {
    fn from(share: f64) -> Figure {
        Figure(share, Unit::Share)
    }
}

/// A time.
pub(super) fn ns(time: u64) -> Figure {
    Figure(time as f64, Unit::Ns)
}

/// Elapsed time that is lost where the threads of a construct lose so much thread time together.
pub(super) fn elapsed(report: &Report, construct: &ConstructReport, lost: u64) -> f64 {
    let all = report.efficiency.threads.max(1);
    let of_region = construct.region.and_then(|region| report.constructs.get(region));
    let team = construct.threads.max(of_region.map_or(0, |region| region.threads));
    let threads = if report.levels > 1 || team == 0 { all } else { team };
    lost as f64 / threads as f64
}

/// A gain with the widest range: all of the loss may be won back, or nothing.
pub(super) fn up_to(report: &Report, most: f64) -> Gain {
    Gain::of(report, most / 2.0, 0.0, most)
}

/// Part of the work of a construct's longest threads that lies on the critical path: less than 1 where several teams
/// work at the same time.
pub(super) fn on_path(report: &Report, at: usize) -> f64 {
    let Some(construct) = report.constructs.get(at) else { return 1.0 };
    let is_within = |part: Option<usize>| {
        let region = part.and_then(|part| report.constructs.get(part)?.region);
        part == Some(at) || construct.class == Class::Region && region == Some(at)
    };
    let parts = report.critical_path.parts.iter();
    let work: u64 = parts.filter(|part| is_within(part.construct)).map(|part| part.work_ns).sum();
    match (report.critical_path.length_ns, construct.balance.longest_ns) {
        (0, _) | (_, 0) => 1.0,
        (_, longest) => (work as f64 / longest as f64).min(1.0),
    }
}

/// A region's elapsed time on the critical path, with all that is in it but for recording.
pub(super) fn region_time(report: &Report, at: usize) -> f64 {
    let wall = report.regions.iter().find(|region| region.construct == at);
    let wall = wall.map_or(0, |region| region.wall_ns).min(report.wall_ns);
    let is_within = |construct: usize| {
        construct == at
            || report.constructs.get(construct).is_some_and(|inner| inner.region == Some(at))
    };
    let parts = report.critical_path.parts.iter();
    let within = parts.filter(|part| part.construct.is_some_and(is_within));
    wall.saturating_sub(within.map(|part| part.recording_ns).sum()) as f64
}

/// Work of a region if one thread did all of it, in nanoseconds; forks, barriers, waiting and recording are left out.
pub(super) fn work_in(report: &Report, at: usize) -> f64 {
    let region = report.regions.iter().find(|region| region.construct == at);
    region.map_or(0.0, |region| {
        let work = region.times.work().saturating_sub(region.times.recording_work);
        (work + region.times.of(State::OffCorePreempted)) as f64
    })
}

/// Time to store so many records, in nanoseconds.
pub(super) fn recording(report: &Report, records: u64) -> f64 {
    records as f64 * report.recording.record_ns
}
