//! Clocks of ranks compared with that of rank 0, at MPI_Init and MPI_Finalize. Ranks that share a clock are known by host, boot and
//! time namespace, and never measure each other: where there are more ranks than cores, their round trips would take longer than
//! any difference of clocks.
//!
//! Of each clock the first rank exchanges a few messages with rank 0. The shortest round trip counts: the answer was given at some
//! time within it, so that half of it is the most by which the midpoint may be wrong.

use crate::exchange::{Exchange, Group};
use crate::names::Names;
use crate::participants::{self, Agreement, Decision, Itself};
use crate::{communicators, tool};
use core::ffi::{CStr, c_char};
use ompttrace_mpi_interface::{Clock, Interface};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Round trips of one clock. The first one, which includes the wait for rank 0, is one more.
const ROUNDS: u64 = 10;
/// The time for them: where more ranks than cores run, a round trip takes milliseconds.
const LONGEST: Duration = Duration::from_millis(5);
/// The time for all clocks. After that each has one more round trip than the first one.
const LONGEST_OF_ALL: Duration = Duration::from_secs(1);

/// The groups that exchange messages at MPI_Init, and again at MPI_Finalize, where no communicator need be made then.
static GROUPS: Mutex<Option<Groups>> = Mutex::new(None);

/// MPI is initialised. Returns what the ranks have agreed on, if they could.
pub(crate) fn at_init(tool: &Interface, (rank, size): (u32, u32)) -> Option<Agreement> {
    let itself = Itself { has_messages: tool::wants_messages(), clock: identity() };
    if communicators::is_spawned() {
        return None;
    }
    let agreement = if size == 1 {
        participants::ALONE
    } else {
        participants::agree(&Names::find()?, (rank, size), itself)
    };
    if !itself.has_messages {
        return Some(agreement);
    }
    match agreement.decision {
        Decision::Apart => {}
        Decision::OneClock => (tool.clock)(&Clock { time: now(), ..Clock::default() }),
        Decision::SeveralClocks => {
            let groups = Groups::split(rank, itself.clock);
            if let Some(groups) = &groups {
                groups.compare(tool);
            }
            if let Ok(mut place) = GROUPS.lock() {
                *place = groups;
            }
        }
    }
    Some(agreement)
}

/// MPI is about to be finalised.
pub(crate) fn at_finalize(tool: &Interface) {
    let groups = GROUPS.lock().ok().and_then(|mut groups| groups.take());
    if let Some(groups) = groups {
        groups.compare(tool);
        groups.free();
    }
}

struct Groups {
    exchange: Exchange,
    /// The ranks that share this rank's clock.
    sharing: Group,
    /// The first ranks of all clocks; `None`: this one is not among them.
    first: Option<Group>,
    /// This rank in MPI_COMM_WORLD.
    rank: u32,
}

impl Groups {
    fn split(rank: u32, clock: u64) -> Option<Groups> {
        let exchange = Exchange::find()?;
        let all = exchange.all()?;
        // A part is a number of 31 bits.
        let half = exchange.split(all, Some((clock >> 32) as u32))?;
        let sharing = exchange.split(half, Some(clock as u32))?;
        let first = exchange.split(all, (sharing.rank == 0).then_some(0));
        exchange.free(half);
        exchange.free(all);
        Some(Groups { exchange, sharing, first, rank })
    }

    fn free(self) {
        let Groups { exchange, sharing, first, .. } = self;
        exchange.free(sharing);
        first.into_iter().for_each(|first| exchange.free(first));
    }

    /// Measures, and reports the result on all ranks. With an error of MPI there is none.
    fn compare(&self, tool: &Interface) {
        let measured = self.first.as_ref().and_then(|first| match first.rank {
            0 => self.answer(first).map(|()| Clock { time: now(), ..Clock::default() }),
            _ => self.measure(first),
        });
        let has_result = measured.is_some();
        let Clock { measured_by, time, offset, error, rounds, .. } = measured.unwrap_or_default();
        let words =
            [has_result.into(), measured_by.into(), time, offset as u64, error, rounds.into()];
        let result = self.exchange.of_first(&self.sharing, words);
        if let Some([1, measured_by, time, offset, error, rounds]) = result {
            let (measured_by, rounds) = (measured_by as u32, rounds as u32);
            let offset = offset as i64;
            (tool.clock)(&Clock { reference: 0, measured_by, time, offset, error, rounds });
        }
    }

