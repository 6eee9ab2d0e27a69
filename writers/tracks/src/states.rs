//! What each thread does, followed along its events. The model defines the states, as for reports, so the time in each
//! state is the same.
//!
//! A thread's time goes to a state when it is over: a thread that requests a lock may turn out not to have waited. What takes less
//! than [`SHORTEST`] is drawn together with what is around it, with sums: the thread's own track has it one by one.

use crate::activities::Activities;
use crate::parts::Parts;
use ompttrace_model::ompt::Thread;
use ompttrace_model::{
    Activity, Border, Chunks, Core, Event, InstantKind, RunInfo, SliceKind, State, ThreadInfo,
    ThreadRef,
};

/// What is drawn by itself, nanoseconds. Shorter parts would make traces of short tasks and locks twice as large.
const SHORTEST: u64 = 50_000;

/// The activity while a slice is the innermost one; `chunks` as for [`ompttrace_model::works`].
#[inline]
pub(crate) fn activity(kind: SliceKind, chunks: Chunks) -> Activity {
    State::of_slice(kind, State::WorkParallel, chunks).activity()
}

/// Nothing is to be drawn.
const NOTHING: [Option<Activities>; 2] = [None; 2];

/// A change that an event makes to a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// A slice of this kind begins.
    Begin(SliceKind),
    /// The innermost one ends, or is suspended.
    End,
    /// As [`Event::Unreported`].
    Unreported(Option<SliceKind>),
    /// It asks for a mutex.
    Requested,
    /// It did not get one.
    TestFailed,
    /// It ends.
    ThreadEnd,
    Core(Core),
    CoreSums,
    /// It goes on with what it does.
    Other,
}

impl Change {
    /// The change with an instant of this kind.
    #[inline(always)]
    pub(crate) fn with_instant(kind: InstantKind) -> Change {
        match kind {
            InstantKind::LockTestFailed(_) => Change::TestFailed,
            InstantKind::ThreadEnd => Change::ThreadEnd,
            _ => Change::Other,
        }
    }

    /// The change that an event makes, and to which thread.
    pub(crate) fn of(event: &Event<'_>) -> Option<(ThreadRef, Change)> {
        let (executor, change) = match *event {
            Event::Begin(executor, ref slice) => (executor, Change::Begin(slice.kind)),
            Event::End(executor, ..) | Event::Suspend(executor, ..) => (executor, Change::End),
            Event::Unreported(executor, kind) => (executor, Change::Unreported(kind)),
            Event::Instant(executor, ref instant) => (executor, Change::with_instant(instant.kind)),
            Event::TeamThreadBegin(executor, _) | Event::TeamThreadEnd(executor) => {
                (executor, Change::Other)
            }
            Event::LockRequested { executor, .. } => (executor, Change::Requested),
            Event::Core(thread, core) => return Some((thread, Change::Core(core))),
            Event::CoreSums(thread, _) => return Some((thread, Change::CoreSums)),
            _ => return None,
        };
        Some((executor.thread, change))
    }
}

/// All threads.
#[derive(Debug, Default)]
pub(crate) struct States {
    threads: Vec<Doing>,
    chunks: Chunks,
    /// When the recording stopped, if it was cut.
    stopped: Option<u64>,
    /// The latest time at which a thread did something.
    latest: u64,
    /// The end of the run.
    end: u64,
    /// Whether everything is drawn by itself.
    exact: bool,
}

/// One thread.
#[derive(Debug)]
struct Doing {
    kind: Thread,
    has_begun: bool,
    has_ended: bool,
    /// Whether it asked for a mutex: it waits.
    asked: bool,
    core: Core,
    /// Up to when its time is known.
    since: u64,
    /// What it does while nothing is open inside its open slices, had it a core.
    open: Vec<Activity>,
    /// Whether the innermost one of these is of slices whose begins may still come.
    is_unreported: bool,
    /// What it does outside them.
    outside: Activity,
    /// Its activity since the last event.
    now: Activity,
    /// Its activity before, and since when.
    last: Activity,
    from: u64,
    parts: Parts,
}

impl Doing {
    fn new(info: &ThreadInfo, shortest: u64) -> Doing {
        let outside = State::outside(info.kind).activity();
        Doing {
            kind: info.kind,
            has_begun: false,
            has_ended: false,
            asked: false,
            core: Core::Unknown,
            since: 0,
            open: Vec::new(),
            is_unreported: false,
            outside,
            now: outside,
            last: outside,
            from: 0,
            parts: Parts::new(shortest),
        }
    }

    /// To be called where it does something else.
    #[inline(always)]
    fn update(&mut self) {
        self.now = match self.open.last() {
            _ if self.asked => Activity::Wait,
            Some(open) => open.with(self.core),
            None => self.outside,
        };
    }

    /// What goes on is reported now, or suspended again.
    #[inline(always)]
    fn leave_unreported(&mut self) {
        if std::mem::take(&mut self.is_unreported) {
            self.open.pop();
        }
    }

