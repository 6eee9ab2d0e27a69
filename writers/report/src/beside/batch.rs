//! Events on their way to another thread: frequent kinds reduced to the fields that reports read, all others as they
//! are.

use super::compact::{Compact, Other, Short, TaskCreate, Word};
use super::unpack::Lists;
use crate::devices::is_of_devices;
use ompttrace_model::{Arg, ArgKey, Definitions, Event, Executor, Sink, Slice, SliceKind};

/// Events in their order.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The time that those of the events count from: before the first one, since some come late.
    since: Option<u64>,
    events: Vec<(u32, Compact)>,
    created: Vec<TaskCreate>,
    others: Vec<Other>,
    args: Vec<Arg>,
    defined: Vec<Definitions>,
}

impl Batch {
    /// Number of events, approximately.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Adds definitions that precede the next event.
    #[cold]
    pub(super) fn define(&mut self, new: Definitions) {
        self.defined.push(new);
        self.events.push((0, Compact::Defined));
    }

    /// An event.
    #[inline(always)]
    pub(super) fn push(&mut self, at: u64, event: &Event<'_>) {
        if let Event::LockReleased(..) = event {
            // No report reads them.
            return;
        }
        let since = *self.since.get_or_insert(at.saturating_sub(1 << 31));
        let after = u32::try_from(at.wrapping_sub(since)).ok();
        match after.and_then(|after| Some((after, self.short(event)?))) {
            Some((after, compact)) => self.add(after, compact),
            None => self.push_other(at, event),
        }
    }

    #[inline(always)]
    fn add(&mut self, after: u32, compact: Compact) {
        if let Compact::Suspend { thread, .. } = compact
            && let Some((last, Compact::Suspend { thread: same, slices })) = self.events.last_mut()
            && (*last, *same) == (after, thread)
            && *slices < u8::MAX
        {
            *slices += 1;
            return;
        }
        self.events.push((after, compact));
    }

    /// The event in short, if it can be said so.
    #[inline(always)]
    fn short(&mut self, event: &Event<'_>) -> Option<Compact> {
        let short = |number: u32| Short::try_from(number).ok();
        Some(match *event {
            Event::Begin(Executor { thread, .. }, ref slice) => {
                let Slice { kind, name, source, context, resumed, .. } = *slice;
                if matches!(kind, SliceKind::Region { .. })
                    || is_whole(kind)
                    || is_operation(kind)
                    || context != 0
                {
                    return None;
                }
                let (thread, name, source) = (short(thread)?, short(name)?, short(source)?);
                if resumed {
                    return Some(Compact::Resume { thread, kind, name, source });
                }
                let args = match kind {
                    SliceKind::Work(_) => self.keep_count(slice.args),
                    _ => 0,
                };
                Compact::Begin { thread, kind, name, source, args }
            }
            // As its begin, so that it is known what ends.
            Event::End(_, kind, _) if is_whole(kind) => return None,
            Event::End(executor, ..) => Compact::End { thread: short(executor.thread)? },
            Event::Suspend(executor, ..) => {
                Compact::Suspend { thread: short(executor.thread)?, slices: 1 }
            }
            Event::Instant(executor, ref instant) => {
                let thread = short(executor.thread)?;
                self.created.push(TaskCreate::of(instant)?);
                Compact::TaskCreate { thread }
            }
            Event::HoldBegin(lock, executor, ref slice) => {
                Compact::HoldBegin { thread: short(executor.thread)?, lock, source: slice.source }
            }
            Event::HoldEnd(lock, _) => Compact::HoldEnd { lock },
            Event::TaskRuns(executor, task) => {
                Compact::TaskRuns { thread: short(executor.thread)?, task: Word::of(task.0) }
            }
            Event::TaskEnd(executor, task, _) => {
                Compact::TaskEnd { thread: short(executor.thread)?, task: Word::of(task.0) }
            }
            Event::LockRequested { executor, kind, wait_id } => {
                let thread = short(executor.thread)?;
                Compact::LockRequested { thread, kind, wait_id: Word::of(wait_id) }
            }
            Event::LockAcquired(executor, ref event) => {
                Compact::LockAcquired { thread: short(executor.thread)?, lock: event.lock }
            }
            Event::State(thread, state) => Compact::State { thread: short(thread)?, state },
            Event::Core(thread, core) => Compact::Core { thread: short(thread)?, core },
            _ => return None,
        })
    }

    /// Keeps how much work there is, where the slice says that; returns how many arguments that is.
    fn keep_count(&mut self, args: &[Arg]) -> u8 {
        let count = args.iter().find(|arg| arg.key == ArgKey::Count);
        self.args.extend(count);
        u8::from(count.is_some())
    }

    #[cold]
    #[inline(never)]
    fn push_other(&mut self, at: u64, event: &Event<'_>) {
        let args = match event {
            Event::Begin(_, slice) | Event::PhaseBegin(_, slice) => slice.args,
            Event::Instant(_, instant) => instant.args,
            _ => &[],
        };
        self.args.extend(args);
        self.others.push((at, event.without_lists(), args.len()));
        self.events.push((0, Compact::Other));
    }

    /// Hands all events to a sink, in their order; the batch is empty then.
    pub(super) fn hand_over(&mut self, definitions: &mut Definitions, sink: &mut impl Sink) {
        let since = self.since.take().unwrap_or_default();
        let mut defined = self.defined.drain(..);
        let mut lists = Lists {
            created: self.created.drain(..),
            others: self.others.drain(..),
            args: &self.args,
        };
        for (after, compact) in self.events.drain(..) {
            let at = since.wrapping_add(u64::from(after));
            match compact {
                Compact::Defined => definitions.extend(defined.next().unwrap_or_default()),
                _ => lists.give(at, compact, |at, event| sink.event(definitions, at, event)),
            }
        }
        drop(lists);
        self.args.clear();
    }
}

/// True if the begin is passed on with its arguments.
fn is_operation(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::DataOp(_) | SliceKind::Submit)
}

/// True if begin and end are passed on as they are.
fn is_whole(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Mpi(_)) || is_of_devices(kind)
}
