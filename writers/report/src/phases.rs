//! Phases of the program: their executions, and what all threads did meanwhile.
//!
//! Time counts for a phase while it is open on some thread, once, whichever threads have it open. As a thread's time is charged when
//! its state changes, maybe after the phase, the executions are kept as spans.

use crate::state::{State, Times};
use ompttrace_model::{Definitions, NameRef, PhaseKind, Slice, ThreadRef};
use std::collections::{BTreeSet, HashMap};

/// Stands for the end of what is open.
const OPEN: u64 = u64::MAX;

/// A phase.
#[derive(Debug)]
pub(crate) struct Phase {
    pub(crate) name: String,
    pub(crate) kind: PhaseKind,
    /// Number of executions, and the length of the longest one.
    pub(crate) calls: u64,
    pub(crate) longest: u64,
    spans: Spans,
    /// Time of all threads while it is open.
    pub(crate) times: Times,
}

/// Times at which a phase was open on some thread, in the order of time.
#[derive(Debug, Default)]
struct Spans {
    /// Begin and end of each, and the length of those before.
    closed: Vec<(u64, u64, u64)>,
    /// Number of threads' phases that are open, and since when one is.
    open: u32,
    since: u64,
}

impl Spans {
    fn begin(&mut self, at: u64) {
        if self.open == 0 {
            self.since = at;
        }
        self.open += 1;
    }

    fn end(&mut self, at: u64) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 && at > self.since {
            let before = self.length();
            self.closed.push((self.since, at, before));
        }
    }

    /// Length of those that are over.
    fn length(&self) -> u64 {
        self.closed.last().map_or(0, |(begin, end, before)| before + (end - begin))
    }

    /// End of the last one; [`OPEN`] while one is open, and 0 before the first.
    fn end_of_last(&self) -> u64 {
        let last = self.closed.last().map_or(0, |(_, end, _)| *end);
        if self.open > 0 { OPEN } else { last }
    }

    /// Length up to a time; one that is open goes on to it.
    fn until(&self, at: u64) -> u64 {
        let begun = self.closed.partition_point(|(begin, ..)| *begin < at);
        let last = begun.checked_sub(1).and_then(|last| self.closed.get(last));
        let closed = last.map_or(0, |(begin, end, before)| before + (at.min(*end) - begin));
        let open = if self.open > 0 { at.saturating_sub(self.since) } else { 0 };
        closed + open
    }
}

/// The phases of a run.
#[derive(Debug, Default)]
pub(crate) struct PhaseSums {
    phases: Vec<Phase>,
    by_name: HashMap<(NameRef, PhaseKind), usize>,
    /// All phases by the time at which they were open last; [`OPEN`] for those that are.
    by_end: BTreeSet<(u64, usize)>,
    /// Open phases of each thread, with the times of their begins.
    open: HashMap<ThreadRef, Vec<(usize, u64)>>,
}

impl PhaseSums {
    /// A phase begins.
    pub(crate) fn begins(
        &mut self,
        definitions: &Definitions,
        thread: ThreadRef,
        at: u64,
        slice: &Slice<'_>,
    ) {
        let kind = PhaseKind::of_slice(slice.kind);
        let number = *self.by_name.entry((slice.name, kind)).or_insert_with(|| {
            let text = definitions.strings().get(slice.name as usize);
            self.phases.push(Phase::new(text.map(|text| text.to_string()), kind));
            self.phases.len() - 1
        });
        if let Some(phase) = self.phases.get_mut(number) {
            self.by_end.remove(&(phase.spans.end_of_last(), number));
            phase.spans.begin(at);
            self.by_end.insert((OPEN, number));
        }
        self.open.entry(thread).or_default().push((number, at));
    }

    /// The innermost phase of a thread ends. It may end outside of what is reported, and does not count then.
    pub(crate) fn ends(&mut self, thread: ThreadRef, at: u64, counts: bool) {
        let Some((number, since)) = self.open.get_mut(&thread).and_then(Vec::pop) else { return };
        let Some(phase) = self.phases.get_mut(number) else { return };
        self.by_end.remove(&(phase.spans.end_of_last(), number));
        phase.spans.end(at);
        self.by_end.insert((phase.spans.end_of_last(), number));
        phase.calls += u64::from(counts);
        phase.longest = phase.longest.max(at - since);
    }

    /// A thread was in a state from `begin` to `end`. Phases that were over by then are not looked at: a program may have any number.
    #[inline]
    pub(crate) fn charge(&mut self, (begin, end): (u64, u64), state: State) {
        for (_, number) in self.by_end.range((begin, usize::MAX)..) {
            let Some(phase) = self.phases.get_mut(*number) else { continue };
            let within = phase.spans.until(end) - phase.spans.until(begin);
            phase.times.add(state, within);
        }
    }

    /// Those that lie in what is reported.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Phase> {
        self.phases.iter().filter(|phase| phase.calls > 0 || phase.wall() > 0)
    }
}

impl Phase {
    fn new(name: Option<String>, kind: PhaseKind) -> Phase {
        let name = name.unwrap_or_default();
        Phase { name, kind, calls: 0, longest: 0, spans: Spans::default(), times: Times::default() }
    }

    /// Time in which some thread had it open.
    pub(crate) fn wall(&self) -> u64 {
        self.spans.length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::SliceKind;

    #[test]
    fn time_counts_once_while_a_phase_is_open_on_some_thread() {
        let mut sums = PhaseSums::default();
        let slice = |name| Slice::new(SliceKind::Phase(PhaseKind::Phase), name, 0);
        sums.begins(&Definitions::default(), 0, 10, &slice(7));
        sums.begins(&Definitions::default(), 1, 15, &slice(7));
        sums.begins(&Definitions::default(), 1, 16, &slice(8));
        // As long as it is open, all of the time counts.
        sums.charge((5, 18), State::WorkParallel);
        sums.ends(1, 20, true);
        sums.ends(1, 21, true);
        sums.ends(0, 30, true);
        sums.begins(&Definitions::default(), 0, 40, &slice(7));
        sums.ends(0, 50, false);
        sums.charge((18, 45), State::WaitTaskwait);
        let all: Vec<_> = sums.all().collect();
        let [long, short] = all[..] else { panic!("{all:?}") };
        assert_eq!((long.calls, long.wall(), long.longest), (2, 30, 20));
        assert_eq!(long.times.of(State::WorkParallel), 8);
        assert_eq!(long.times.of(State::WaitTaskwait), 12 + 5);
        assert_eq!((short.wall(), short.times.all()), (4, 2 + 2));
    }
}