    /// Its time goes on to `at`; what it did before is to be drawn, if it does something else now.
    #[inline(always)]
    fn settle(&mut self, at: u64) -> [Option<Activities>; 2] {
        if at <= self.since && self.has_begun {
            return NOTHING;
        }
        let since = std::mem::replace(&mut self.since, at);
        if self.now == self.last && self.has_begun {
            return NOTHING;
        }
        self.turn(since)
    }

    /// It does something else than before since this time.
    fn turn(&mut self, since: u64) -> [Option<Activities>; 2] {
        if !self.has_begun {
            (self.has_begun, self.from) = (true, self.since);
            return NOTHING;
        }
        let (before, from) = (self.last, self.from);
        (self.last, self.from) = (self.now, since);
        if since > from && !self.parts.add_short(before, from, since) {
            self.parts.take(&Activities::one(before, from, since))
        } else {
            NOTHING
        }
    }

    /// Gives its last activity, up to when it is known.
    fn finish(&mut self) -> impl Iterator<Item = Activities> {
        let last = (self.since > self.from)
            .then(|| self.parts.take(&Activities::one(self.last, self.from, self.since)));
        let rest = self.parts.finish();
        last.into_iter().flatten().flatten().chain(rest)
    }
}

impl States {
    /// Everything is drawn by itself, however short.
    pub(crate) fn set_exact(&mut self) {
        self.exact = true;
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    pub(crate) fn start(&mut self, run: &RunInfo<'_>) {
        let shortest = if self.exact { 0 } else { SHORTEST };
        self.threads = run.threads.iter().map(|info| Doing::new(info, shortest)).collect();
        self.chunks = Chunks::of(run.facts);
        self.end = run.end;
    }

    /// Takes in what a thread does from `at` on; gives what it did up to some time before, where that is over and is to be drawn.
    #[inline(always)]
    pub(crate) fn change(
        &mut self,
        at: u64,
        thread: ThreadRef,
        change: Change,
    ) -> [Option<Activities>; 2] {
        let Some(doing) = self.threads.get_mut(thread as usize) else { return NOTHING };
        if doing.kind == Thread::Device {
            return NOTHING;
        }
        match change {
            // It did not wait after all.
            Change::TestFailed if doing.asked => {
                doing.asked = false;
                doing.update();
                return NOTHING;
            }
            // Outside its own time it does nothing.
            Change::Core(core) if !doing.has_begun || doing.has_ended => {
                doing.core = core;
                doing.update();
                return NOTHING;
            }
            Change::CoreSums if !doing.has_begun || doing.has_ended => return NOTHING,
            _ => {}
        }
        self.latest = self.latest.max(at);
        let drawn = doing.settle(at);
        match change {
            Change::Begin(kind) => {
                doing.asked &= !matches!(kind, SliceKind::MutexWait(_));
                doing.leave_unreported();
                doing.open.push(activity(kind, self.chunks));
            }
            Change::Unreported(Some(kind)) => {
                doing.open.push(activity(kind, self.chunks));
                doing.is_unreported = true;
            }
            Change::Unreported(None) => doing.leave_unreported(),
            Change::End => drop(doing.open.pop()),
            Change::ThreadEnd => doing.has_ended = true,
            Change::Requested => doing.asked = true,
            Change::Core(core) => doing.core = core,
            Change::TestFailed | Change::CoreSums | Change::Other => return drawn,
        }
        doing.update();
        drawn
    }

    /// The recording stops.
    pub(crate) fn stop(&mut self, at: u64) {
        self.stopped = Some(at);
    }

    /// A window begins here: what was before is drawn by others, except for what is not known yet.
    pub(crate) fn begin_window(&mut self, border: &Border) {
        for (doing, there) in self.threads.iter_mut().zip(&border.threads) {
            doing.has_begun |= there.has_begun;
            if !doing.asked {
                doing.since = border.at;
            }
            (doing.last, doing.from) = (doing.now, doing.since);
            let _ = doing.parts.finish();
        }
    }

    /// A window ends here: threads that are not over do what they did last up to there.
    pub(crate) fn end_window(
        &mut self,
        border: &Border,
        mut draw: impl FnMut(ThreadRef, Activities),
    ) {
        let threads = self.threads.iter_mut().zip(&border.threads).zip(0..);
        for ((doing, there), thread) in threads.filter(|((doing, _), _)| doing.has_begun) {
            let goes_on = there.goes_on || doing.kind == Thread::Worker || !doing.open.is_empty();
            if goes_on && !doing.has_ended && !doing.asked {
                doing.settle(border.at).into_iter().flatten().for_each(|part| draw(thread, part));
            }
            doing.finish().for_each(|part| draw(thread, part));
        }
    }

    /// What all threads did last: workers in the pool are there to the end of the recording.
    pub(crate) fn finish(&mut self, mut draw: impl FnMut(ThreadRef, Activities)) {
        let stop = self.stopped.unwrap_or(self.end).max(self.latest);
        let begun = self.threads.iter_mut().zip(0..).filter(|(doing, _)| doing.has_begun);
        for (doing, thread) in begun {
            if doing.kind == Thread::Worker && !doing.has_ended {
                doing.settle(stop).into_iter().flatten().for_each(|part| draw(thread, part));
            }
            doing.finish().for_each(|part| draw(thread, part));
        }
    }
}
