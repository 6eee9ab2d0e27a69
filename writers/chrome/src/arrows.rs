//! The flows of an event, tied to its slice.
//!
//! What is to be said of a flow depends on what came before. In a window of the run that is not known, so its flows are
//! left to the trace that the window becomes part of.

use std::io::Write;

use ompttrace_model::{Instant, InstantKind, Slice, SliceKind};

use crate::flows::Flows;
use crate::lines::{FlowPhase, Lines};
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

/// The flows of a window's events.
#[derive(Debug, Default)]
pub(crate) struct LeftFlows {
    ties: Vec<LeftTie>,
    /// Of all events, one after the other.
    flows: Vec<u64>,
}

/// The flows of an event.
#[derive(Debug)]
struct LeftTie {
    /// Bytes of the window before them.
    before: u64,
    at: u64,
    track: Track,
    name: &'static str,
    role: Role,
    /// How many of the flows end here, and how many do not.
    ends: usize,
    others: usize,
}

/// What an event is to its flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub(crate) fn is_empty(&self) -> bool {
        self.flows.is_empty() && self.ends.is_empty()
    }
}

impl LeftFlows {
    /// Flows of the slice that has just begun, with this many bytes `before`.
    pub(crate) fn add(&mut self, before: u64, track: &Track, at: u64, named: Named<'_>) {
        if named.is_empty() {
            return;
        }
        let Named { name, role, flows, ends } = named;
        self.flows.extend_from_slice(ends);
        self.flows.extend_from_slice(flows);
        let (ends, others) = (ends.len(), flows.len());
        self.ties.push(LeftTie { before, at, track: track.clone(), name, role, ends, others });
    }

    /// Appends the lines of the window, with its flows between them.
    pub(crate) fn put_between<W: Write>(
        &self,
        bytes: &[u8],
        lines: &mut Lines<W>,
        table: &mut Flows,
    ) {
        let (mut bytes, mut done, mut flows) = (bytes, 0, &self.flows[..]);
        for tied in &self.ties {
            let before = bytes.split_off(..(tied.before - done) as usize).unwrap_or_default();
            lines.append(before);
            done = tied.before;
            let ends = flows.split_off(..tied.ends).unwrap_or_default();
            let others = flows.split_off(..tied.others).unwrap_or_default();
            let named = Named { name: tied.name, role: tied.role, flows: others, ends };
            tie(lines, table, &tied.track, tied.at, named);
        }
        lines.append(bytes);
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
        if let Some(known) = table.end(flow, at) {
            lines.flow(track, at, FlowPhase::End, known.name, known.number);
        }
    }
    if named.role == Role::Creation {
        return create(lines, table, track, at, named);
    }
    for (index, &flow) in named.flows.iter().enumerate() {
        let Some((phase, known)) = table.pass(flow, at, named.name) else { continue };
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
        let (known, early) = table.create(flow, at, named.name);
        lines.flow(track, at, FlowPhase::Start, known.name, known.number);
        if let Some(early) = early {
            lines.flow(&early.track, early.at, FlowPhase::End, known.name, known.number);
        }
    }
}
