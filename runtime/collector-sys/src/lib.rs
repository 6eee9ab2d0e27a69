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

/// Type of a collector's callback, which a runtime calls at an event on the thread in which the event happens.
pub type Callback = unsafe extern "C" fn(c_int);

macro_rules! numbers {
    ($(#[doc = $doc:literal])+ $type:ident { $( $(#[doc = $row:literal])+ $name:ident = $number:literal $text:literal )+ }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(i32)]
        pub enum $type { $( $(#[doc = $row])+ $name = $number, )+ }

        impl $type {
            /// All values, in the order of their numbers.
            pub const ALL: &'static [$type] = &[ $( $type::$name ),+ ];

            /// The value with this number; `None` if there is none.
            #[inline]
            pub const fn from_number(number: i32) -> Option<$type> {
                match number {
                    $( $number => Some($type::$name), )+
                    _ => None,
                }
            }

            /// Name of the value in the paper, in lower case and without the prefix that all have in common.
            pub const fn name(self) -> &'static str {
                match self { $( $type::$name => $text, )+ }
            }
        }
    };
}

numbers! {
    /// Requests that a collector can send.
    Request {
        /// Begins a session; the first request.
        Start = 0 "start"
        /// Registers a callback for an event.
        Register = 1 "register"
        /// Removes the callback of an event.
        Unregister = 2 "unregister"
        /// Asks for the state of the calling thread and the id of what it waits for. Async-signal-safe.
        State = 3 "state"
        /// Asks for the region of the calling thread. Async-signal-safe.
        CurrentPrid = 4 "current_prid"
        /// Asks for the region around the calling thread's region.
        ParentPrid = 5 "parent_prid"
        /// Ends the session.
        Stop = 6 "stop"
        /// Pauses events until [`Request::Resume`].
        Pause = 7 "pause"
        /// Resumes events after a pause.
        Resume = 8 "resume"
    }
}

numbers! {
    /// Error codes: the results of requests.
    ErrorCode {
        /// The request was carried out.
        Ok = 0 "ok"
        /// A size is wrong or memory is not aligned.
        Error = 1 "error"
        /// There is no such request, or event.
        Unknown = 2 "unknown"
        /// The request or event exists, but the runtime does not support it.
        Unsupported = 3 "unsupported"
        /// The request is not allowed in the session's present state.
        Sequence = 4 "sequence_err"
        /// The request is no longer supported.
        Obsolete = 5 "obsolete"
        /// The request is not allowed on the calling thread.
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
        /// A thread enters an implicit barrier.
        BeginIbar = 5 "thr_begin_ibar"
        /// A thread leaves an implicit barrier.
        EndIbar = 6 "thr_end_ibar"
        /// A thread enters an explicit barrier.
        BeginEbar = 7 "thr_begin_ebar"
        /// A thread leaves an explicit barrier.
        EndEbar = 8 "thr_end_ebar"
        /// A thread begins to wait for a lock that another thread holds.
        BeginLkwt = 9 "thr_begin_lkwt"
        /// A thread no longer waits for a lock.
        EndLkwt = 10 "thr_end_lkwt"
        /// A thread begins to wait for a critical region.
        BeginCtwt = 11 "thr_begin_ctwt"
        /// A thread no longer waits for a critical region.
        EndCtwt = 12 "thr_end_ctwt"
        /// A thread begins to wait for its turn in an ordered region.
        BeginOdwt = 13 "thr_begin_odwt"
        /// A thread no longer waits for its turn in an ordered region.
        EndOdwt = 14 "thr_end_odwt"
        /// A thread enters a master region.
        BeginMaster = 15 "thr_begin_master"
        /// A thread leaves a master region.
        EndMaster = 16 "thr_end_master"
        /// A thread enters a single region.
        BeginSingle = 17 "thr_begin_single"
        /// A thread leaves a single region.
        EndSingle = 18 "thr_end_single"
        /// A thread enters an ordered region.
        BeginOrdered = 19 "thr_begin_ordered"
        /// A thread leaves an ordered region.
        EndOrdered = 20 "thr_end_ordered"
        /// A thread begins to wait for an atomic region.
        BeginAtwt = 21 "thr_begin_atwt"
        /// A thread no longer waits for an atomic region.
        EndAtwt = 22 "thr_end_atwt"
    }
}

numbers! {
    /// States of a thread.
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
    /// True if an answer with this state includes the id of the barrier or mutex that the thread waits for.
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
