//! Assigns work: streams are scanned, windows interpreted, and their results passed on in order.
//! A bounded number of windows is in progress.

use super::starts::{Starts, Window};
use crate::before::Scan;
use ompttrace_model::AnyOutput;
use ompttrace_model::Summary;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Windows in progress beyond those that are interpreted, so that threads need not wait until a long window is joined: one for
/// every two threads, but no fewer than two.
const MORE: usize = 2;
const THREADS_FOR_ONE: usize = 2;

/// The result of a window, or of a part of it.
pub(super) struct WindowOutput {
    pub(super) output: AnyOutput,
    pub(super) summary: Summary,
    /// Paths of the window's logical threads.
    pub(super) paths: Vec<String>,
    /// Number of bytes of the window's records.
    pub(super) bytes: u64,
    /// True if this is the whole window or its last part.
    pub(super) ends: bool,
}

/// The result of a window or part, or the error of its sink.
pub(super) type Outcome = Result<WindowOutput, AnyOutput>;

/// A step of the work.
pub(super) enum Step<'a> {
    /// A stream is to be scanned up to these ticks.
    Scan(u64, (usize, Scan<'a>)),
    /// A window, with its number, is to be interpreted.
    Interpret(usize, Window<'a>),
}

/// Assigns scans and windows to threads, and returns the windows' results in order.
pub(super) struct Board<'a> {
    state: Mutex<BoardState<'a>>,
    /// Wakes threads that scan and interpret: a step may be ready, or no more steps will come.
    work: Condvar,
    /// Wakes the thread that takes results.
    results: Condvar,
}

struct BoardState<'a> {
    starts: Starts<'a>,
    /// Windows that no thread has taken, by number.
    ready: VecDeque<(usize, Window<'a>)>,
    /// Number of windows that were found so far.
    found: usize,
    /// Results that were not passed on yet, by the number of the window and of the part of it.
    done: BTreeMap<(usize, usize), Outcome>,
    /// Number of windows whose results were passed on, and number of parts of the next window that were.
    taken: usize,
    taken_parts: usize,
    /// Maximum number of windows in progress.
    most: usize,
    /// True if all windows are found.
    are_all_found: bool,
    is_over: bool,
}

impl<'a> Board<'a> {
    pub(super) fn new(starts: Starts<'a>, jobs: usize) -> Self {
        let mut state = BoardState {
            starts,
            ready: VecDeque::new(),
            found: 0,
            done: BTreeMap::new(),
            taken: 0,
            taken_parts: 0,
            most: jobs + MORE.max(jobs / THREADS_FOR_ONE),
            are_all_found: false,
            is_over: false,
        };
        state.find_last();
        Board { state: Mutex::new(state), work: Condvar::new(), results: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, BoardState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for_work<'s>(
        &self,
        state: MutexGuard<'s, BoardState<'a>>,
    ) -> MutexGuard<'s, BoardState<'a>> {
        self.work.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn notify_all(&self) {
        self.work.notify_all();
        self.results.notify_all();
    }

    /// The next step, for which it waits if necessary; `None` if no more steps will come.
    pub(super) fn next(&self) -> Option<Step<'a>> {
        let mut state = self.state();
        loop {
            if state.is_over {
                return None;
            }
            // Scanning feeds all others, and so comes first, as long as not too much is found ahead.
            if state.found < state.taken + state.most
                && let Some((until, scan)) = state.starts.next_scan()
            {
                return Some(Step::Scan(until, scan));
            }
            if let Some((number, window)) = state.ready.pop_front() {
                return Some(Step::Interpret(number, window));
            }
            if state.are_all_found {
                return None;
            }
            state = self.wait_for_work(state);
        }
    }

    /// A stream was scanned.
    pub(super) fn scanned(&self, scan: (usize, Scan<'a>)) {
        let mut state = self.state();
        if let Some(window) = state.starts.scanned(scan) {
            state.add(window);
        }
        state.find_last();
        // Nobody waits for a stream before the last one of its cut.
        let is_cut_reached = state.starts.is_cut_reached();
        drop(state);
        if is_cut_reached {
            self.notify_all();
        }
    }

    /// Takes the result of a window or of its next part, by their numbers. Returns false if the result is not needed
    /// any more.
    pub(super) fn interpreted(&self, of: (usize, usize), outcome: Outcome) -> bool {
        let mut state = self.state();
        // Of one window there may be any number of parts.
        while of.1 >= state.taken_parts + state.most && !state.is_over {
            state = self.wait_for_work(state);
        }
        if state.is_over {
            return false;
        }
        state.done.insert(of, outcome);
        drop(state);
        self.results.notify_one();
        true
    }

    /// The result of the next window, or of the next part of it, in order; `None` after the last one.
    pub(super) fn next_done(&self) -> Option<Outcome> {
        let mut state = self.state();
        loop {
            let next = (state.taken, state.taken_parts);
            if let Some(outcome) = state.done.remove(&next) {
                if outcome.as_ref().is_ok_and(|made| !made.ends) {
                    state.taken_parts += 1;
                } else {
                    (state.taken, state.taken_parts) = (state.taken + 1, 0);
                }
                drop(state);
                self.work.notify_all();
                return Some(outcome);
            }
            if state.is_over || state.are_all_found && state.taken == state.found {
                return None;
            }
            state = self.results.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends all work: threads that wait for a step or a result get none.
    pub(super) fn stop(&self) {
        self.state().is_over = true;
        self.notify_all();
    }

    /// The search for windows, which has the checkpoints.
    pub(super) fn into_starts(self) -> Starts<'a> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).starts
    }
}

impl<'a> BoardState<'a> {
    fn add(&mut self, window: Window<'a>) {
        self.ready.push_back((self.found, window));
        self.found += 1;
    }

    fn find_last(&mut self) {
        if let Some(window) = self.starts.last() {
            self.add(window);
        }
        self.are_all_found = self.starts.are_all_found();
    }
}
