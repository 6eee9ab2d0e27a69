//! The other side of a batch: events as they were, as far as reports read them.

use super::compact::{Compact, Other, TaskCreate};
use ompttrace_model::{Arg, Event, Executor, Instant, LockEvent, Mark, Slice, SliceKind, ompt};
use std::vec::Drain;

/// Lists of a batch, without the entries that were taken.
pub(super) struct Lists<'a> {
    pub created: Drain<'a, TaskCreate>,
    pub others: Drain<'a, Other>,
    pub args: &'a [Arg],
}

impl<'a> Lists<'a> {
    fn args(&mut self, count: usize) -> &'a [Arg] {
        let (args, rest) = self.args.split_at(count.min(self.args.len()));
        self.args = rest;
        args
    }

    /// Hands an event to `take`, which is inlined at each call, so that its code is that of one kind of event.
    #[inline(always)]
    pub(super) fn give(
        &mut self,
        at: u64,
        compact: Compact,
        mut take: impl FnMut(u64, &Event<'_>),
    ) {
        let on = |thread| Executor { thread: u32::from(thread), logical_thread: None };
        let short_slice = |kind, name, source| Slice::new(kind, u32::from(name), u32::from(source));
        // Reports do not read it.
        let (mark, any_kind) = (Mark::Observed, SliceKind::Task);
        match compact {
            Compact::Begin { thread, kind, name, source, args } => {
                let slice =
                    Slice { args: self.args(usize::from(args)), ..short_slice(kind, name, source) };
                take(at, &Event::Begin(on(thread), slice));
            }
            Compact::Resume { thread, kind, name, source } => {
                let slice = Slice { resumed: true, ..short_slice(kind, name, source) };
                take(at, &Event::Begin(on(thread), slice));
            }
            Compact::End { thread } => take(at, &Event::End(on(thread), any_kind, mark)),
            Compact::Suspend { thread, slices } => {
                for _ in 0..slices {
                    take(at, &Event::Suspend(on(thread), any_kind, mark));
                }
            }
            Compact::TaskCreate { thread } => {
                if let Some(created) = self.created.next() {
                    created.with_instant(|instant| take(at, &Event::Instant(on(thread), instant)));
                }
            }
            Compact::TaskRuns { thread, task } => take(at, &Event::TaskRuns(on(thread), task.id())),
            Compact::TaskEnd { thread, task } => {
                take(at, &Event::TaskEnd(on(thread), task.id(), None));
            }
            Compact::LockRequested { thread, kind, wait_id } => {
                let wait_id = wait_id.get();
                take(at, &Event::LockRequested { executor: on(thread), kind, wait_id });
            }
            Compact::LockAcquired { thread, lock } => {
                let event = LockEvent { lock, kind: ompt::Mutex::Unknown, source: 0 };
                take(at, &Event::LockAcquired(on(thread), event));
            }
            Compact::HoldBegin { thread, lock, source } => {
                let kind = SliceKind::MutexHold(ompt::Mutex::Unknown);
                take(at, &Event::HoldBegin(lock, on(thread), Slice::new(kind, 0, source)));
            }
            Compact::HoldEnd { lock } => take(at, &Event::HoldEnd(lock, mark)),
            Compact::Core { thread, core } => take(at, &Event::Core(u32::from(thread), core)),
            Compact::State { thread, state } => take(at, &Event::State(u32::from(thread), state)),
            Compact::Other => self.give_other(take),
            Compact::Defined => {}
        }
    }

    #[cold]
    fn give_other(&mut self, mut take: impl FnMut(u64, &Event<'_>)) {
        let Some((at, event, count)) = self.others.next() else { return };
        let args = self.args(count);
        match event {
            Event::Begin(executor, slice) => {
                take(at, &Event::Begin(executor, Slice { args, ..slice }))
            }
            Event::PhaseBegin(executor, slice) => {
                take(at, &Event::PhaseBegin(executor, Slice { args, ..slice }))
            }
            Event::Instant(executor, instant) => {
                take(at, &Event::Instant(executor, Instant { args, ..instant }));
            }
            event => take(at, &event),
        }
    }
}
