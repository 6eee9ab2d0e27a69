//! The flows of an event, tied to its slice.

use std::io::Write;

use ompttrace_model::{Instant, InstantKind, Mark, Slice, SliceKind};

use crate::flows::Flows;
use crate::lines::{Event, FlowPhase, Lines};
use crate::tracks::Track;

/// The flows that an event names.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    /// What those are called that start here.
    name: &'static str,
    role: Role,
    flows: &'a [u64],
    ends: &'a [u64],
}

/// What an event is to its flows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A task's creation, where its flow starts.
    Creation,
    /// A task's first segment; the first of its flows is the task's own.
    FirstSegment,
    Other,
}

impl<'a> Named<'a> {
    /// A flow that starts at a slice is called by what it leads to.
    #[inline]
    pub(crate) fn of_slice(slice: &Slice<'a>) -> Self {
        let name = match slice.kind {
            SliceKind::Region { .. } | SliceKind::ImplicitTask => "fork",
            SliceKind::Task => "task",
            SliceKind::MutexHold(_) => "next holder",
            _ => "flow",
        };
        let first = slice.kind == SliceKind::Task && !slice.resumed;
        let role = if first { Role::FirstSegment } else { Role::Other };
        Named { name, role, flows: slice.flows, ends: slice.flow_ends }
    }

    #[inline]
    pub(crate) fn of_instant(instant: &Instant<'a>) -> Self {
        let (name, role) = match instant.kind {
            InstantKind::TaskCreate => ("task", Role::Creation),
            _ => ("flow", Role::Other),
        };
        Named { name, role, flows: instant.flows, ends: instant.flow_ends }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.flows.is_empty() && self.ends.is_empty()
    }
}

/// Ties flows to the slice that has just begun on a track.
#[inline]
pub(crate) fn tie<W: Write>(
    lines: &mut Lines<W>,
    table: &mut Flows,
    track: &Track,
    at: u64,
    named: Named<'_>,
) {
    for &flow in named.ends {
        if let Some(known) = table.end(flow) {
            lines.flow(track, at, FlowPhase::End, known.name, known.number);
        }
    }
    if named.role == Role::Creation {
        return create(lines, table, track, at, named);
    }
    for (index, &flow) in named.flows.iter().enumerate() {
        let (phase, known) = table.pass(flow, named.name);
        lines.flow(track, at, phase, known.name, known.number);
        if phase == FlowPhase::Start && index == 0 && named.role == Role::FirstSegment {
            table.set_early(flow, at, track);
        }
    }
}

fn create<W: Write>(
    lines: &mut Lines<W>,
    table: &mut Flows,
    track: &Track,
    at: u64,
    named: Named<'_>,
) {
    for &flow in named.flows {
        let (known, early) = table.create(flow, named.name);
        lines.flow(track, at, FlowPhase::Start, known.name, known.number);
        if let Some(early) = early {
            lines.flow(&early.track, early.at, FlowPhase::End, known.name, known.number);
        }
    }
}

/// An instant. Flows are tied to slices only, so one that has flows is a slice without length, which
/// Perfetto's tables do not tell from an instant.
#[inline]
pub(crate) fn instant<W: Write>(
    lines: &mut Lines<W>,
    table: &mut Flows,
    track: &Track,
    at: u64,
    event: &Event<'_>,
    named: Option<Named<'_>>,
) {
    match named.filter(|named| !named.is_empty()) {
        None => lines.instant(track, at, event),
        Some(named) => {
            lines.begin(track, at, event);
            tie(lines, table, track, at, named);
            lines.end(track, at, Mark::Observed);
        }
    }
}
