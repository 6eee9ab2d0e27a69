//! Cores: records of threads' second streams, which say when the kernel gave a thread a core and when it took it away.
//!
//! They join the thread's own records by time alone: slices go on meanwhile. After the last record of such a stream
//! nothing is known any more.

use super::{Interpreter, Outcome, Reason};
use ompttrace_model::{Core, CoreSums, Event as Emitted, ThreadRef};
use ompttrace_recording::events::{Event, Record, RunDelay};

/// Core of one thread as far as its core stream shows, and the sums of its accounting.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoreState {
    now: Core,
    /// Time since which `now` is so, in nanoseconds.
    since: u64,
    /// The kernel's accounting that was read last, and the times since then according to the recorded switches.
    read: Option<RunDelay>,
    seen: CoreSums,
    /// True if the thread's first sums count from the run's begin.
    from_begin: bool,
    /// Time of the stream's last record, in ticks.
    last_ticks: u64,
}

impl CoreState {
    /// State of a thread whose core stream ends with a record at `last_ticks`.
    pub(crate) fn until(last_ticks: u64) -> CoreState {
        CoreState { last_ticks, ..CoreState::default() }
    }

    /// The process began with this thread, at `begin`.
    pub(crate) fn since_begin(self, begin: u64) -> CoreState {
        CoreState { since: begin, from_begin: true, ..self }
    }

    /// Time has gone on to `at`.
    fn advance(&mut self, at: u64) {
        let passed = at.saturating_sub(std::mem::replace(&mut self.since, at));
        match self.now {
            Core::Unknown => self.seen.unknown_ns += passed,
            Core::On(_) => self.seen.run_ns += passed,
            Core::Preempted(_) => self.seen.delay_ns += passed,
            Core::Blocked(_) => {}
        }
    }

    /// The accounting is read: what it says of the unrecorded time. The first reading says nothing but of the
    /// thread that the process began with.
    fn read(&mut self, sums: RunDelay) -> CoreSums {
        let seen = std::mem::take(&mut self.seen);
        let from_begin = self.from_begin.then(RunDelay::default);
        let Some(before) = self.read.replace(sums).or(from_begin) else {
            return CoreSums::default();
        };
        let unknown_ns = seen.unknown_ns;
        let unseen = |now: u64, before: u64, seen| now.saturating_sub(before).saturating_sub(seen);
        let run_ns = unseen(sums.run_ns, before.run_ns, seen.run_ns).min(unknown_ns);
        let delay_ns = unseen(sums.delay_ns, before.delay_ns, seen.delay_ns);
        CoreSums { unknown_ns, run_ns, delay_ns: delay_ns.min(unknown_ns - run_ns) }
    }
}

impl Interpreter<'_> {
    /// Threads have second streams, which end like this; the run begins at `begin`.
    pub(crate) fn expect_cores(&mut self, cores: Vec<CoreState>, begin: u64) {
        self.cores = cores;
        self.now = begin;
        for (state, thread) in self.cores.iter_mut().zip(&self.threads) {
            if thread.first_of_process {
                *state = state.since_begin(begin);
            }
        }
    }

    /// Interprets one record of the second stream of the thread at position `t`.
    #[cold]
    pub(crate) fn core_record(&mut self, t: ThreadRef, record: Record<'_>) {
        // A switch never extends the run beyond its end, and a stream's own time never goes back.
        let last = self.cores.get(t as usize).map_or(0, |state| state.since);
        let at = self.clock.nanoseconds(record.ticks).min(self.end).max(self.now).max(last);
        self.recorded[usize::from(record.code.0)] += 1;
        self.tool_waits_until(at);
        let core = match record.event() {
            Event::SwitchOut(out) if out.preempted != 0 => Some(Core::Preempted(out.cpu as u32)),
            Event::SwitchOut(out) => Some(Core::Blocked(out.cpu as u32)),
            Event::SwitchIn(event) => Some(Core::On(event.cpu as u32)),
            Event::CoresUnknown(_) => Some(Core::Unknown),
            Event::RunDelay(sums) if !self.off => {
                self.core_sums(t, at, sums);
                None
            }
            Event::RunDelay(_) => None,
            Event::CoresRead(_) => None,
            _ => return self.not_interpreted(Outcome::Dropped(Reason::OtherStream)),
        };
        self.interpreted += 1;
        if self.off {
            return;
        }
        if let Some(core) = core {
            self.core(t, at, core);
        }
        if self.cores.get(t as usize).is_some_and(|state| state.last_ticks <= record.ticks) {
            self.core(t, at, Core::Unknown);
        }
    }

    /// Recording is off from now on, also of cores.
    pub(super) fn forget_cores(&mut self, at: u64) {
        for t in 0..self.cores.len() as ThreadRef {
            let last = self.cores.get(t as usize).map_or(0, |state| state.since);
            self.core(t, at.max(last), Core::Unknown);
        }
    }

    fn core(&mut self, t: ThreadRef, at: u64, core: Core) {
        let Some(state) = self.cores.get_mut(t as usize) else { return };
        state.advance(at);
        if std::mem::replace(&mut state.now, core) != core {
            self.out.to.emit(at, &Emitted::Core(t, core));
            let reported = &mut self.thread(t).reported;
            (reported.core, reported.seen) = (core, reported.seen.max(at));
            self.note_state(t, at);
        }
    }

    fn core_sums(&mut self, t: ThreadRef, at: u64, sums: RunDelay) {
        let Some(state) = self.cores.get_mut(t as usize) else { return };
        state.advance(at);
        let first = state.read.is_none();
        let sums = state.read(sums);
        // The first one says that there will be others.
        if first || sums.unknown_ns > 0 {
            self.out.to.emit(at, &Emitted::CoreSums(t, sums));
            let reported = &mut self.thread(t).reported;
            reported.seen = reported.seen.max(at);
        }
    }
}
