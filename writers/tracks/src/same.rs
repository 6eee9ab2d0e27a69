//! Whether a logical thread is always on one and the same OS thread, whose track shows all of it: then it needs no track
//! of its own, as in programs whose teams keep their threads.
//!
//! That is known only in the end, and a trace is written before. So a logical thread gets a track when something happens
//! on a second OS thread, and up to then one slice says where it was ([`Seen::Moved`]). Nothing is kept but where and
//! since when.

use ompttrace_model::ThreadRef;

/// Where one logical thread was so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Same {
    /// Nothing happened so far.
    #[default]
    Nowhere,
    /// Always on this OS thread, since this time.
    On(ThreadRef, u64),
    /// On several, or all are drawn anyway; this many slices are open on its track.
    Drawn(u64),
}

/// What an event means for the track of its logical thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It is on the OS thread's alone.
    Same,
    /// It is drawn.
    Drawn,
    /// It is the first that is drawn: before, the logical thread was on this OS thread, since this time.
    Moved(ThreadRef, u64),
}

impl Same {
    /// Something begins or happens on an OS thread.
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

    /// A slice was drawn.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        if let Same::Drawn(open) = self {
            *open += 1;
        }
    }

    /// Whether the slice that ends was drawn: what was open before there was a track is not.
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
