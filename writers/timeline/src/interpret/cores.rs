//! Cores: records of threads' second streams, which say when the kernel gave a thread a core and when it took it away.
//!
//! They join the thread's own records by time alone: slices go on meanwhile. Behind the last record of such a stream
//! nothing is known any more.

use super::{Outcome, Reason, World};
use ompttrace_model::{Core, CoreSums, Event as Told, Sink, ThreadRef};
use ompttrace_recording::events::{Event, Record, RunDelay};

/// What is known of one thread's core.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoreState {
    now: Core,
    /// The accounting that was read last, and when.
    read: Option<(u64, RunDelay)>,
    /// The time of its last record, ticks.
    last_ticks: u64,
}

impl CoreState {
    /// Of a thread whose second stream ends with a record of this time.
    pub(crate) fn until(last_ticks: u64) -> CoreState {
        CoreState { last_ticks, ..CoreState::default() }
    }
}

impl<S: Sink> World<'_, S> {
    /// Threads have second streams, which end like this.
    pub(crate) fn expect_cores(&mut self, cores: Vec<CoreState>) {
        self.cores = cores;
    }

    /// Interprets one record of the second stream of the thread at position `t`.
    #[cold]
    pub(crate) fn core_record(&mut self, t: ThreadRef, record: Record<'_>) {
        let at = self.clock.nanoseconds(record.ticks).max(self.now);
        self.now = at;
        self.recorded[usize::from(record.code.0)] += 1;
        let core = match record.event() {
            Event::SwitchOut(out) if out.preempted != 0 => Some(Core::Preempted(out.cpu as u32)),
            Event::SwitchOut(out) => Some(Core::Blocked(out.cpu as u32)),
            Event::SwitchIn(event) => Some(Core::On(event.cpu as u32)),
            Event::CoresUnknown(_) => Some(Core::Unknown),
            Event::RunDelay(sums) => {
                self.core_sums(t, at, sums);
                None
            }
            Event::CoresRead(_) => None,
            _ => return self.not_interpreted(Outcome::Dropped(Reason::OtherStream)),
        };
        self.interpreted += 1;
        if let Some(core) = core {
            self.core(t, at, core);
        }
        if self.cores.get(t as usize).is_some_and(|state| state.last_ticks <= record.ticks) {
            self.core(t, at, Core::Unknown);
        }
    }

    fn core(&mut self, t: ThreadRef, at: u64, core: Core) {
        let Some(state) = self.cores.get_mut(t as usize) else { return };
        if std::mem::replace(&mut state.now, core) != core {
            self.out.to.emit(at, &Told::Core(t, core));
        }
    }

    /// The kernel's sums were read; the first reading only says that there will be others.
    fn core_sums(&mut self, t: ThreadRef, at: u64, sums: RunDelay) {
        let Some(state) = self.cores.get_mut(t as usize) else { return };
        let (since, before) = state.read.replace((at, sums)).unwrap_or((at, sums));
        let switches = |now: u64, before: u64| now.saturating_sub(before) as u32;
        let sums = CoreSums {
            since,
            run_ns: sums.run_ns.saturating_sub(before.run_ns),
            delay_ns: sums.delay_ns.saturating_sub(before.delay_ns),
            voluntary: switches(sums.voluntary, before.voluntary),
            involuntary: switches(sums.involuntary, before.involuntary),
        };
        self.out.to.emit(at, &Told::CoreSums(t, sums));
    }
}
