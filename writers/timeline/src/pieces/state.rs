//! In which piece a thread (a row, a lock, a counter) is, and what is open there.

use super::Supply;
use super::open::Open;
use super::piece::Piece;
use super::stage::{Span, Stage};
use crate::sink::{Arg, LockRef, Place, SliceKind};
use ompttrace_recording::Id;

/// Room for annotations that is kept for later slices.
const MOST_SPARE: usize = 64;

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct State {
    span: Span,
    open: Vec<Open>,
    spare: Vec<Vec<Arg>>,
}

impl State {
    /// Moves on to `at`: the piece there and the time to tell in it, if there is one.
    #[inline]
    pub(super) fn advance<'s, P: Supply>(
        &mut self,
        at: u64,
        stage: &'s mut Stage<P>,
    ) -> Option<(&'s mut Piece<P::Sink>, u64)> {
        while stage.is_past(self.span, at) {
            self.step(stage);
        }
        let piece = stage.piece(self.span)?;
        let at = at.max(piece.begin);
        Some((piece, at))
    }

    /// The same for an end: at the very end of a piece it belongs to that one.
    #[inline]
    pub(super) fn advance_to_end<'s, P: Supply>(
        &mut self,
        at: u64,
        stage: &'s mut Stage<P>,
    ) -> Option<(&'s mut Piece<P::Sink>, u64)> {
        let (piece, _) = self.advance(at.saturating_sub(1), stage)?;
        let at = at.max(piece.begin);
        Some((piece, at))
    }

    #[cold]
    fn step<P: Supply>(&mut self, stage: &mut Stage<P>) {
        if let Some(piece) = stage.piece(self.span) {
            piece.leave(&self.open);
        }
        self.span = stage.after(self.span);
        if let Some(piece) = stage.piece(self.span) {
            let at = piece.begin;
            self.open.iter().for_each(|open| open.begin(at, piece));
        }
    }

    /// The parallel regions and leagues that the thread forked.
    pub(super) fn regions(&self) -> impl Iterator<Item = Id> {
        self.open.iter().filter_map(|open| match open {
            Open::Slice(kept) if matches!(kept.kind, SliceKind::Region { .. }) => Some(kept.task),
            _ => None,
        })
    }

    /// The regions and leagues of whose teams it is a member.
    pub(super) fn member_of(&self) -> impl Iterator<Item = Id> {
        self.open.iter().filter_map(|open| match open {
            Open::Member(_, member) => Some(member.region),
            _ => None,
        })
    }

    /// Something is open from now on; it is given room for annotations.
    #[inline]
    pub(super) fn open(&mut self, make: impl FnOnce(Vec<Arg>) -> Open) {
        let open = make(self.spare.pop().unwrap_or_default());
        self.open.push(open);
    }

    /// The only thing that was open is so no more.
    pub(super) fn forget(&mut self) {
        self.open.clear();
    }

    /// The innermost slice is over.
    #[inline]
    pub(super) fn drop_slice(&mut self) {
        let Some(at) = self.last(|open| matches!(open, Open::Slice(_))) else { return };
        if let Open::Slice(mut kept) = self.open.remove(at)
            && self.spare.len() < MOST_SPARE
        {
            kept.args.clear();
            self.spare.push(kept.args);
        }
    }

    /// The innermost member is over, and with it whatever task was said to run.
    pub(super) fn drop_member(&mut self) {
        let at = self.last(|open| matches!(open, Open::Member(..)));
        if let Some(at) = at {
            if let Open::Member(place, _) = self.open.remove(at) {
                self.leave(place);
            }
            self.drop_runs(at);
        }
    }

    /// What the thread still holds is not on the lane of a member that is over: that may be another thread's now.
    fn leave(&mut self, left: Place) {
        for open in &mut self.open {
            if let Open::Held(place, _) = open
                && place.lane == left.lane
            {
                place.lane = None;
            }
        }
    }

    /// The innermost member goes on with `task`.
    pub(super) fn runs(&mut self, place: Place, task: Id) {
        let at = self.last(|open| matches!(open, Open::Member(..)));
        self.drop_runs(at.unwrap_or(0));
        let own = match at.and_then(|at| self.open.get(at)) {
            Some(Open::Member(_, member)) => member.task,
            _ => Id::NONE,
        };
        if !task.is_none() && task != own {
            self.open.push(Open::Runs(place, task));
        }
    }

    /// A lock is given back; whether the thread had it.
    pub(super) fn drop_held(&mut self, lock: LockRef) -> bool {
        let at = self.last(|open| matches!(open, Open::Held(_, held) if held.lock == lock));
        at.map(|at| self.open.remove(at)).is_some()
    }

    fn drop_runs(&mut self, from: usize) {
        let mut position = 0;
        self.open.retain(|open| {
            position += 1;
            position <= from || !matches!(open, Open::Runs(..))
        });
    }

    fn last(&self, is: impl FnMut(&Open) -> bool) -> Option<usize> {
        self.open.iter().rposition(is)
    }
}
