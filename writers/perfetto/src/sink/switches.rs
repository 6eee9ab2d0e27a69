//! The stays of threads on one core as the scheduler's switches, each with the previous and the next thread.

use crate::encode::SwitchEvents;

/// The thread of an idle core.
const IDLE: i32 = 0;
/// An idle core is left like one that a thread was taken from.
const FROM_IDLE: (i32, i64) = (IDLE, EndState::Runnable as i64);

/// State in which a thread left its core, as the kernel numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub(super) enum EndState {
    /// The thread can run on.
    Runnable = 0,
    /// The thread sleeps until something wakes it.
    Asleep = 1,
    /// The state is unknown. The kernel has no number for that: viewers draw this one as "Parked", which a thread of a
    /// program never is.
    Unknown = 512,
}

/// A time in which a thread had a core, on CLOCK_BOOTTIME in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stay {
    pub(super) core: u32,
    /// The kernel's id of the thread.
    pub(super) thread: i32,
    pub(super) from: u64,
    /// Time at which the thread leaves the core; `u64::MAX` if it was not seen to leave.
    pub(super) to: u64,
    pub(super) left: EndState,
}

impl Stay {
    /// The thread that leaves, and how.
    fn end(&self) -> (i32, i64) {
        (self.thread, self.left as i64)
    }
}

/// One core, whose stays come in the order in which they begin, or nearly so.
#[derive(Debug, Default)]
pub(super) struct Switches(Option<Stay>);

impl Switches {
    /// The next stay. It ends the one before it, whose clock may be another by a little; what began before that one, and
    /// was seen to end later, is shown from there on.
    pub(super) fn add(&mut self, mut stay: Stay, events: &mut SwitchEvents) {
        let Some(before) = self.0 else {
            self.0 = Some(stay);
            return events.push(stay.from, FROM_IDLE, stay.thread);
        };
        if stay.from < before.from {
            stay.from = before.to;
        }
        if stay.to <= stay.from {
            return;
        }
        self.0 = Some(stay);
        if before.to < stay.from {
            events.push(before.to, before.end(), IDLE);
            events.push(stay.from, FROM_IDLE, stay.thread);
        } else {
            events.push(stay.from, before.end(), stay.thread);
        }
    }

    /// There are no more.
    pub(super) fn finish(self, events: &mut SwitchEvents) {
        if let Some(last) = self.0.filter(|last| last.to != u64::MAX) {
            events.push(last.to, last.end(), IDLE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_perfetto_protos::FtraceEvent;

    /// Time, previous thread, its state, next thread.
    fn switches(stays: &[(i32, u64, u64, EndState)]) -> Vec<(u64, i32, i64, i32)> {
        let (mut core, mut events) = (Switches::default(), SwitchEvents::default());
        for &(thread, from, to, left) in stays {
            core.add(Stay { core: 3, thread, from, to, left }, &mut events);
        }
        core.finish(&mut events);
        let plain = |event: &FtraceEvent| {
            let switch = event.sched_switch.clone().unwrap_or_default();
            let left = switch.prev_state.unwrap_or(-1);
            (event.timestamp(), switch.prev_pid(), left, switch.next_pid())
        };
        events.decoded().iter().map(plain).collect()
    }

    #[test]
    fn a_core_idles_between_stays_that_do_not_touch() {
        let stays = [(7, 10, 20, EndState::Asleep), (8, 30, 40, EndState::Runnable)];
        let expected = [(10, 0, 0, 7), (20, 7, 1, 0), (30, 0, 0, 8), (40, 8, 0, 0)];
        assert_eq!(switches(&stays), expected);
    }

    /// The second process's clock is 2 ns early: the first thread left asleep all the same.
    #[test]
    fn a_stay_ends_where_the_next_one_begins() {
        let stays = [
            (7, 10, 20, EndState::Asleep),
            (8, 18, 40, EndState::Runnable),
            (9, 40, 50, EndState::Asleep),
        ];
        let expected = [(10, 0, 0, 7), (18, 7, 1, 8), (40, 8, 0, 9), (50, 9, 1, 0)];
        assert_eq!(switches(&stays), expected);
    }

    #[test]
    fn what_comes_late_is_shown_behind() {
        let stays = [
            (7, 10, 20, EndState::Asleep),
            (8, 5, 15, EndState::Asleep),
            (9, 5, 30, EndState::Asleep),
        ];
        assert_eq!(switches(&stays), [(10, 0, 0, 7), (20, 7, 1, 9), (30, 9, 1, 0)]);
    }

    #[test]
    fn a_stay_without_an_end_goes_on() {
        assert_eq!(switches(&[(7, 10, u64::MAX, EndState::Runnable)]), [(10, 0, 0, 7)]);
    }
}
