//! A slice or an instant, kept until it is known if it is drawn as it is.

use crate::format::Partner;
use ompttrace_model::{
    Arg, ContextRef, Instant, InstantKind, Item, Mark, NameRef, Slice, SliceKind, SourceRef,
};
use ompttrace_recording::Id;

/// The kind of a kept slice or instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptKind {
    Slice(SliceKind),
    Instant(InstantKind),
}

/// A kept slice or instant. Its buffers are used again and again, so that a plain event allocates nothing.
#[derive(Debug)]
pub(super) struct KeptEvent {
    /// Time at which it begins or happens, in CLOCK_MONOTONIC nanoseconds.
    pub at: u64,
    pub kind: KeptKind,
    /// The number of its title.
    pub name: NameRef,
    source: SourceRef,
    task: Id,
    args: Vec<Arg>,
    items: Vec<Item>,
    pub flows: Vec<u64>,
    pub flow_ends: Vec<u64>,
    mark: Mark,
    resumed: bool,
    context: ContextRef,
    /// True if its flows are drawn on this track.
    pub draws_flows: bool,
    /// The partners that it names, each with the number of the name among the texts.
    pub partners: [Option<(Partner, u32)>; 2],
}

impl Default for KeptEvent {
    fn default() -> KeptEvent {
        KeptEvent {
            at: 0,
            kind: KeptKind::Slice(SliceKind::Task),
            name: 0,
            source: 0,
            task: Id::NONE,
            args: Vec::new(),
            items: Vec::new(),
            flows: Vec::new(),
            flow_ends: Vec::new(),
            mark: Mark::Observed,
            resumed: false,
            context: 0,
            draws_flows: false,
            partners: [None; 2],
        }
    }
}

impl KeptEvent {
    /// Takes over another one, into the buffers that are there.
    #[inline]
    pub(super) fn copy(&mut self, other: &KeptEvent) {
        let KeptEvent { at, kind, name, source, task, mark, resumed, context, .. } = *other;
        (self.at, self.kind, self.name, self.source, self.task) = (at, kind, name, source, task);
        (self.mark, self.resumed, self.context) = (mark, resumed, context);
        (self.draws_flows, self.partners) = (other.draws_flows, other.partners);
        refill(&mut self.args, &other.args);
        refill(&mut self.items, &other.items);
        refill(&mut self.flows, &other.flows);
        refill(&mut self.flow_ends, &other.flow_ends);
    }

    /// Takes the properties of a slice, except for its title and its begin.
    #[inline]
    pub(super) fn take_slice(&mut self, slice: &Slice<'_>) {
        let Slice { kind, source, task, mark, resumed, context, .. } = *slice;
        (self.kind, self.source, self.task) = (KeptKind::Slice(kind), source, task);
        (self.mark, self.resumed, self.context) = (mark, resumed, context);
        refill(&mut self.args, slice.args);
        self.items.clear();
        refill(&mut self.flows, slice.flows);
        refill(&mut self.flow_ends, slice.flow_ends);
        self.partners = [None; 2];
    }

    /// Takes the properties of an instant, except for its title and its time.
    #[inline]
    pub(super) fn take_instant(&mut self, instant: &Instant<'_>) {
        let Instant { kind, source, task, mark, .. } = *instant;
        (self.kind, self.source, self.task) = (KeptKind::Instant(kind), source, task);
        (self.mark, self.resumed, self.context) = (mark, false, 0);
        refill(&mut self.args, instant.args);
        refill(&mut self.items, instant.items);
        refill(&mut self.flows, instant.flows);
        refill(&mut self.flow_ends, instant.flow_ends);
        self.partners = [None; 2];
    }

    /// The kept event as a slice of this kind, with these flows.
    pub(super) fn slice<'a>(&'a self, kind: SliceKind, flow_ends: &'a [u64]) -> Slice<'a> {
        let KeptEvent { name, source, task, ref args, ref flows, mark, resumed, context, .. } =
            *self;
        Slice { kind, name, source, task, args, flows, flow_ends, mark, resumed, context }
    }

    /// The kept event as an instant of this kind, with these flows.
    pub(super) fn instant<'a>(&'a self, kind: InstantKind, flow_ends: &'a [u64]) -> Instant<'a> {
        let KeptEvent { name, source, task, ref args, ref items, ref flows, mark, .. } = *self;
        Instant { kind, name, source, task, args, items, flows, flow_ends, mark }
    }
}

#[inline(always)]
fn refill<T: Copy>(buffer: &mut Vec<T>, with: &[T]) {
    buffer.clear();
    buffer.extend_from_slice(with);
}
