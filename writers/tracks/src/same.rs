//! Logical threads that are always on one and the same OS thread, whose track shows all of them: they need no track
//! of their own, as in programs whose teams keep their threads.
//!
//! This is known only at the end, and a trace is written before. So a logical thread gets a track when something
//! happens on a second OS thread, and a single slice shows where it was up to then ([`Seen::Moved`]). Only the OS
//! thread and the begin of that time are kept.

use ompttrace_model::ThreadRef;

/// The OS threads on which one logical thread was so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Same {
    /// Nothing happened so far.
    #[default]
    Nowhere,
    /// It was always on this OS thread, since this time.
    On(ThreadRef, u64),
    /// It was on several OS threads, or all logical threads are drawn anyway; this many slices are open on its track.
    Drawn(u64),
}

/// The tracks on which an event is drawn: its OS thread's alone, or its logical thread's as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The event is drawn on the OS thread's track alone.
    Same,
    /// The event is drawn on the logical thread's track.
    Drawn,
    /// The event is the first that is drawn there: before, the logical thread was on this OS thread, since this time.
    Moved(ThreadRef, u64),
}

impl Same {
    /// Notes that something begins or happens on an OS thread.
    #[inline(always)]
    pub(crate) fn see(&mut self, thread: ThreadRef, at: u64) -> Seen {
        match *self {
            Same::Drawn(_) => Seen::Drawn,
            Same::Nowhere => {
                *self = Same::On(thread, at);
                Seen::Same
            }
            Same::On(home, _) if home == thread => Seen::Same,
            Same::On(home, since) => {
                *self = Same::Drawn(0);
                Seen::Moved(home, since)
            }
        }
    }

    /// Notes that a slice was drawn.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        if let Same::Drawn(open) = self {
            *open += 1;
        }
    }

    /// Returns true if the slice that ends was drawn: slices that were open before there was a track are not.
    #[inline(always)]
    pub(crate) fn end(&mut self) -> bool {
        match self {
            Same::Drawn(open) if *open > 0 => {
                *open -= 1;
                true
            }
            _ => false,
        }
    }
}
