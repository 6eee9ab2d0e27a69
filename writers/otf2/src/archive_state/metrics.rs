//! Metrics of threads: which core each has, and what is counted of it. Their values are recorded by locations of their
//! own, because a thread's events may wait for its team while these go on.

use ompttrace_model::{Core, ThreadRef};
use rustc_hash::FxHashMap;

use super::track::Track;
use super::{ArchiveState, LocationKind};
use crate::batch::BatchPool;
use crate::op::Otf2Event;

/// The metric has these values where a thread has no core.
const WANTS_ONE: i64 = -1;
const ASLEEP: i64 = -2;
const UNKNOWN: i64 = -3;
/// Meaning of the values of the metric, as text in the archive.
pub(crate) const CORE_MEANING: &str =
    "the core that the thread runs on; -1: it wants one and has none, -2: it sleeps, -3: unknown";

/// Quantity that a metric of threads measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MetricMember {
    Core,
    /// A counter, by its index among those of the run.
    Counter(u32),
}

/// The values of one metric of one location.
#[derive(Debug)]
pub(super) struct Metric {
    pub member: MetricMember,
    /// Position of the location that the metric describes.
    pub of: u32,
    pub track: Track,
}

/// The metrics of all locations, numbered as they come.
#[derive(Debug)]
pub(super) struct Metrics {
    pub all: Vec<Metric>,
    numbers: FxHashMap<(u32, MetricMember), u32>,
    pool: BatchPool,
}

impl Metrics {
    pub(super) fn new(pool: &BatchPool) -> Metrics {
        Metrics { all: Vec::new(), numbers: FxHashMap::default(), pool: pool.clone() }
    }

    /// Track of a metric of a location, which is added with the first value.
    fn of(&mut self, of: u32, member: MetricMember) -> Option<&mut Track> {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry((of, member)).or_insert(next);
        if number == next {
            self.all.push(Metric { member, of, track: Track::new(&self.pool) });
        }
        self.all.get_mut(number as usize).map(|metric| &mut metric.track)
    }
}

impl ArchiveState {
    /// A thread gets a core, or loses it.
    pub(crate) fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        let value = match core {
            Core::On(core) => core.into(),
            Core::Preempted(_) => WANTS_ONE,
            Core::Blocked(_) => ASLEEP,
            Core::Unknown => UNKNOWN,
        };
        self.metric(at, thread, MetricMember::Core, value);
    }

    /// A metric of a thread has a value.
    pub(crate) fn metric(&mut self, at: u64, thread: ThreadRef, member: MetricMember, value: i64) {
        let of = self.threads.get(thread).filter(|_| self.of == LocationKind::Threads);
        if let Some(track) = of.and_then(|of| self.metrics.of(of, member)) {
            track.add(at, Otf2Event::Metric { value });
        }
    }
}
