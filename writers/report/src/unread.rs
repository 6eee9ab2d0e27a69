//! Time of a thread since the last reading of the kernel's accounting. A reading says how much of it was on a core and
//! how much was waiting for one, but not when. So every state and construct gets an equal share.

use crate::construct_table::ConstructRef;
use crate::state::State;
use ompttrace_model::{ContextRef, CoreSums};

/// Kinds of time that are distinguished between two readings. What comes beyond keeps its state.
const MOST: usize = 32;

/// A kind of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnreadKind {
    /// The construct that the time belongs to; `None`: the serial section that the thread is in.
    pub construct: Option<ConstructRef>,
    pub context: ContextRef,
    pub state: State,
}

/// Time of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnreadTime {
    pub kind: UnreadKind,
    pub nanoseconds: u64,
    /// The time of this kind before the window of the report, which is in no sum.
    pub before: u64,
}

impl UnreadTime {
    /// The parts of it with a core, without one and asleep, where the kernel says how much of all unread time was so. The
    /// parts of adjoining windows add up to those of the whole.
    pub(crate) fn parts(&self, sums: &CoreSums) -> [u64; 3] {
        // None of the parts becomes smaller with more time: each is rounded of what is left.
        let up_to = |time: u64| {
            let run = share(time, sums.run_ns, sums.unknown_ns);
            let rest = sums.unknown_ns.saturating_sub(sums.run_ns);
            let delay = share(time - run, sums.delay_ns, rest);
            [run, delay, time - run - delay]
        };
        let (before, all) = (up_to(self.before), up_to(self.before + self.nanoseconds));
        std::array::from_fn(|part| all[part] - before[part])
    }
}

/// Time of a thread since the last reading, by construct, context and state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread(Vec<UnreadTime>);

impl Unread {
    /// The thread did this for so long.
    #[inline]
    pub(crate) fn add(&mut self, kind: UnreadKind, nanoseconds: u64) {
        if let Some(time) = self.of(kind) {
            time.nanoseconds += nanoseconds;
        }
    }

    /// The thread did this for so long before the window.
    pub(crate) fn add_before(&mut self, kind: UnreadKind, nanoseconds: u64) {
        if let Some(time) = self.of(kind) {
            time.before += nanoseconds;
        }
    }

    /// The time of a kind, if it is one of those that are distinguished.
    #[inline]
    fn of(&mut self, kind: UnreadKind) -> Option<&mut UnreadTime> {
        let known = self.0.iter().rposition(|time| time.kind == kind);
        let at = known.unwrap_or(self.0.len());
        if at == self.0.len() && at < MOST {
            self.0.push(UnreadTime { kind, nanoseconds: 0, before: 0 });
        }
        self.0.get_mut(at)
    }

    /// The serial section is over, and has a name now.
    pub(crate) fn name_section(&mut self, construct: ConstructRef) {
        for time in self.0.iter_mut().filter(|time| time.kind.construct.is_none()) {
            time.kind.construct = Some(construct);
        }
    }

    /// Takes all times, as the accounting is read now.
    pub(crate) fn take(&mut self) -> Vec<UnreadTime> {
        std::mem::take(&mut self.0)
    }
}

/// `part` of `whole` of some time, rounded down.
pub(crate) fn share(nanoseconds: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    (u128::from(nanoseconds) * u128::from(part.min(whole)) / u128::from(whole)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(construct: ConstructRef, state: State) -> UnreadKind {
        UnreadKind { construct: Some(construct), context: 0, state }
    }

    #[test]
    fn parts_of_adjoining_windows_add_up_to_those_of_the_whole() {
        let sums = CoreSums { unknown_ns: 1000, run_ns: 333, delay_ns: 334 };
        let time = |before, nanoseconds| {
            let kind = kind(3, State::WorkParallel);
            UnreadTime { kind, nanoseconds, before }.parts(&sums)
        };
        let whole = time(0, 500);
        for border in 1..500 {
            let (one, other) = (time(0, border), time(border, 500 - border));
            let sum: [u64; 3] = std::array::from_fn(|part| one[part] + other[part]);
            assert_eq!(sum, whole, "{border}");
            assert_eq!(other.iter().sum::<u64>(), 500 - border);
        }
    }

    #[test]
    fn the_same_kind_of_time_is_one() {
        let mut unread = Unread::default();
        for state in [State::WorkParallel, State::WaitBarrier, State::WorkParallel] {
            unread.add(kind(3, state), 10);
        }
        let times: Vec<_> = unread.take().iter().map(|time| time.nanoseconds).collect();
        assert_eq!(times, [20, 10]);
        assert_eq!(unread.take(), []);
    }

    #[test]
    fn kinds_are_limited_and_shares_stay_within_the_whole() {
        let mut unread = Unread::default();
        (0..100).for_each(|construct| unread.add(kind(construct, State::WorkParallel), 1));
        assert_eq!(unread.take().len(), MOST);
        assert_eq!([(1, 3), (5, 3), (1, 0)].map(|(part, whole)| share(9, part, whole)), [3, 9, 0]);
        assert_eq!(share(u64::MAX, 1, 2), u64::MAX / 2);
    }
}
