//! One event on each track that is to show it, and its flows on the first of them.

use std::io::Write;

use ompttrace_model::{Instant, InstantKind, Mark, Place, Slice, SliceKind};

use crate::category::Category;
use crate::flows::Flows;
use crate::lines::{Event, FlowPhase, Lines};
use crate::sink::ChromeSink;
use crate::texts::quoted;
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
    fn of_instant(instant: &Instant<'a>) -> Self {
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
fn instant<W: Write>(
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

impl<W: Write> ChromeSink<W> {
    /// `serves`: the slice is all that the thread does on the lane, and says so. True if it is shown.
    #[inline]
    pub(crate) fn begin_on_thread(
        &mut self,
        at: u64,
        place: Place,
        slice: &Slice<'_>,
        serves: bool,
    ) -> bool {
        let Some(track) = self.threads.track(place.thread).filter(|_| self.view.has_threads())
        else {
            return false;
        };
        let lane = place.lane.filter(|_| serves).and_then(|lane| self.lanes.path(lane));
        self.args.set_partner(lane.map(|lane| ("lane", lane)));
        let name = self.texts.name(slice.name);
        let category = Category::of_slice(slice.kind);
        let event = Event { category, name, args: self.args.text() };
        self.lines.begin(track, at, &event);
        tie(&mut self.lines, &mut self.flows, track, at, Named::of_slice(slice));
        self.written.threads.slices += 1;
        true
    }

    #[inline]
    pub(crate) fn begin_on_lane(
        &mut self,
        at: u64,
        place: Place,
        slice: &Slice<'_>,
        serves: bool,
        flows_told: bool,
    ) {
        let Some(lane) = place.lane.filter(|_| self.view.has_lanes()) else { return };
        let Some(track) = self.lanes.track(&mut self.lines, &self.process, lane) else { return };
        let thread = if serves { self.threads.name(place.thread) } else { None };
        self.args.set_partner(thread.map(|thread| ("thread", thread)));
        let name = self.texts.name(slice.name);
        let category = Category::of_slice(slice.kind);
        let event = Event { category, name, args: self.args.text() };
        self.lines.begin(track, at, &event);
        if !flows_told {
            tie(&mut self.lines, &mut self.flows, track, at, Named::of_slice(slice));
        }
        self.written.lanes.slices += 1;
    }

    #[inline]
    pub(crate) fn end_on_thread(&mut self, at: u64, place: Place, mark: Mark) {
        if self.view.has_threads()
            && let Some(track) = self.threads.track(place.thread)
        {
            self.lines.end(track, at, mark);
        }
    }

    #[inline]
    pub(crate) fn end_on_lane(&mut self, at: u64, place: Place, mark: Mark) {
        if let Some(lane) = place.lane.filter(|_| self.view.has_lanes())
            && let Some(track) = self.lanes.track(&mut self.lines, &self.process, lane)
        {
            self.lines.end(track, at, mark);
        }
    }

    /// True if it is shown.
    #[inline]
    pub(crate) fn instant_on_thread(&mut self, at: u64, place: Place, told: &Instant<'_>) -> bool {
        let Some(track) = self.threads.track(place.thread).filter(|_| self.view.has_threads())
        else {
            return false;
        };
        let (name, category) = (self.texts.name(told.name), Category::of_instant(told.kind));
        let event = Event { category, name, args: self.args.text() };
        let named = Some(Named::of_instant(told));
        instant(&mut self.lines, &mut self.flows, track, at, &event, named);
        self.written.threads.instants += 1;
        true
    }

    /// True if it is shown.
    #[inline]
    pub(crate) fn instant_on_lane(
        &mut self,
        at: u64,
        place: Place,
        told: &Instant<'_>,
        flows_told: bool,
    ) -> bool {
        let Some(lane) = place.lane.filter(|_| self.view.has_lanes()) else { return false };
        let Some(track) = self.lanes.track(&mut self.lines, &self.process, lane) else {
            return false;
        };
        let (name, category) = (self.texts.name(told.name), Category::of_instant(told.kind));
        let event = Event { category, name, args: self.args.text() };
        let named = (!flows_told).then(|| Named::of_instant(told));
        instant(&mut self.lines, &mut self.flows, track, at, &event, named);
        self.written.lanes.instants += 1;
        true
    }

    /// A lock's track says who holds it.
    pub(crate) fn note_holder(&mut self, place: Place) {
        if let Some(thread) = self.threads.name(place.thread) {
            self.args.add("thread", thread);
        }
        if let Some(lane) = place.lane.and_then(|lane| self.lanes.path(lane)) {
            self.args.add("lane", lane);
        }
    }

    /// Losses that nobody could place are told at the end of the run.
    #[cold]
    pub(crate) fn remark_loss(&mut self, text: &str) {
        let name = quoted(text);
        let category = Category::Tool;
        let event = Event { category, name: &name, args: &[] };
        self.lines.remark(&self.process.track(), self.end, &event);
        self.written.remarks += 1;
    }
}