    /// Rank 0 sends its time to each of the others, as often as it is asked.
    fn answer(&self, first: &Group) -> Option<()> {
        let began = Instant::now();
        for other in 1..first.size {
            loop {
                let [is_last] = self.exchange.receive(first, other)?;
                let is_late = began.elapsed() > LONGEST_OF_ALL;
                if !self.exchange.send(first, other, &[now(), is_late.into()]) {
                    return None;
                }
                if is_last != 0 {
                    break;
                }
            }
        }
        Some(())
    }

    fn measure(&self, first: &Group) -> Option<Clock> {
        let mut is_late = self.round(first, false)?.1;
        let began = Instant::now();
        let (mut best, mut rounds) = (None::<RoundTrip>, 0);
        loop {
            rounds += 1;
            let is_last = is_late || rounds >= ROUNDS || began.elapsed() > LONGEST;
            let (trip, late) = self.round(first, is_last)?;
            is_late |= late;
            if best.is_none_or(|best| trip.nanoseconds() < best.nanoseconds()) {
                best = Some(trip);
            }
            if is_last {
                return best.map(|best| best.clock(self.rank, rounds as u32));
            }
        }
    }

    /// One round trip, and true if there is no time for many.
    fn round(&self, first: &Group, is_last: bool) -> Option<(RoundTrip, bool)> {
        let sent = now();
        if !self.exchange.send(first, 0, &[u64::from(is_last)]) {
            return None;
        }
        let [answered, is_late] = self.exchange.receive(first, 0)?;
        Some((RoundTrip { sent, answered, received: now() }, is_late != 0))
    }
}

/// A question to rank 0 and the answer, which has its time.
#[derive(Clone, Copy)]
struct RoundTrip {
    sent: u64,
    answered: u64,
    received: u64,
}

impl RoundTrip {
    fn nanoseconds(&self) -> u64 {
        self.received.saturating_sub(self.sent)
    }

    fn clock(&self, measured_by: u32, rounds: u32) -> Clock {
        let error = self.nanoseconds().div_ceil(2);
        let time = self.sent + self.nanoseconds() / 2;
        let offset = self.answered.wrapping_sub(time) as i64;
        Clock { reference: 0, measured_by, time, offset, error, rounds }
    }
}

/// CLOCK_MONOTONIC, to which the clock pairs of a recording lead.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec on this stack.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A number of the clock that this process reads: that of its host's name, of the boot and of the time namespace.
fn identity() -> u64 {
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/time").unwrap_or_default();
    let host = host();
    let parts = [&host, &boot, namespace.as_os_str().as_encoded_bytes()];
    let bytes = parts.into_iter().flat_map(|part| part.iter().chain(&[0]));
    // FNV-1a.
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn host() -> Vec<u8> {
    let mut name = core::mem::MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: uname fills the structure, whose texts end with 0; zeroed they are empty.
    let name = unsafe {
        libc::uname(name.as_mut_ptr());
        name.assume_init()
    };
    let text: *const c_char = name.nodename.as_ptr();
    // SAFETY: a C string within the structure.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_round_trip_is_the_error() {
        let trip = RoundTrip { sent: 1_000, answered: 51_002, received: 1_005 };
        let Clock { time, offset, error, .. } = trip.clock(3, 10);
        assert_eq!((time, offset, error), (1_002, 50_000, 3));
        let behind = RoundTrip { sent: 9_000, answered: 1_000, received: 9_000 };
        assert_eq!(behind.clock(3, 10).offset, -8_000);
    }

    #[test]
    fn the_clock_of_this_process_has_one_number() {
        assert_eq!(identity(), identity());
        assert!(!host().is_empty());
    }
}
