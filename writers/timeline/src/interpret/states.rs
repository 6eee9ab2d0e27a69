//! The state of each thread at any time. It is worked out here alone: sinks get it ([`Event::State`]), counters count it, samples have it.

use super::Interpreter;
use crate::out::Out;
use crate::state::pending::{Acquire, Pending};
use crate::state::reported_state::ReportedState;
use crate::state::thread::{Activity, OpenSlice, Thread};
use ompttrace_model::ompt::Thread as Kind;
use ompttrace_model::{AtBorder, Border, Chunks, Event, SliceKind, State, ThreadRef};

impl Thread {
    /// The mutex that the thread waits for.
    pub(super) fn awaited_mutex(&self) -> Option<&Acquire> {
        let asked = match &self.pending {
            Pending::Acquire(acquire) => Some(acquire),
            Pending::ToolWait(_, asked) => asked.as_ref(),
            _ => None,
        };
        asked.filter(|acquire| !acquire.is_test())
    }

    /// The thread's state at a time that is now or soon, had it a core; `None`: it is not there. `chunks`: what is recorded of these.
    #[inline(always)]
    pub(super) fn state(&self, at: u64, chunks: Chunks) -> Option<State> {
        match &self.pending {
            Pending::None => self.state_in(self.innermost(), chunks),
            Pending::Acquire(acquire) if !acquire.is_test() => Some(State::of_mutex(acquire.kind)),
            _ => self.pending_state(at).or_else(|| self.state_in(self.innermost_at(at), chunks)),
        }
    }

    /// The state in its innermost slice, or outside of all.
    #[inline(always)]
    fn state_in(&self, innermost: Option<&OpenSlice>, chunks: Chunks) -> Option<State> {
        match innermost {
            Some(open) => match open.state {
                State::WorkParallel => Some(self.work_in(open.kind, chunks)),
                State::Target => self.offload_state(open.kind),
                state => Some(state),
            },
            None => self.is_there().then(|| State::outside(self.kind)),
        }
    }

    /// The state in a target construct, or in a call of CUDA; `None` for a thread of which only such calls are known.
    #[cold]
    fn offload_state(&self, innermost: SliceKind) -> Option<State> {
        let returns = matches!(innermost, SliceKind::DeviceCall { waits: false });
        match self.on_devices {
            // A device's streams are threads, which the program has none of.
            _ if self.kind == Kind::Device || matches!(innermost, SliceKind::Device(_)) => None,
            None => Some(State::Target),
            Some(count) if count == 0 || returns => Some(State::OverheadOffload),
            Some(_) => Some(State::WaitTarget),
        }
    }

    /// The state that something seldom, which is pending, puts the thread into.
    #[cold]
    fn pending_state(&self, at: u64) -> Option<State> {
        match &self.pending {
            // The tool keeps the thread from asking on.
            Pending::ToolWait(until, _) if at < *until => Some(State::OverheadTool),
            pending => match self.awaited_mutex() {
                Some(acquire) => Some(State::of_mutex(acquire.kind)),
                None => pending.waits(at).then_some(State::OverheadTool),
            },
        }
    }

    /// The state in a slice that counts as work where nothing is recorded that is more specific.
    #[inline(always)]
    fn work_in(&self, innermost: SliceKind, chunks: Chunks) -> State {
        match innermost {
            SliceKind::Work(work) if chunks.are_all_of(work) => State::OverheadSchedule,
            _ => self.work(),
        }
    }

    /// The state of work in the thread's innermost task.
    #[inline(always)]
    pub(super) fn work(&self) -> State {
        let serial = self.depth() == 0 || self.top.root;
        if serial { State::WorkSerial } else { State::WorkParallel }
    }

    /// True if the thread had its first event, and has not ended.
    fn is_there(&self) -> bool {
        let has_begun = self.alive || self.last > 0 || self.reported.begun_before;
        has_begun && !self.reported.ended && self.kind != Kind::Device
    }

    /// The activity of a thread in this state, for the counters.
    #[inline(always)]
    fn activity_in(&self, state: Option<State>) -> Activity {
        if state.is_some_and(State::is_work) {
            Activity::Working
        } else if !self.below.is_empty() {
            Activity::Waiting
        } else if self.alive && self.kind == Kind::Worker {
            Activity::Idle
        } else {
            Activity::Absent
        }
    }
}

impl Thread {
    /// Something happened to the thread: its state now is reported to the sink and counted.
    #[inline(always)]
    fn note_activity(&mut self, out: &mut Out<'_>, at: u64, chunks: Chunks) {
        let state = self.state(at, chunks);
        let (before, now) = (self.activity, self.activity_in(state));
        if now != before && out.takes.activity {
            self.activity = now;
            count_activity(out, at, before, now);
        }
        let state = state.map(|state| state.with(self.reported.core));
        if state != self.reported.state && out.takes.states {
            self.reported.report(out, self.here.thread, at, state);
        }
    }
}

