//! One time window of a run: its writer, and the numbers of the events that were reported to it.

use super::flows::Flows;
use super::open::OpenItem;
use ompttrace_model::{Definitions, Event, Mark, Sink, Summary};

/// A window that is written.
#[derive(Clone, Debug)]
pub struct WindowSummary<O> {
    /// Nanoseconds from the run's first record to the window's begin.
    pub begin: u64,
    /// Nanoseconds from the run's first record to its end.
    pub end: u64,
    /// Output of the window's writer.
    pub output: O,
    /// Totals of the events that were reported to the writer.
    pub summary: Summary,
    /// Regions among them that continue from an earlier window.
    pub continued_regions: u64,
}

/// A window in progress.
#[derive(Debug)]
pub(super) struct TimeWindow<S> {
    pub sink: S,
    /// Number of the window, from 0.
    pub number: usize,
    pub begin: u64,
    counts: Summary,
    continued_regions: u64,
    /// Items that were open when a thread, track, lock or counter left the window.
    left: Vec<Vec<OpenItem>>,
}

impl<S: Sink> TimeWindow<S> {
    pub(super) fn new(sink: S, number: usize, begin: u64) -> TimeWindow<S> {
        let (counts, left) = (Summary::default(), Vec::new());
        TimeWindow { sink, number, begin, counts, continued_regions: 0, left }
    }

    /// A thread, track, lock or counter leaves the window with these open items, which end with the window.
    pub(super) fn leave(&mut self, open: &[OpenItem]) {
        if !open.is_empty() {
            self.left.push(open.to_vec());
        }
    }

    /// Forgets the counts of the events so far.
    pub(super) fn count_from_here(&mut self) {
        self.counts = Summary::default();
    }

    /// A region that is open where the window begins continues in it.
    pub(super) fn continues_region(&mut self) {
        self.continued_regions += u64::from(self.number > 0);
    }

    /// Reports one of the run's events, with the arrows that lie within the window. Slices that come late and began
    /// before the window did are cut at its begin; an event before the first window is not in it.
    pub(super) fn write(
        &mut self,
        definitions: &Definitions,
        at: u64,
        event: &Event<'_>,
        flows: &mut Flows,
    ) {
        let (is_late, number) = (at < self.begin, Some(self.number));
        let mut event = *event;
        match &mut event {
            Event::Begin(_, slice)
            | Event::RegionBegin(_, slice)
            | Event::PhaseBegin(_, slice)
            | Event::HoldBegin(_, _, slice) => {
                slice.flow_ends = flows.at(number, slice.task, slice.flows, slice.flow_ends);
                if is_late {
                    (slice.flows, slice.flow_ends, slice.mark) = (&[], &[], Mark::Cut);
                }
            }
            Event::Instant(_, instant) => {
                instant.flow_ends =
                    flows.at(number, instant.task, instant.flows, instant.flow_ends);
                if is_late && self.number == 0 {
                    return;
                }
            }
            _ => {}
        }
        self.emit(definitions, at.max(self.begin), &event);
    }

    /// Counts an event and hands it to the writer.
    pub(super) fn emit(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        let counts = &mut self.counts;
        let mark = match event {
            Event::Begin(executor, slice) => {
                counts.slices += 1;
                counts.logical_thread_slices += u64::from(executor.logical_thread.is_some());
                slice.mark
            }
            Event::Instant(executor, instant) => {
                counts.instants += 1;
                counts.logical_thread_instants += u64::from(executor.logical_thread.is_some());
                instant.mark
            }
            Event::RegionBegin(_, slice) => {
                counts.region_slices += 1;
                slice.mark
            }
            Event::HoldBegin(_, _, slice) => {
                counts.hold_slices += 1;
                slice.mark
            }
            Event::PhaseBegin(_, slice) => slice.mark,
            Event::Counter(..) => {
                counts.counter_values += 1;
                Mark::Observed
            }
            Event::End(_, _, mark)
            | Event::Suspend(_, _, mark)
            | Event::RegionEnd(_, mark)
            | Event::PhaseEnd(_, mark)
            | Event::HoldEnd(_, mark) => *mark,
            _ => Mark::Observed,
        };
        match mark {
            Mark::Observed => {}
            Mark::Inferred => counts.inferred += 1,
            Mark::Cut => counts.cut += 1,
        }
        self.sink.event(definitions, at, event);
    }

    /// Ends what was left open at `end`, if the window ends before the run does, and the window, which began at
    /// `begin` and ends at `last`, since the run's begin.
    pub(super) fn finish(
        mut self,
        definitions: &Definitions,
        end: Option<u64>,
        (begin, last): (u64, u64),
        whole: &Summary,
        logical_threads: u64,
    ) -> Result<WindowSummary<S::Output>, S::Error> {
        if let Some(end) = end {
            self.sink.event(definitions, end, &Event::Stop);
            for open in std::mem::take(&mut self.left) {
                for (at, one) in open.iter().enumerate().rev() {
                    one.end(definitions, end, open.get(..at).unwrap_or_default(), &mut self);
                }
            }
        }
        let counts = self.counts;
        let summary = Summary {
            slices: counts.slices,
            logical_thread_slices: counts.logical_thread_slices,
            instants: counts.instants,
            logical_thread_instants: counts.logical_thread_instants,
            region_slices: counts.region_slices,
            hold_slices: counts.hold_slices,
            counter_values: counts.counter_values,
            inferred: counts.inferred,
            cut: counts.cut,
            logical_threads,
            ..whole.clone()
        };
        let (output, continued_regions) =
            (self.sink.finish(definitions, &summary)?, self.continued_regions);
        Ok(WindowSummary { begin, end: last, output, summary, continued_regions })
    }
}
