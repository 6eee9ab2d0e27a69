//! One track at one resolution: slices that are longer stay as they are, shorter ones become part of a summary.
//!
//! A slice is known to be long when it has lasted for the resolution, so its begin is drawn late; those around it are
//! longer, and drawn already. Short ones are added up in a bin of the slice around them, until that bin is as long as
//! the resolution, nothing happens for as long, or something long comes. So there are at most about two summaries for
//! one resolution's time or one long slice.

use super::bin::{Bin, Content};
use super::kept::{KeptEvent, KeptKind};
use crate::activities::activity;
use ompttrace_model::{Activity, Chunks, InstantKind, Mark, SliceKind};

/// An event that is drawn, in the order of time.
#[derive(Clone, Copy)]
pub(super) enum FoldedEvent<'a> {
    Begin(&'a KeptEvent),
    End(u64, Mark),
    Instant(&'a KeptEvent),
    /// A summary of events in a slice of this kind, or in none.
    Summary(&'a Bin, Option<SliceKind>),
}

/// The function that draws the events.
pub(super) type Out<'o> = &'o mut dyn FnMut(FoldedEvent<'_>);

/// The state of one track at one resolution.
#[derive(Debug)]
pub(super) struct Fold {
    resolution: u64,
    /// The recording of chunks of loops, which decides how much of a loop counts as work.
    chunks: Chunks,
    /// Open slices; more than `open` are there to be used again.
    frames: Vec<OpenSlice>,
    open: usize,
    /// Number of open slices whose begin is drawn.
    drawn: usize,
    /// The events that are in no slice.
    outside: Bin,
}

#[derive(Debug, Default)]
struct OpenSlice {
    kept: KeptEvent,
    /// The time of the slices right inside, nanoseconds.
    inside: u64,
    bin: Bin,
}

impl Fold {
    pub(super) fn new(resolution: u64, chunks: Chunks) -> Fold {
        let (frames, outside) = (Vec::new(), Bin::default());
        Fold { resolution, chunks, frames, open: 0, drawn: 0, outside }
    }

    /// Takes the next event.
    #[inline]
    pub(super) fn take(&mut self, what: FoldedEvent<'_>, out: Out<'_>) {
        match what {
            FoldedEvent::Begin(kept) => self.begin(kept, out),
            FoldedEvent::End(at, mark) => self.end(at, mark, out),
            FoldedEvent::Instant(kept) => self.instant(kept, out),
            FoldedEvent::Summary(bin, _) => self.summary(bin, out),
        }
    }

    #[inline]
    fn begin(&mut self, kept: &KeptEvent, out: Out<'_>) {
        self.draw_long(kept.at, out);
        if self.open == self.frames.len() {
            self.frames.push(OpenSlice::default());
        }
        if let Some(frame) = self.frames.get_mut(self.open) {
            frame.kept.copy(kept);
            frame.inside = 0;
            self.open += 1;
        }
    }

    #[inline]
    fn end(&mut self, at: u64, mark: Mark, out: Out<'_>) {
        self.draw_long(at, out);
        let Some(top) = self.open.checked_sub(1) else { return };
        self.open = top;
        if self.drawn > top {
            self.draw_bin(Some(top), out);
            out(FoldedEvent::End(at, mark));
            self.drawn = top;
            return;
        }
        let begin = self.frames.get(top).map_or(at, |frame| frame.kept.at);
        self.make_room(begin, out);
        let (below, above) = self.frames.split_at_mut(top);
        let Some(frame) = above.first_mut() else { return };
        let around = below.last_mut();
        let total = at.saturating_sub(frame.kept.at);
        let bin = match around {
            Some(around) => {
                around.inside += total;
                &mut around.bin
            }
            None => &mut self.outside,
        };
        let state = match frame.kept.kind {
            KeptKind::Slice(kind) => activity(kind, self.chunks),
            KeptKind::Instant(_) => Activity::Work,
        };
        let own = total.saturating_sub(frame.inside);
        bin.add_slice(&frame.kept, (at.max(frame.kept.at), mark), (own, state), &frame.bin);
        frame.bin.clear();
        self.draw_full(out);
    }

    /// Losses are drawn as they are, and with them what they are in.
    fn instant(&mut self, kept: &KeptEvent, out: Out<'_>) {
        self.draw_long(kept.at, out);
        if kept.kind == KeptKind::Instant(InstantKind::Lost) {
            while self.drawn < self.open {
                self.draw_next(out);
            }
            self.draw_bin(self.open.checked_sub(1), out);
            return out(FoldedEvent::Instant(kept));
        }
        self.make_room(kept.at, out);
        self.top_bin().add_instant(kept);
        self.draw_full(out);
    }

    /// A summary of a finer resolution.
    fn summary(&mut self, bin: &Bin, out: Out<'_>) {
        self.draw_long(bin.to, out);
        self.make_room(bin.from, out);
        if let Some(frame) = self.open.checked_sub(1).and_then(|top| self.frames.get_mut(top)) {
            frame.inside += bin.covered;
        }
        self.top_bin().add_bin(bin);
        self.draw_full(out);
    }

    /// Draws what is left when all slices have ended.
    pub(super) fn finish(&mut self, out: Out<'_>) {
        self.draw_bin(None, out);
    }

    /// A slice that another sink has drawn is open; `None`: the innermost one is over.
    pub(super) fn open(&mut self, begun: Option<SliceKind>) {
        let Some(kind) = begun else {
            self.open = self.open.saturating_sub(1);
            self.drawn = self.open;
            return;
        };
        if self.open == self.frames.len() {
            self.frames.push(OpenSlice::default());
        }
        if let Some(frame) = self.frames.get_mut(self.open) {
            frame.kept.kind = KeptKind::Slice(kind);
            self.open += 1;
            self.drawn = self.open;
        }
    }

    /// Draws everything: another window continues, which knows only what is open.
    pub(super) fn end_window(&mut self, out: Out<'_>) {
        while self.drawn < self.open {
            self.draw_next(out);
        }
        self.draw_bin(self.open.checked_sub(1), out);
    }

    /// Passes on all that is not drawn, unchanged: a coarser resolution continues, for which the slices
    /// that are drawn have begun.
    pub(super) fn hand_over(mut self, out: Out<'_>) {
        let first = self.drawn.checked_sub(1);
        self.draw_bin(first, out);
        for at in self.drawn..self.open {
            if let Some(frame) = self.frames.get(at) {
                out(FoldedEvent::Begin(&frame.kept));
            }
            self.draw_bin(Some(at), out);
        }
    }

    /// Draws the begins of slices that have lasted for the resolution by `at`.
    #[inline]
    fn draw_long(&mut self, at: u64, out: Out<'_>) {
        while self.drawn < self.open
            && let Some(frame) = self.frames.get(self.drawn)
            && at.saturating_sub(frame.kept.at) >= self.resolution
        {
            self.draw_next(out);
        }
    }

    /// Draws the begin of the outermost slice that is not drawn, after what came before it.
    fn draw_next(&mut self, out: Out<'_>) {
        self.draw_bin(self.drawn.checked_sub(1), out);
        if let Some(frame) = self.frames.get(self.drawn) {
            out(FoldedEvent::Begin(&frame.kept));
        }
        self.drawn += 1;
    }

    /// Draws the innermost bin if what begins at `from` is too far away from it.
    #[inline]
    fn make_room(&mut self, from: u64, out: Out<'_>) {
        let resolution = self.resolution;
        let bin = self.top_bin();
        if !bin.is_empty() && from.saturating_sub(bin.to) >= resolution {
            self.draw_bin(self.open.checked_sub(1), out);
        }
    }

    /// Draws the innermost bin if it is long enough.
    #[inline]
    fn draw_full(&mut self, out: Out<'_>) {
        let resolution = self.resolution;
        if self.top_bin().duration() >= resolution {
            self.draw_bin(self.open.checked_sub(1), out);
        }
    }

    /// The bin of the innermost open slice.
    #[inline]
    fn top_bin(&mut self) -> &mut Bin {
        match self.open.checked_sub(1).and_then(|top| self.frames.get_mut(top)) {
            Some(frame) => &mut frame.bin,
            None => &mut self.outside,
        }
    }

    /// Draws the bin of an open slice, or the one outside all.
    fn draw_bin(&mut self, of: Option<usize>, out: Out<'_>) {
        let frame = of.and_then(|at| self.frames.get_mut(at));
        let (bin, around) = match frame {
            Some(OpenSlice { kept, bin, .. }) => match kept.kind {
                KeptKind::Slice(kind) => (bin, Some(kind)),
                KeptKind::Instant(_) => (bin, None),
            },
            None => (&mut self.outside, None),
        };
        match bin.content() {
            Content::Nothing => return,
            Content::Slice(kept, mark) => {
                out(FoldedEvent::Begin(kept));
                out(FoldedEvent::End(bin.to, mark));
            }
            Content::Instant(kept) => out(FoldedEvent::Instant(kept)),
            Content::Summary => out(FoldedEvent::Summary(bin, around)),
        }
        bin.clear();
    }
}