impl Interpreter<'_> {
    /// The state of a thread at a time that is now or soon.
    pub(super) fn state(&mut self, t: ThreadRef, at: u64) -> State {
        let chunks = self.chunks;
        let thread = self.thread(t);
        thread.state(at, chunks).unwrap_or_else(|| State::outside(thread.kind))
    }

    /// A record of a thread was interpreted.
    #[inline(always)]
    pub(super) fn note_record(&mut self, t: ThreadRef, at: u64) {
        if let Some(thread) = self.threads.get_mut(t as usize) {
            thread.seen = at;
            thread.note_activity(&mut self.out, at, self.chunks);
        }
    }

    /// Something else happened to a thread.
    pub(super) fn note_activity(&mut self, t: ThreadRef, at: u64) {
        if let Some(thread) = self.threads.get_mut(t as usize) {
            thread.note_activity(&mut self.out, at, self.chunks);
        }
    }

    /// Reports the state of a thread to the sink; counters take it later.
    pub(super) fn note_state(&mut self, t: ThreadRef, at: u64) {
        let chunks = self.chunks;
        let thread = self.thread(t);
        let state = thread.state(at, chunks).map(|state| state.with(thread.reported.core));
        self.report_state(t, at, state);
    }

    /// A thread was in this state from a time on at which it was said to be in another.
    pub(super) fn was_in_state(&mut self, t: ThreadRef, at: u64, state: State) {
        let state = state.with(self.thread(t).reported.core);
        self.report_state(t, at, Some(state));
    }

    fn report_state(&mut self, t: ThreadRef, at: u64, state: Option<State>) {
        let Interpreter { threads, out, .. } = self;
        if let Some(thread) = threads.get_mut(t as usize)
            && thread.reported.state != state
        {
            thread.reported.report(out, t, at, state);
        }
    }

    /// A window begins: threads are in their states from its border on, but for those that wait for a mutex: that they do is known only when
    /// it is over.
    pub(super) fn states_at_begin(&mut self, border: &Border) {
        for (t, there) in (0..self.threads.len() as ThreadRef).zip(&border.threads) {
            let chunks = self.chunks;
            let thread = self.thread(t);
            thread.reported.begun_before |= there.has_begun;
            let state = thread.state(border.at, chunks);
            let asked = thread.undecided_since();
            thread.reported.state = None;
            (thread.reported.since, thread.reported.seen) = (asked.unwrap_or(border.at), border.at);
            let state = state.map(|state| state.with(thread.reported.core));
            self.report_state(t, 0, state);
        }
    }

    /// A window ends: what threads do goes on in the next one.
    pub(super) fn states_at_end(&mut self, border: &Border) {
        for (t, there) in (0..self.threads.len() as ThreadRef).zip(&border.threads) {
            let thread = self.thread(t);
            let until = match thread.undecided_since() {
                Some(_) => thread.reported.since,
                None if thread.goes_on(there) => border.at,
                None => thread.there_until(),
            };
            self.report_state(t, until, None);
        }
    }

    /// The recording ends at `end`: a worker in the pool, or a thread in an implicit task, is there up to then.
    pub(super) fn state_at_end(&mut self, t: ThreadRef, end: u64) {
        let thread = self.thread(t);
        let stays = thread.kind == Kind::Worker && !thread.reported.ended;
        let until = if stays { end } else { thread.there_until() };
        thread.reported.ended = true;
        self.report_state(t, until, None);
    }
}

impl ReportedState {
    /// The thread at a position is in another state from `at` on.
    #[inline(always)]
    fn report(&mut self, out: &mut Out<'_>, t: ThreadRef, at: u64, state: Option<State>) {
        self.state = state;
        self.since = self.since.max(at);
        if out.takes.states {
            out.to.emit(self.since, &Event::State(t, state));
        }
    }
}

#[inline(always)]
fn count_activity(out: &mut Out<'_>, at: u64, before: Activity, now: Activity) {
    if before == Activity::Working || now == Activity::Working {
        let by = if now == Activity::Working { 1 } else { -1 };
        out.counters.working(&mut out.to, at, by);
    }
    if before == Activity::Idle || now == Activity::Idle {
        let by = if now == Activity::Idle { 1 } else { -1 };
        out.counters.idle(&mut out.to, at, by);
    }
}

impl Thread {
    /// The time of a request that may turn out to have been no wait: nothing was reported inside it.
    fn undecided_since(&self) -> Option<u64> {
        match &self.pending {
            Pending::Acquire(acquire) if !(acquire.is_test() || acquire.shown) => Some(acquire.at),
            _ => None,
        }
    }

    /// True if the thread is there where a window ends.
    fn goes_on(&self, there: &AtBorder) -> bool {
        let has_more = there.goes_on || self.kind == Kind::Worker || self.depth() > 0;
        (has_more || self.innermost().is_some()) && !self.reported.ended
    }

    /// The last time at which it was there.
    fn there_until(&self) -> u64 {
        self.last.max(self.seen).max(self.reported.seen)
    }
}
