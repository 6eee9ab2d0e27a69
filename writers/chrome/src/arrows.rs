//! The flows of an event, tied to its slice.
//!
//! The lines of a flow depend on what came before. In a window of the run that is not known, so its flows are passed
//! to the trace that the window becomes part of.

use std::io::Write;

use ompttrace_model::{Blocks, Instant, InstantKind, Slice, SliceKind};

use crate::flows::{FlowName, Flows};
use crate::lines::{FlowPhase, Lines};
use crate::tracks::Track;

/// The flows of an event.
#[derive(Clone, Copy)]
pub(crate) struct EventFlows<'a> {
    /// Name of the flows that start at this event.
    name: FlowName,
    role: Role,
    flows: &'a [u64],
    ends: &'a [u64],
}

/// The flows of a window's events.
#[derive(Debug, Default)]
pub(crate) struct LeftFlows {
    ties: Vec<LeftTie>,
    /// Numbers of the flows of all events, one after the other.
    flows: Vec<u64>,
}

/// The flows of one event.
#[derive(Debug)]
struct LeftTie {
    /// Number of bytes of the window before these flows.
    before: u64,
    at: u64,
    track: Track,
    name: FlowName,
    role: Role,
    /// Number of flows that end here, and of those that do not.
    ends: usize,
    others: usize,
}

/// Role of an event for its flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The event is a task's creation, at which its flow starts.
    Creation,
    /// The event is a task's first segment; the first of its flows is the task's own.
    FirstSegment,
    Other,
}

impl<'a> EventFlows<'a> {
    /// The flows of a slice, with their name and role.
    #[inline]
    pub(crate) fn of_slice(slice: &Slice<'a>) -> Self {
        let name = match slice.kind {
            SliceKind::Region { .. } | SliceKind::ImplicitTask => FlowName::Fork,
            SliceKind::Task => FlowName::Task,
            SliceKind::MutexHold(_) => FlowName::NextHolder,
            _ => FlowName::Other,
        };
        let first = slice.kind == SliceKind::Task && !slice.resumed;
        let role = if first { Role::FirstSegment } else { Role::Other };
        EventFlows { name, role, flows: slice.flows, ends: slice.flow_ends }
    }

    #[inline]
    pub(crate) fn of_instant(instant: &Instant<'a>) -> Self {
        let (name, role) = match instant.kind {
            InstantKind::TaskCreate => (FlowName::Task, Role::Creation),
            _ => (FlowName::Other, Role::Other),
        };
        EventFlows { name, role, flows: instant.flows, ends: instant.flow_ends }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.flows.is_empty() && self.ends.is_empty()
    }
}

impl LeftFlows {
    /// Adds the flows of the slice that has just begun, with this many bytes `before`.
    pub(crate) fn add(&mut self, before: u64, track: &Track, at: u64, event_flows: EventFlows<'_>) {
        if event_flows.is_empty() {
            return;
        }
        let EventFlows { name, role, flows, ends } = event_flows;
        self.flows.extend_from_slice(ends);
        self.flows.extend_from_slice(flows);
        let (ends, others) = (ends.len(), flows.len());
        self.ties.push(LeftTie { before, at, track: track.clone(), name, role, ends, others });
    }

    /// Appends the lines of the window, with its flows between them.
    pub(crate) fn put_between<W: Write>(
        &self,
        mut blocks: Blocks,
        lines: &mut Lines<W>,
        table: &mut Flows,
    ) {
        let (mut done, mut flows) = (0, &self.flows[..]);
        for tied in &self.ties {
            blocks.take(tied.before - done, |part| lines.append(part));
            done = tied.before;
            let ends = flows.split_off(..tied.ends).unwrap_or_default();
            let others = flows.split_off(..tied.others).unwrap_or_default();
            let event_flows = EventFlows { name: tied.name, role: tied.role, flows: others, ends };
            tie(lines, table, &tied.track, tied.at, event_flows);
        }
        blocks.take(u64::MAX, |part| lines.append(part));
    }
}

/// Ties flows to the slice that has just begun on a track.
#[inline]
pub(crate) fn tie<W: Write>(
    lines: &mut Lines<W>,
    table: &mut Flows,
    track: &Track,
    at: u64,
    event_flows: EventFlows<'_>,
) {
    for &flow in event_flows.ends {
        if let Some(known) = table.end(flow, at) {
            lines.flow(track, at, FlowPhase::End, known.name.text(), table.id(known));
        }
    }
    if event_flows.role == Role::Creation {
        return create(lines, table, track, at, event_flows);
    }
    for (index, &flow) in event_flows.flows.iter().enumerate() {
        let Some((phase, known)) = table.pass(flow, at, event_flows.name) else { continue };
        lines.flow(track, at, phase, known.name.text(), table.id(known));
        if phase == FlowPhase::Start && index == 0 && event_flows.role == Role::FirstSegment {
            table.set_early(flow, at, track);
        }
    }
}

fn create<W: Write>(
    lines: &mut Lines<W>,
    table: &mut Flows,
    track: &Track,
    at: u64,
    event_flows: EventFlows<'_>,
) {
    for &flow in event_flows.flows {
        let (known, early) = table.create(flow, at, event_flows.name);
        lines.flow(track, at, FlowPhase::Start, known.name.text(), table.id(known));
        if let Some(early) = early {
            lines.flow(&early.track, early.at, FlowPhase::End, known.name.text(), table.id(known));
        }
    }
}
