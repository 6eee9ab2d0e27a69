//! The Sun Collector API (OpenMP white paper of February 2007) as numbers and bytes, for both sides: a
//! collector that sends requests and a runtime that answers them.
//!
//! Names and numbers are those of the paper's `omp_collector_api.h`. [`entry`] is the layout of a
//! request; where the paper leaves a layout open, README.md beside this folder has our interpretation.
#![no_std]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod entry;

use core::ffi::{CStr, c_int, c_void};

/// The one symbol by which a collector finds a runtime.
pub const SYMBOL: &CStr = c"__omp_collector_api";

/// The function behind [`SYMBOL`]: a list of entries in, 0 or -1 out.
pub type Api = unsafe extern "C" fn(*mut c_void) -> c_int;

/// What a runtime calls at an event, on the thread in which it happens.
pub type Callback = unsafe extern "C" fn(c_int);

macro_rules! numbers {
    ($(#[doc = $doc:literal])+ $type:ident { $( $(#[doc = $row:literal])+ $name:ident = $number:literal $text:literal )+ }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(i32)]
        pub enum $type { $( $(#[doc = $row])+ $name = $number, )+ }

        impl $type {
            /// All of them, by number.
            pub const ALL: &'static [$type] = &[ $( $type::$name ),+ ];

            /// The one with this number.
            #[inline]
            pub const fn from_number(number: i32) -> Option<$type> {
                match number {
                    $( $number => Some($type::$name), )+
                    _ => None,
                }
            }

            /// Its name in the paper, in lower case and without what all have in common.
            pub const fn name(self) -> &'static str {
                match self { $( $type::$name => $text, )+ }
            }
        }
    };
}

numbers! {
    /// What a collector can ask for.
    Request {
        /// Begins a session; the first request.
        Start = 0 "start"
        /// Event and callback.
        Register = 1 "register"
        /// Event.
        Unregister = 2 "unregister"
        /// State of the calling thread and what it waits for. Async-signal-safe.
        State = 3 "state"
        /// Region of the calling thread. Async-signal-safe.
        CurrentPrid = 4 "current_prid"
        /// Region around the calling thread's region.
        ParentPrid = 5 "parent_prid"
        /// Ends the session.
        Stop = 6 "stop"
        /// No events until [`Request::Resume`].
        Pause = 7 "pause"
        /// Events again.
        Resume = 8 "resume"
    }
}

numbers! {
    /// What became of a request.
    ErrorCode {
        /// It was carried out.
        Ok = 0 "ok"
        /// A size is wrong or memory is not aligned.
        Error = 1 "error"
        /// There is no such request, or event.
        Unknown = 2 "unknown"
        /// There is, but not here.
        Unsupported = 3 "unsupported"
        /// Not now.
        Sequence = 4 "sequence_err"
        /// No longer.
        Obsolete = 5 "obsolete"
        /// Not from this thread.
        Thread = 6 "thread_err"
        /// The answer does not fit; the returned size is what it needs.
        MemTooSmall = 7 "mem_too_small"
    }
}

numbers! {
    /// Events that a collector can register for.
    Event {
        /// A thread is about to fork a team.
        Fork = 1 "fork"
        /// The team is done, its master is back.
        Join = 2 "join"
        /// A worker begins to wait for work.
        BeginIdle = 3 "thr_begin_idle"
        /// A worker has work.
        EndIdle = 4 "thr_end_idle"
        /// Into an implicit barrier.
        BeginIbar = 5 "thr_begin_ibar"
        /// Out of it.
        EndIbar = 6 "thr_end_ibar"
        /// Into an explicit barrier.
        BeginEbar = 7 "thr_begin_ebar"
        /// Out of it.
        EndEbar = 8 "thr_end_ebar"
        /// A lock is held by another thread: wait.
        BeginLkwt = 9 "thr_begin_lkwt"
        /// The wait is over.
        EndLkwt = 10 "thr_end_lkwt"
        /// A critical region is taken: wait.
        BeginCtwt = 11 "thr_begin_ctwt"
        /// The wait is over.
        EndCtwt = 12 "thr_end_ctwt"
        /// It is not this thread's turn in an ordered region: wait.
        BeginOdwt = 13 "thr_begin_odwt"
        /// The wait is over.
        EndOdwt = 14 "thr_end_odwt"
        /// Into a master region.
        BeginMaster = 15 "thr_begin_master"
        /// Out of it.
        EndMaster = 16 "thr_end_master"
        /// Into a single region.
        BeginSingle = 17 "thr_begin_single"
        /// Out of it.
        EndSingle = 18 "thr_end_single"
        /// Into an ordered region.
        BeginOrdered = 19 "thr_begin_ordered"
        /// Out of it.
        EndOrdered = 20 "thr_end_ordered"
        /// An atomic region is taken: wait.
        BeginAtwt = 21 "thr_begin_atwt"
        /// The wait is over.
        EndAtwt = 22 "thr_end_atwt"
    }
}

numbers! {
    /// What a thread can be doing.
    State {
        /// The runtime's own work.
        Ovhd = 1 "ovhd"
        /// The program's work inside a region.
        Work = 2 "work"
        /// In an implicit barrier.
        Ibar = 3 "ibar"
        /// In an explicit barrier.
        Ebar = 4 "ebar"
        /// A worker without work.
        Idle = 5 "idle"
        /// Outside any region.
        Serial = 6 "serial"
        /// Combining a reduction.
        Reduc = 7 "reduc"
        /// Waiting for a lock.
        Lkwt = 8 "lkwt"
        /// Waiting for a critical region.
        Ctwt = 9 "ctwt"
        /// Waiting for its turn in an ordered region.
        Odwt = 10 "odwt"
        /// Waiting for an atomic region.
        Atwt = 11 "atwt"
    }
}

impl State {
    /// Whether an answer with this state brings the id of what is waited for.
    pub const fn has_wait_id(self) -> bool {
        use State::{Atwt, Ctwt, Ebar, Ibar, Lkwt, Odwt};
        matches!(self, Ibar | Ebar | Lkwt | Ctwt | Odwt | Atwt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_papers() {
        let events = Event::ALL.iter().map(|event| *event as i32);
        assert!(events.eq(1..=22));
        assert!(State::ALL.iter().map(|state| *state as i32).eq(1..=11));
        assert!(Request::ALL.iter().map(|request| *request as i32).eq(0..=8));
        assert!(ErrorCode::ALL.iter().map(|code| *code as i32).eq(0..=7));
        assert_eq!(Event::from_number(23), None);
        assert_eq!(Event::from_number(9).map(Event::name), Some("thr_begin_lkwt"));
    }
}
