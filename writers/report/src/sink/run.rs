//! The begin and the end of a run, and the times in between.

use super::ReportSink;
use super::window::Bounds;
use crate::blame::Ledger;
use crate::counters::Counted;
use crate::devices::DeviceSums;
use crate::tasks::Tasks;
use crate::thread::Thread;
use crate::unread::Unread;
use ompttrace_model::{Definitions, RunInfo};

/// Half a year in nanoseconds.
const LONGEST: u64 = 1 << 54;

impl ReportSink {
    /// Takes in what is known of the run.
    pub(crate) fn take_run(&mut self, run: &RunInfo<'_>) {
        self.facts = run.facts.clone();
        self.usable_cores = run.facts.usable_cores();
        self.counted = Counted::of(run.facts);
        self.infos = run.threads.to_vec();
        self.run = (run.begin, run.end.clamp(run.begin, run.begin.saturating_add(LONGEST)));
        self.bounds = Bounds::of(self.window, run.begin);
        self.begin = self.bounds.clamp(run.begin);
        self.end = self.bounds.clamp(self.run.1);
        // The recording may stop a little later than the run ends.
        self.latest = self.bounds.clamp(run.begin.saturating_add(LONGEST));
        self.devices = DeviceSums::of(run.threads);
        self.threads = run.threads.iter().map(Thread::new).collect();
        if !matches!(run.facts.cores.used.as_str(), "" | "off") {
            self.threads.iter_mut().for_each(|thread| thread.unread = Some(Unread::default()));
        }
        self.ledger = Ledger::new(self.begin);
        self.locks.begin = self.begin;
        self.tasks = Tasks::new(self.begin, self.end);
        self.record_ns = run.facts.record_picoseconds.div_ceil(1000);
    }

    /// The run is over: all that is open is accounted for.
    pub(crate) fn take_end(&mut self, definitions: &Definitions) {
        self.settle_all(definitions);
        self.note_open_teams();
        self.sampled.draw(definitions);
    }

    /// No time of a sound recording lies outside of its run, and none lasts longer than this: sums of
    /// damaged ones must not overflow.
    #[inline]
    pub(crate) fn bounded(&self, at: u64) -> u64 {
        at.clamp(self.begin, self.latest)
    }
}
