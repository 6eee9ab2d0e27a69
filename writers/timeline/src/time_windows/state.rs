//! The window in which a thread (a track, a lock, a counter) is, and its open items there.

use super::Supply;
use super::open::{KeptSlice, OpenItem};
use super::stage::{Span, Stage};
use super::time_window::TimeWindow;
use ompttrace_model::{Arg, Core, Definitions, Event, Executor, LockRef, SliceKind};
use ompttrace_recording::Id;

/// Room for annotations that is kept for later slices.
const MOST_SPARE: usize = 64;

/// The window in which a thread, track, lock or counter is, and its open items there.
#[derive(Debug, Default)]
pub(super) struct OpenState {
    span: Span,
    open: Vec<OpenItem>,
    spare: Vec<Vec<Arg>>,
}

impl OpenState {
    /// Moves on to `at`: the window there, if there is one.
    #[inline]
    pub(super) fn advance<'s, P: Supply>(
        &mut self,
        definitions: &Definitions,
        at: u64,
        stage: &'s mut Stage<P>,
    ) -> Option<&'s mut TimeWindow<P::Sink>> {
        while stage.is_past(self.span, at) {
            self.step(definitions, stage);
        }
        stage.time_window(self.span)
    }

    #[cold]
    fn step<P: Supply>(&mut self, definitions: &Definitions, stage: &mut Stage<P>) {
        if let Some(time_window) = stage.time_window(self.span) {
            time_window.leave(&self.open);
        }
        self.span = stage.after(self.span);
        if let Some(time_window) = stage.time_window(self.span) {
            let at = time_window.begin;
            self.open.iter().for_each(|open| open.begin(definitions, at, time_window));
        }
    }

    /// The parallel regions and leagues that the thread forked.
    pub(super) fn regions(&self) -> impl Iterator<Item = Id> {
        self.open.iter().filter_map(|open| match open {
            OpenItem::Slice(kept) if matches!(kept.kind, SliceKind::Region { .. }) => {
                Some(kept.task)
            }
            _ => None,
        })
    }

    /// The regions and leagues in whose teams it is.
    pub(super) fn regions_of_teams(&self) -> impl Iterator<Item = Id> {
        self.open.iter().filter_map(|open| match open {
            OpenItem::TeamThread(_, team_thread) => Some(team_thread.region),
            _ => None,
        })
    }

    /// Updates the open items by an event. Returns false if the event releases a mutex that the thread did not have.
    #[inline]
    pub(super) fn follow(&mut self, event: &Event<'_>) -> bool {
        match *event {
            Event::Begin(executor, ref slice) => {
                self.open(|args| OpenItem::Slice(KeptSlice::of(executor, slice, args)));
            }
            Event::End(..) | Event::Suspend(..) => self.drop_slice(),
            Event::RegionBegin(track, ref slice) => {
                let nowhere = Executor { thread: 0, logical_thread: None };
                self.open(|args| OpenItem::Region(track, KeptSlice::of(nowhere, slice, args)));
            }
            Event::HoldBegin(lock, executor, ref slice) => {
                self.open(|args| OpenItem::Hold(lock, KeptSlice::of(executor, slice, args)));
            }
            Event::RegionEnd(..) | Event::HoldEnd(..) => self.open.clear(),
            Event::Counter(counter, value) => {
                self.open.clear();
                self.open.push(OpenItem::Value(counter, value));
            }
            Event::TeamThreadBegin(executor, team_thread) => {
                self.open.push(OpenItem::TeamThread(executor, team_thread))
            }
            Event::TeamThreadEnd(_) => self.drop_team_thread(),
            Event::TaskRuns(executor, task) => self.runs(executor, task),
            Event::LockAcquired(executor, lock) => self.open.push(OpenItem::Held(executor, lock)),
            Event::LockReleased(_, lock) => return self.drop_held(lock.lock),
            Event::Core(thread, core) => {
                self.open.clear();
                // A window begins with nothing known.
                if core != Core::Unknown {
                    self.open.push(OpenItem::Core(thread, core));
                }
            }
            Event::State(thread, state) => {
                self.open.clear();
                self.open.extend(state.map(|state| OpenItem::State(thread, state)));
            }
            Event::PhaseBegin(executor, ref slice) => {
                self.open(|args| OpenItem::Phase(KeptSlice::of(executor, slice, args)));
            }
            Event::PhaseEnd(..) => drop(self.open.pop()),
            Event::Instant(..)
            | Event::TaskEnd(..)
            | Event::LockRequested { .. }
            | Event::LockRefused { .. }
            | Event::CoreSums(..)
            | Event::Mpi(..)
            | Event::Sample(..)
            | Event::Stop => {}
        }
        true
    }

    /// Adds an open item, which `make` makes with room for its annotations.
    #[inline]
    fn open(&mut self, make: impl FnOnce(Vec<Arg>) -> OpenItem) {
        let open = make(self.spare.pop().unwrap_or_default());
        self.open.push(open);
    }

    /// The innermost slice is over.
    #[inline]
    fn drop_slice(&mut self) {
        let Some(at) = self.last(|open| matches!(open, OpenItem::Slice(_))) else { return };
        if let OpenItem::Slice(mut kept) = self.open.remove(at)
            && self.spare.len() < MOST_SPARE
        {
            kept.args.clear();
            self.spare.push(kept.args);
        }
    }

    /// The innermost implicit task is over, and with it the task that was running.
    fn drop_team_thread(&mut self) {
        let at = self.last(|open| matches!(open, OpenItem::TeamThread(..)));
        if let Some(at) = at {
            if let OpenItem::TeamThread(executor, _) = self.open.remove(at) {
                self.leave(executor);
            }
            self.drop_runs(at);
        }
    }

    /// Locks that the thread still holds are not on the logical thread of an implicit task that is over: it may be another thread's now.
    fn leave(&mut self, left: Executor) {
        for open in &mut self.open {
            if let OpenItem::Held(executor, _) = open
                && executor.logical_thread == left.logical_thread
            {
                executor.logical_thread = None;
            }
        }
    }

    /// The innermost implicit task's thread continues with `task`.
    fn runs(&mut self, executor: Executor, task: Id) {
        let at = self.last(|open| matches!(open, OpenItem::TeamThread(..)));
        self.drop_runs(at.unwrap_or(0));
        let own = match at.and_then(|at| self.open.get(at)) {
            Some(OpenItem::TeamThread(_, team_thread)) => team_thread.task,
            _ => Id::NONE,
        };
        if !task.is_none() && task != own {
            self.open.push(OpenItem::Runs(executor, task));
        }
    }

    /// Removes a lock that is released. Returns false if the thread did not have it.
    pub(super) fn drop_held(&mut self, lock: LockRef) -> bool {
        let at = self.last(|open| matches!(open, OpenItem::Held(_, held) if held.lock == lock));
        at.map(|at| self.open.remove(at)).is_some()
    }

    fn drop_runs(&mut self, from: usize) {
        let mut position = 0;
        self.open.retain(|open| {
            position += 1;
            position <= from || !matches!(open, OpenItem::Runs(..))
        });
    }

    fn last(&self, is: impl FnMut(&OpenItem) -> bool) -> Option<usize> {
        self.open.iter().rposition(is)
    }
}
