//! Which core each location of a thread has, as a metric: its values are recorded by locations of their own, because
//! a thread's events may wait for its team while it gets and loses cores.

use ompttrace_model::{Core, ThreadRef};

use super::track::Track;
use super::{BATCH, METRICS, Of, Picture, metric_instance, send};
use crate::define::COUNTERS;
use crate::op::What;

/// The metric has these values where a thread has no core.
const WANTS_ONE: i64 = -1;
const ASLEEP: i64 = -2;
const UNKNOWN: i64 = -3;
/// What the values mean.
pub(crate) const MEANING: &str =
    "the core that the thread runs on; -1: it wants one and has none, -2: it sleeps, -3: unknown";

impl Picture {
    /// A thread gets a core, or loses it.
    pub(crate) fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        if self.of != Of::Threads {
            return;
        }
        let Some(of) = self.threads.get(thread) else { return };
        if self.cores.len() <= of as usize {
            self.cores.resize_with(of as usize + 1, || None);
        }
        let Some(known) = self.cores.get_mut(of as usize) else { return };
        // Numbered as they come: the definitions of metrics leave no number out.
        let next = self.core_metrics;
        let (metric, track) = known.get_or_insert_with(|| {
            self.core_metrics += 1;
            let number = COUNTERS.len() as u32 + next;
            (number, Track::new(METRICS + u64::from(number)))
        });
        let value = match core {
            Core::On(core) => core.into(),
            Core::Preempted(_) => WANTS_ONE,
            Core::Blocked(_) => ASLEEP,
            Core::Unknown => UNKNOWN,
        };
        track.add(at, What::Metric { metric: metric_instance(*metric), value });
        if let (Some(pipe), true) = (&mut self.pipe, track.batch.ops.len() >= BATCH) {
            send(pipe, track, &mut self.broken);
        }
    }
}
