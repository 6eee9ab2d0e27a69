//! Operations of target constructs, by which activities of devices find the construct that caused them.

use super::device_activity::number;
use ompttrace_model::{ArgKey, NameRef, Slice, SliceKind, SourceRef};
use std::collections::HashMap;

/// Operations whose activities may still come; more are forgotten, all of them.
const MOST: usize = 1 << 20;

/// Cause of an activity: an operation of the host.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cause {
    /// The thread's position.
    pub(super) thread: u32,
    /// The name of the innermost target construct that was open; `None`: the operation is in none.
    pub(super) construct: Option<NameRef>,
    /// Source location of that construct; 0: unknown.
    pub(super) source: SourceRef,
}

#[derive(Debug, Default)]
pub(super) struct Operations {
    known: HashMap<u64, Cause>,
    /// Open target constructs of each thread, by position, outermost first.
    open: Vec<Vec<(NameRef, SourceRef)>>,
}

impl Operations {
    /// A slice of a thread of the host begins.
    pub(super) fn begins(&mut self, thread: u32, slice: &Slice<'_>) {
        match slice.kind {
            SliceKind::Target(_) => self.open(thread).push((slice.name, slice.source)),
            SliceKind::DataOp(_) | SliceKind::Submit => self.note(thread, slice),
            _ => {}
        }
    }

    fn note(&mut self, thread: u32, slice: &Slice<'_>) {
        let Some(host_op) = number(slice, ArgKey::HostOp) else { return };
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let around = self.open(thread).last().copied();
        let (construct, source) = around.map_or((None, 0), |(name, source)| (Some(name), source));
        self.known.insert(host_op, Cause { thread, construct, source });
    }

    /// A slice of a thread of the host ends.
    pub(super) fn ends(&mut self, thread: u32, kind: SliceKind) {
        if let SliceKind::Target(_) = kind {
            self.open(thread).pop();
        }
    }

    fn open(&mut self, thread: u32) -> &mut Vec<(NameRef, SourceRef)> {
        let at = thread as usize;
        if self.open.len() <= at {
            self.open.resize_with(at + 1, Vec::new);
        }
        &mut self.open[at]
    }

    /// The cause of the activities of an operation.
    pub(super) fn cause(&self, host_op: u64) -> Option<Cause> {
        self.known.get(&host_op).copied()
    }
}
