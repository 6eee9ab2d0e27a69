//! Operations of target constructs, by which activities of devices find the construct that caused them.

use ompttrace_model::{HostOperations, NameRef, Slice, SliceKind, SourceRef};

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
    known: HostOperations<Cause>,
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
        let around = self.open(thread).last().copied();
        let (construct, source) = around.map_or((None, 0), |(name, source)| (Some(name), source));
        self.known.begins(slice, || Cause { thread, construct, source });
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

    /// The cause of an activity.
    pub(super) fn cause(&self, slice: &Slice<'_>) -> Option<Cause> {
        self.known.of_activity(slice)
    }
}
