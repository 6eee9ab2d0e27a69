//! The beginning of recording, and what ORT answers when it is asked about the calling thread.

use crate::describe;
use crate::own;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use ompttrace_in_front::ongoing::{self, Inquiry};
use ompttrace_in_front::{threads, wanted};
use ompttrace_life::Selection;
use ompttrace_recorder::caught;

/// Whose calls are recorded: one side's alone, so that nothing is recorded twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Those of ORT.
    Ort = 1,
    /// Those between ORT and the execution entity library, in a program in which ORT's are not wrapped.
    Library = 2,
}

/// A [`Side`]; 0: nobody's. It does not change any more once the program's own code runs.
static RECORDED: AtomicU8 = AtomicU8::new(0);

/// Whether the calls of `side` are recorded.
#[inline(always)]
pub(crate) fn is_recorded_at(side: Side) -> bool {
    RECORDED.load(Ordering::Relaxed) == side as u8
}

/// Whether events are recorded.
pub(crate) fn is_recorded() -> bool {
    RECORDED.load(Ordering::Relaxed) != 0
}

/// ORT or, called by it, the library is about to be initialised. Only the first time counts: functions that belong
/// together must all record, or all not; and where calls of ORT are wrapped, this is the first of all.
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

/// Threads in the calling thread's team.
pub(crate) fn num_threads() -> u64 {
    // SAFETY: a function of omp.h that only looks at the calling thread.
    number(unsafe { omp_get_num_threads() })
}

/// The calling thread's number in its team.
pub(crate) fn thread_num() -> u64 {
    // SAFETY: as above.
    number(unsafe { crate::entries::loops::omp_get_thread_num::real() })
}

/// Threads that a region would ask for.
pub(crate) fn max_threads() -> u64 {
    // SAFETY: as above.
    number(unsafe { omp_get_max_threads() })
}

/// Teams in the league.
pub(crate) fn num_teams() -> u64 {
    // SAFETY: as above.
    number(unsafe { omp_get_num_teams() })
}

/// The number of the calling thread's team in the league.
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
