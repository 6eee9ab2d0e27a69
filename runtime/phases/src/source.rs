//! The interfaces through which phases come. Recording begins with the first phase of each, in a program whose OpenMP runtime has not
//! begun it.

use crate::table::{Functions, OtherCopy, other_copy};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};
use ompttrace_recorder::{begin_iteration, begin_phase, caught, end_phase};
use ompttrace_recording::facts::{ITT, KOKKOS, NVTX, PHASES, Runtime};
use ompttrace_recording::phases::kind;

/// Marks of the program itself.
pub(crate) static PROGRAM: Source = Source::of(PHASES);
/// Kokkos Tools.
pub(crate) static OF_KOKKOS: Source = Source::of(KOKKOS);
/// NVIDIA's ranges.
pub(crate) static OF_NVTX: Source = Source::of(NVTX);
/// Intel's tasks.
pub(crate) static OF_ITT: Source = Source::of(ITT);

/// The interface of a kind of phases.
pub(crate) fn of(kind: u64) -> Option<&'static Source> {
    match kind {
        kind::PHASE | kind::ITERATION => Some(&PROGRAM),
        kind::KOKKOS_KERNEL..=kind::KOKKOS_COPY => Some(&OF_KOKKOS),
        kind::NVTX_RANGE => Some(&OF_NVTX),
        kind::ITT_TASK => Some(&OF_ITT),
        _ => None,
    }
}

/// Nothing was tried yet; recording has begun; the settings do not allow it; another copy of the tool records.
const NEW: u8 = 0;
const BEGUN: u8 = 1;
const REFUSED: u8 = 2;
const ELSEWHERE: u8 = 3;

/// The table of the other copy.
static OTHER: AtomicPtr<Functions> = AtomicPtr::new(core::ptr::null_mut());

/// An interface through which phases come.
pub(crate) struct Source {
    interface: &'static str,
    state: AtomicU8,
    is_finalized: AtomicBool,
}

impl Source {
    const fn of(interface: &'static str) -> Source {
        let (state, is_finalized) = (AtomicU8::new(NEW), AtomicBool::new(false));
        Source { interface, state, is_finalized }
    }

    /// A phase begins on the calling thread.
    #[inline]
    pub(crate) fn begin(&self, kind: u64, domain: u64, name: &[u8]) {
        if self.has_begun() {
            begin_phase(kind, domain, name);
        } else if let Some(other) = self.other() {
            other.begin(kind, domain, name);
        }
    }

    /// The innermost phase of this kind and domain on the calling thread ends.
    #[inline]
    pub(crate) fn end(&self, kind: u64, domain: u64) {
        if self.has_begun() {
            end_phase(kind, domain);
        } else if let Some(other) = self.other() {
            other.end(kind, domain);
        }
    }

    /// An iteration begins on the calling thread.
    #[inline]
    pub(crate) fn iteration(&self, number: u64) {
        if self.has_begun() {
            begin_iteration(number);
        } else if let Some(other) = self.other() {
            other.iteration(number);
        }
    }

    /// The interface begins, in this variant.
    pub(crate) fn starts(&self, dialect: &str) {
        if self.state.load(Ordering::Relaxed) == NEW {
            self.tries(dialect);
        }
    }

    /// The interface ends: nothing more comes from it.
    pub(crate) fn ends(&self) {
        let has_begun = self.state.load(Ordering::Relaxed) == BEGUN;
        if has_begun && !self.is_finalized.swap(true, Ordering::Relaxed) {
            let _ = caught(ompttrace_life::finalized);
        }
    }

    /// True if phases are recorded here; begins to record with the first one.
    #[inline]
    fn has_begun(&self) -> bool {
        match self.state.load(Ordering::Relaxed) {
            BEGUN => true,
            NEW => self.tries(""),
            _ => false,
        }
    }

    #[cold]
    #[inline(never)]
    fn tries(&self, dialect: &str) -> bool {
        let state = &self.state;
        if state.compare_exchange(NEW, REFUSED, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return false;
        }
        match other_copy() {
            OtherCopy::None => {}
            OtherCopy::TooOld => return false,
            OtherCopy::InFront(other) => {
                OTHER.store(core::ptr::from_ref(other).cast_mut(), Ordering::Release);
                state.store(ELSEWHERE, Ordering::Release);
                return false;
            }
        }
        let runtime = || Runtime {
            interface: self.interface.to_owned(),
            dialect: dialect.to_owned(),
            ..Runtime::default()
        };
        let begin = || ompttrace_life::begin(|_| runtime()).is_some();
        let has_begun = caught(begin).unwrap_or(false);
        if has_begun {
            // Phases may be marked up to the end of the process, and most interfaces do not say when the last one was.
            ompttrace_life::at_last(all_end);
            state.store(BEGUN, Ordering::Relaxed);
        }
        has_begun
    }

    #[cold]
    #[inline(never)]
    fn other(&self) -> Option<&'static Functions> {
        if self.state.load(Ordering::Acquire) != ELSEWHERE {
            return None;
        }
        // SAFETY: null, or the table of a library, which stays as long as the process.
        unsafe { OTHER.load(Ordering::Acquire).as_ref() }
    }
}

fn all_end() {
    [&PROGRAM, &OF_KOKKOS, &OF_NVTX, &OF_ITT].into_iter().for_each(Source::ends);
}
