//! Calls that poll: those that find nothing, one right after the other, are one call with a count.
//!
//! Their records grow in place, so the run is complete in the recording at any time: its count and its end are those of the last
//! poll. Any other record of the thread ends it, and so does a gap in which the program may have worked.

use crate::report::{code, entered};
use ompttrace_mpi_interface::Began;
use ompttrace_recorder::{Group, Growing, cursor, group, growing, look, put_group, ticks};
use ompttrace_recording::events::{EventCode, MpiEnter, MpiLeft, MpiPolls, MpiRequest, Scope};
use ompttrace_recording::words;

/// Positions of words in the records of a run: mpi_polls with its two functions and their counts, mpi_enter, mpi_left.
const FUNCTIONS: [usize; 2] = [1, 2];
const LEAVE: usize = MpiPolls::WORDS + MpiEnter::WORDS;

/// A gap between two polls belongs to a run if it is not longer than this many polls and [`SHORT`].
const POLLS: u64 = 4;
/// Time of a loop around polls and of the recording of a poll, in ticks.
const SHORT: u64 = 256;
/// Number of polls, a power of two, after which the streams of cores and samples are checked, as they are after a poll
/// of more than [`LONG`] ticks, in which the thread may have lost its core: during a run no record is stored that
/// would do so.
const LOOK: u32 = 1 << 14;
const LONG: u64 = 1 << 16;

/// Time and position in the records at which a call that polls begins.
pub(crate) extern "C" fn begins() -> Began {
    match group() {
        Some(group) => Began { ticks: group.ticks(), cursor: group.cursor() },
        None => begins_without_room(),
    }
}

#[cold]
#[inline(never)]
extern "C" fn begins_without_room() -> Began {
    Began { ticks: ticks(), cursor: cursor() }
}

/// Counts a poll that found nothing in the run before it; returns false if it continues none.
pub(crate) extern "C" fn counted(began: u64, function: u32) -> bool {
    let Some(run) = growing() else { return false };
    let Some((count, took)) = count(&run, began, function) else { return false };
    if count & (LOOK - 1) == 0 || took > LONG { looked() } else { true }
}

#[cold]
#[inline(never)]
extern "C" fn looked() -> bool {
    look();
    true
}

/// Counts a poll in a run; returns the count of its function and the ticks that it took, or `None` if the poll does
/// not continue the run.
#[inline(always)]
fn count(run: &Growing, began: u64, function: u32) -> Option<(u32, u64)> {
    let now = run.now();
    let took = now.saturating_sub(began);
    let ended = words::unwrap_ticks(words::header_ticks(run.word(LEAVE)), began);
    if began.saturating_sub(ended) > SHORT + POLLS * took {
        return None;
    }
    for at in FUNCTIONS {
        let (counted, count) = unpacked(run.word(at));
        if counted == function || counted == 0 {
            let count = count.checked_add(1)?;
            run.change(at, packed(function, count));
            run.change(LEAVE, words::header(now, code!(MpiLeft).0));
            return Some((count, took));
        }
    }
    None
}

/// A function and its count in one word, as records have them.
#[inline(always)]
fn packed(function: u32, count: u32) -> u64 {
    u64::from(function) | u64::from(count) << 32
}

#[inline(always)]
fn unpacked(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

/// Begins a run with a poll that found nothing.
pub(crate) extern "C" fn failed(began: Began, code: u64, function: u32, communicator: u64) {
    let polls = MpiPolls { function: function.into(), count: 1, other: 0, other_count: 0 };
    put_group(code!(MpiEnter), |group| {
        let at = began_at(began, &group);
        group
            .add_at(at, code!(MpiPolls), polls)
            .add_at(at, code!(MpiEnter), entered(code, function, communicator))
            .add(code!(MpiLeft), MpiLeft {})
            .commit_growing();
    });
}

/// Begin of a call whose first record goes into this group, in ticks; the present time, if the thread has stored
/// another record meanwhile.
fn began_at(began: Began, group: &Group) -> u64 {
    if cursor() == began.cursor { began.ticks.min(group.ticks()) } else { group.ticks() }
}

/// Records a request that was given to a poll which has found something; returns the begin for the next report.
pub(crate) extern "C" fn request(began: Began, request: u64, index: u32) -> Began {
    put_group(code!(MpiRequest), |group| {
        let at = began_at(began, &group);
        group.add_at(at, code!(MpiRequest), MpiRequest { request, index: index.into() }).commit();
    });
    let is_next = cursor() == began.cursor + 8 * MpiRequest::WORDS as u64;
    Began { ticks: if is_next { began.ticks } else { ticks() }, cursor: cursor() }
}

/// Records the begin of a poll that has found something.
pub(crate) extern "C" fn enter(began: Began, code: u64, function: u32, communicator: u64) {
    put_group(code!(MpiEnter), |group| {
        let at = began_at(began, &group);
        group.add_at(at, code!(MpiEnter), entered(code, function, communicator)).commit();
    });
}
