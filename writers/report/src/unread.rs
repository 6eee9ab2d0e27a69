//! Time of a thread since the last reading of the kernel's accounting. A reading says how much of it was on a core and
//! how much was waiting for one, but not when. So every state and construct gets an equal share.

use crate::construct_table::ConstructRef;
use crate::state::State;
use ompttrace_model::ContextRef;

/// Kinds of time that are distinguished between two readings. What comes beyond keeps its state.
const MOST: usize = 32;

/// Time of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnreadTime {
    /// The construct that the time belongs to; none for the serial section that the thread is in.
    pub construct: Option<ConstructRef>,
    pub context: ContextRef,
    pub state: State,
    pub nanoseconds: u64,
}

/// Time of a thread since the last reading, by construct, context and state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread(Vec<UnreadTime>);

impl Unread {
    /// The thread did this for so long.
    #[inline]
    pub(crate) fn add(
        &mut self,
        construct: Option<ConstructRef>,
        context: ContextRef,
        state: State,
        nanoseconds: u64,
    ) {
        let same = |time: &&mut UnreadTime| {
            (time.construct, time.context, time.state) == (construct, context, state)
        };
        if let Some(time) = self.0.iter_mut().rev().find(same) {
            time.nanoseconds += nanoseconds;
        } else if self.0.len() < MOST {
            self.0.push(UnreadTime { construct, context, state, nanoseconds });
        }
    }

    /// The serial section is over, and has a name now.
    pub(crate) fn name_section(&mut self, construct: ConstructRef) {
        for time in self.0.iter_mut().filter(|time| time.construct.is_none()) {
            time.construct = Some(construct);
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

    #[test]
    fn the_same_kind_of_time_is_one() {
        let mut unread = Unread::default();
        for state in [State::WorkParallel, State::WaitBarrier, State::WorkParallel] {
            unread.add(Some(3), 0, state, 10);
        }
        let times: Vec<_> = unread.take().iter().map(|time| time.nanoseconds).collect();
        assert_eq!(times, [20, 10]);
        assert_eq!(unread.take(), []);
    }

    #[test]
    fn kinds_are_limited_and_shares_stay_within_the_whole() {
        let mut unread = Unread::default();
        (0..100).for_each(|construct| unread.add(Some(construct), 0, State::WorkParallel, 1));
        assert_eq!(unread.take().len(), MOST);
        assert_eq!([(1, 3), (5, 3), (1, 0)].map(|(part, whole)| share(9, part, whole)), [3, 9, 0]);
        assert_eq!(share(u64::MAX, 1, 2), u64::MAX / 2);
    }
}
