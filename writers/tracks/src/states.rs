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
    /// What it did last, and since when.
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
            last: outside,
            from: 0,
            parts: Parts::new(shortest),
        }
    }

    /// What it did since the last event.
    #[inline(always)]
    fn activity(&self) -> Activity {
        match self.open.last() {
            _ if self.asked => Activity::Wait,
            Some(open) => open.with(self.core),
            None => self.outside,
        }
    }

    /// What goes on is reported now, or suspended again.
    #[inline(always)]
    fn leave_unreported(&mut self) {
        if std::mem::take(&mut self.is_unreported) {
            self.open.pop();
        }
    }

    /// Its time goes on to `at`; what it did before is drawn, if it does something else now.
    #[inline(always)]
    fn settle(&mut self, at: u64, draw: impl FnMut(Activities)) {
        if at <= self.since && self.has_begun {
            return;
        }
        let since = std::mem::replace(&mut self.since, at);
        if !self.has_begun {
            (self.has_begun, self.from) = (true, at);
            return;
        }
        let activity = self.activity();
        if activity == self.last {
            return;
        }
        let (before, from) = (self.last, self.from);
        (self.last, self.from) = (activity, since);
        if since > from && !self.parts.add_short(before, from, since) {
            self.draw(Activities::one(before, from, since), draw);
        }
    }

    /// What it did last is drawn up to when it is known.
    fn finish(&mut self, mut draw: impl FnMut(Activities)) {
        if self.since > self.from {
            self.draw(Activities::one(self.last, self.from, self.since), &mut draw);
        }
        self.parts.finish().into_iter().for_each(draw);
    }

    #[inline(never)]
    fn draw(&mut self, part: Activities, draw: impl FnMut(Activities)) {
        self.parts.take(&part).into_iter().flatten().for_each(draw);
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

    /// Follows an event, and draws what its thread did up to some time before it, where that is over.
    #[inline(always)]
    pub(crate) fn follow(
        &mut self,
        at: u64,
        event: &Event<'_>,
        mut draw: impl FnMut(ThreadRef, Activities),
    ) {
        let thread = match *event {
            Event::Begin(executor, _)
            | Event::End(executor, ..)
            | Event::Suspend(executor, ..)
            | Event::Unreported(executor, _)
            | Event::Instant(executor, _)
            | Event::TeamThreadBegin(executor, _)
            | Event::TeamThreadEnd(executor)
            | Event::TaskRuns(executor, _)
            | Event::TaskEnd(executor, ..)
            | Event::LockRequested { executor, .. } => executor.thread,
            Event::Core(thread, _) | Event::CoreSums(thread, _) => thread,
            Event::Stop => {
                self.stopped = Some(at);
                return;
            }
            _ => return,
        };
        let Some(doing) = self.threads.get_mut(thread as usize) else { return };
        if doing.kind == Thread::Device {
            return;
        }
        match event {
            Event::Instant(_, instant)
                if doing.asked && matches!(instant.kind, InstantKind::LockTestFailed(_)) =>
            {
                // It did not wait after all.
                doing.asked = false;
                return;
            }
            // Outside its own time it does nothing.
            Event::Core(_, core) if !doing.has_begun || doing.has_ended => {
                doing.core = *core;
                return;
            }
            Event::CoreSums(..) if !doing.has_begun || doing.has_ended => return,
            _ => {}
        }
        self.latest = self.latest.max(at);
        doing.settle(at, |part| draw(thread, part));
        match event {
            Event::Begin(_, slice) => {
                doing.asked &= !matches!(slice.kind, SliceKind::MutexWait(_));
                doing.leave_unreported();
                doing.open.push(activity(slice.kind, self.chunks));
            }
            Event::Unreported(_, Some(kind)) => {
                doing.open.push(activity(*kind, self.chunks));
                doing.is_unreported = true;
            }
            Event::Unreported(_, None) => doing.leave_unreported(),
            Event::End(..) | Event::Suspend(..) => {
                doing.open.pop();
            }
            Event::Instant(_, instant) => {
                doing.has_ended |= instant.kind == InstantKind::ThreadEnd;
            }
            Event::LockRequested { .. } => doing.asked = true,
            Event::Core(_, core) => doing.core = *core,
            _ => {}
        }
    }

    /// A window begins here: what was before is drawn by others, except for what is not known yet.
    pub(crate) fn begin_window(&mut self, border: &Border) {
        for (doing, there) in self.threads.iter_mut().zip(&border.threads) {
            doing.has_begun |= there.has_begun;
            if !doing.asked {
                doing.since = border.at;
            }
            (doing.last, doing.from) = (doing.activity(), doing.since);
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
                doing.settle(border.at, |part| draw(thread, part));
            }
            doing.finish(|part| draw(thread, part));
        }
    }

    /// What all threads did last: workers in the pool are there to the end of the recording.
    pub(crate) fn finish(&mut self, mut draw: impl FnMut(ThreadRef, Activities)) {
        let stop = self.stopped.unwrap_or(self.end).max(self.latest);
        let begun = self.threads.iter_mut().zip(0..).filter(|(doing, _)| doing.has_begun);
        for (doing, thread) in begun {
            if doing.kind == Thread::Worker && !doing.has_ended {
                doing.settle(stop, |part| draw(thread, part));
            }
            doing.finish(|part| draw(thread, part));
        }
    }
}
