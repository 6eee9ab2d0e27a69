//! The windows in progress, their bounds, and those that are done.

use super::time_window::{TimeWindow, WindowSummary};
use super::{Supply, TimeWindowError, Window};
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, ThreadInfo};
use ompttrace_recording::facts::Facts;
use std::collections::VecDeque;

/// Windows in progress at the same time: a continuing wait may be reported much later, when its thread has
/// its next event. Each costs a few megabytes.
const MOST: usize = 16;

/// A position in the sequence of windows: 0 before the first one, *n* in window number *n* - 1, or after the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span(usize);

/// The position after the end of the last window.
const OVER: Span = Span(usize::MAX);

type Failure<P> = TimeWindowError<<<P as Supply>::Sink as Sink>::Error>;
type FinishedWindow<P> = WindowSummary<<<P as Supply>::Sink as Sink>::Output>;

/// The windows in progress, their bounds, and the finished windows.
pub(super) struct Stage<P: Supply> {
    pub supply: P,
    /// Latest time that was reported, in nanoseconds.
    pub latest: u64,
    /// Time at which each window begins, in nanoseconds.
    begins: Vec<u64>,
    /// Time at which the last window ends, in nanoseconds.
    end: u64,
    live: VecDeque<TimeWindow<P::Sink>>,
    done: Vec<FinishedWindow<P>>,
    run: Option<OwnedRunInfo>,
    error: Option<Failure<P>>,
}

/// [`RunInfo`] kept for later windows.
#[derive(Debug)]
struct OwnedRunInfo {
    facts: Facts,
    threads: Vec<ThreadInfo>,
    begin: u64,
    end: u64,
    realtime_offset: i64,
}

impl<P: Supply> Stage<P> {
    pub(super) fn new(supply: P) -> Stage<P> {
        Stage {
            supply,
            latest: 0,
            begins: Vec::new(),
            end: u64::MAX,
            live: VecDeque::new(),
            done: Vec::new(),
            run: None,
            error: None,
        }
    }

    /// The run is known: the first window begins.
    pub(super) fn start(&mut self, run: &RunInfo<'_>, window: Window) {
        let at = |time: u64| run.begin.saturating_add(time);
        self.end = window.to.map_or(u64::MAX, at);
        self.run = Some(OwnedRunInfo {
            facts: run.facts.clone(),
            threads: run.threads.to_vec(),
            begin: run.begin,
            end: run.end.min(self.end),
            realtime_offset: run.realtime_offset,
        });
        match window.from.map(at) {
            Some(begin) if begin > run.end => {
                self.error = Some(TimeWindowError::Empty(run.end - run.begin));
            }
            // Nothing is to be before the first window, whatever the clock says.
            begin => drop(self.open(begin.unwrap_or(0))),
        }
    }

    /// Opens a window that begins at `begin`. Returns false if there is no writer for it.
    fn open(&mut self, begin: u64) -> bool {
        let Some(run) = &self.run else { return false };
        let mut sink = match self.supply.next() {
            Ok(sink) => sink,
            Err(error) => {
                self.error.get_or_insert(TimeWindowError::Supply(error));
                return false;
            }
        };
        sink.start(&RunInfo {
            facts: &run.facts,
            threads: &run.threads,
            begin: begin.max(run.begin),
            end: run.end.max(begin),
            realtime_offset: run.realtime_offset,
        });
        self.live.push_back(TimeWindow::new(sink, self.begins.len(), begin));
        self.begins.push(begin);
        true
    }

    /// Returns true if `at` is after the end of a span.
    #[inline(always)]
    pub(super) fn is_past(&self, span: Span, at: u64) -> bool {
        at >= self.begins.get(span.0).copied().unwrap_or(self.end) && span != OVER
    }

    /// Time at which the first window begins, in nanoseconds.
    pub(super) fn begin_of_first(&self) -> u64 {
        self.begins.first().copied().unwrap_or(0)
    }

    /// The span after one.
    pub(super) fn after(&self, span: Span) -> Span {
        if span.0 < self.begins.len() { Span(span.0 + 1) } else { OVER }
    }

    /// The window of a span, if it is in progress.
    #[inline(always)]
    pub(super) fn time_window(&mut self, span: Span) -> Option<&mut TimeWindow<P::Sink>> {
        let closed = self.begins.len() - self.live.len();
        self.live.get_mut(span.0.checked_sub(closed + 1)?)
    }

    /// The window that began last.
    pub(super) fn newest(&mut self) -> Option<&mut TimeWindow<P::Sink>> {
        self.live.back_mut()
    }

    /// Returns true if the newest window is full and another one can begin.
    #[inline(always)]
    pub(super) fn wants_next(&self) -> bool {
        self.error.is_none() && self.latest < self.end - 1 && self.supply.is_full()
    }

    /// Begins a window after everything that was reported. Returns true if the oldest window has to be closed now.
    pub(super) fn begin_next(&mut self) -> bool {
        self.open(self.latest + 1) && self.live.len() > MOST
    }

    /// Time at which the oldest window ends, in nanoseconds, if another window follows it.
    pub(super) fn end_of_oldest(&self) -> Option<u64> {
        self.live.get(1).map(|time_window| time_window.begin)
    }

    /// Closes the oldest window, at `end` unless it ends with the run.
    pub(super) fn close_oldest(
        &mut self,
        definitions: &Definitions,
        end: Option<u64>,
        whole: &Summary,
    ) {
        let Some(time_window) = self.live.pop_front() else { return };
        let logical_threads = definitions.logical_threads().len() as u64;
        let (first, last) = self.run.as_ref().map_or((0, 0), |run| (run.begin, run.end));
        let begin = time_window.begin.saturating_sub(first);
        let until = end.unwrap_or(last).saturating_sub(first);
        match time_window.finish(definitions, end, (begin, until), whole, logical_threads) {
            Ok(summary) => self.done.push(summary),
            Err(error) => drop(self.error.get_or_insert(TimeWindowError::Sink(error))),
        }
    }

    /// The recording stops at `at`.
    pub(super) fn stop(&mut self, definitions: &Definitions, at: u64) {
        if at < self.end
            && let Some(time_window) = self.newest()
        {
            time_window.sink.event(definitions, at, &Event::Stop);
        }
    }

    /// Time at which everything that was reported has happened, in nanoseconds.
    pub(super) fn last_time(&self) -> u64 {
        self.latest.max(self.begins.last().copied().unwrap_or(0))
    }

    /// Closes all windows; the last one ends with the requested time or with the run.
    pub(super) fn finish(
        mut self,
        definitions: &Definitions,
        whole: &Summary,
    ) -> Result<Vec<FinishedWindow<P>>, Failure<P>> {
        while let Some(end) = self.end_of_oldest() {
            self.close_oldest(definitions, Some(end), &Summary::default());
        }
        let end = (self.end <= self.latest).then_some(self.end);
        self.close_oldest(definitions, end, whole);
        match self.error {
            None => Ok(self.done),
            Some(error) => Err(error),
        }
    }
}
