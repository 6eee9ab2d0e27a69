//! The start of recording, and ORT's answers to questions about the calling thread.

use crate::describe;
use crate::own;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use ompttrace_in_front::ongoing::{self, Inquiry};
use ompttrace_in_front::{threads, wanted};
use ompttrace_life::Selection;
use ompttrace_recorder::caught;

/// The side whose calls are recorded: one alone, so that nothing is recorded twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Calls of ORT.
    Ort = 1,
    /// Calls between ORT and the execution entity library, in a program in which those of ORT are not wrapped.
    Library = 2,
}

/// The [`Side`] that is recorded; 0 if none is. It does not change any more once the program's own code runs.
static RECORDED: AtomicU8 = AtomicU8::new(0);

/// True if the calls of `side` are recorded.
#[inline(always)]
pub(crate) fn is_recorded_at(side: Side) -> bool {
    RECORDED.load(Ordering::Relaxed) == side as u8
}

/// True if events are recorded on any side.
pub(crate) fn is_recorded() -> bool {
    RECORDED.load(Ordering::Relaxed) != 0
}

/// Begins recording when ORT, or the library that it calls, is about to be initialised. Only the first call counts:
/// functions that belong together must all record, or none; and if calls of ORT are wrapped, the first one of all is
/// ORT's.
pub(crate) fn begin(side: Side) {
    static IS_TRIED: AtomicBool = AtomicBool::new(false);
    if IS_TRIED.swap(true, Ordering::Relaxed) {
        return;
    }
    let describe = |selection: &Selection| describe::runtime(selection, side);
    let Some(selection) = caught(|| ompttrace_life::begin(describe)).flatten() else { return };
    wanted::begin(&selection, crate::entries::ort_code());
    if threads::runtime_begins() {
        ompttrace_recorder::add_source(ask_what_goes_on);
        threads::at_end(own::thread_ends);
    }
    RECORDED.store(side as u8, Ordering::Release);
}

fn ask_what_goes_on() -> bool {
    ongoing::ask(Inquiry { level, ancestor_thread_num })
}

unsafe extern "C" {
    fn omp_get_num_threads() -> c_int;
    fn omp_get_max_threads() -> c_int;
    fn omp_get_num_teams() -> c_int;
    fn omp_get_team_num() -> c_int;
    fn omp_get_level() -> c_int;
    fn omp_get_ancestor_thread_num(level: c_int) -> c_int;
}

fn number(answer: c_int) -> u64 {
    answer.max(0) as u64
}

/// Number of threads in the calling thread's team.
pub(crate) fn num_threads() -> u64 {
    // SAFETY: a function of omp.h that only looks at the calling thread.
    number(unsafe { omp_get_num_threads() })
}

/// Number of the calling thread in its team.
pub(crate) fn thread_num() -> u64 {
    // SAFETY: as above.
    number(unsafe { crate::entries::loops::omp_get_thread_num::real() })
}

/// Number of threads that a region without a clause would request.
pub(crate) fn max_threads() -> u64 {
    // SAFETY: as above.
    number(unsafe { omp_get_max_threads() })
}

/// Number of teams in the league.
pub(crate) fn num_teams() -> u64 {
    // SAFETY: as above.
    number(unsafe { omp_get_num_teams() })
}

/// Number of the calling thread's team in the league.
pub(crate) fn team_num() -> u64 {
    // SAFETY: as above.
    number(unsafe { omp_get_team_num() })
}

fn level(_: usize) -> u64 {
    // SAFETY: as above.
    number(unsafe { omp_get_level() })
}

fn ancestor_thread_num(_: usize, level: u64) -> u64 {
    // SAFETY: as above.
    number(unsafe { omp_get_ancestor_thread_num(level as c_int) })
}
