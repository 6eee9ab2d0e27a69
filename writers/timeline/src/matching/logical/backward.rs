//! Backward: what is before a jump becomes later as well, along a ramp that ends at the jump, but never so much that what others
//! receive would be too early.

use super::Side;
use super::nodes::Nodes;
use ompttrace_recording::correction::{Piece, RATE};

/// A ramp: it rises by a nanosecond in [`RATE`] up to its end.
#[derive(Clone, Copy)]
struct Ramp {
    end: u64,
    later: u64,
}

impl Ramp {
    /// The nanoseconds by which a time before the end is later.
    fn at(&self, time: u64) -> u64 {
        self.later.saturating_sub(self.end.saturating_sub(time) / RATE)
    }

    /// The piece that begins with another value and ends where the ramp ends.
    fn from(&self, time: u64, later: u64) -> Piece {
        let change = i64::try_from(i128::from(self.later) - i128::from(later)).unwrap_or(i64::MAX);
        Piece { from: time, later, change, run: self.end.saturating_sub(time).max(1) }
    }
}

/// The state on the way backwards: the pieces after the jumps, and the new ones so far, the last one first.
struct Backward<'a> {
    forward: &'a [Piece],
    /// Pieces that begin before the time that is looked at.
    before: usize,
    ramp: Option<Ramp>,
    found: Vec<Piece>,
}

/// The pieces of a clock with ramps before the jumps. `sides`: its events, in the order of time.
pub(super) fn amortised(sides: &[Side], forward: Vec<Piece>, nodes: &Nodes) -> Vec<Piece> {
    let found = Vec::with_capacity(2 * forward.len());
    let mut backward = Backward { forward: &forward, before: forward.len(), ramp: None, found };
    let mut left = sides;
    while let Some(piece) = backward.last() {
        // Events at the time of the jump are after it.
        let after = left.partition_point(|side| side.time < piece.from);
        let (rest, within) = left.split_at(after);
        let gives = within.iter().rev().filter(|side| side.gives && side.time > piece.from);
        gives.for_each(|side| backward.passes(side, nodes));
        backward.jump();
        left = rest;
    }
    left.iter().rev().filter(|side| side.gives).for_each(|side| backward.passes(side, nodes));
    backward.begin();
    backward.found.reverse();
    backward.found
}

impl Backward<'_> {
    /// The jump before the time that is looked at.
    fn last(&self) -> Option<Piece> {
        self.before.checked_sub(1).and_then(|last| self.forward.get(last)).copied()
    }

    /// The nanoseconds by which a time is later without ramps.
    fn usual(&self, time: u64) -> u64 {
        self.last().map_or(0, |piece| piece.later(time))
    }

    /// An event for which others wait.
    fn passes(&mut self, side: &Side, nodes: &Nodes) {
        let Some(ramp) = self.ramp else { return };
        let usual = self.usual(side.time);
        let later = ramp.at(side.time);
        if later <= usual {
            return self.ends(ramp, side.time);
        }
        let most = nodes.latest(side).saturating_sub(side.time).max(usual);
        // Values between are rounded.
        if later.saturating_add(1) > most {
            self.found.push(ramp.from(side.time, most));
            self.ramp = Some(Ramp { end: side.time, later: most });
        }
    }

    /// The last jump before: a ramp goes on above it, or another one begins there.
    fn jump(&mut self) {
        let Some(piece) = self.last() else { return };
        let above = self.ramp.filter(|ramp| ramp.at(piece.from) >= piece.later);
        let mut later = piece.later;
        if let Some(ramp) = above {
            later = ramp.at(piece.from);
            self.found.push(ramp.from(piece.from, later));
        } else {
            if let Some(ramp) = self.ramp {
                self.ends(ramp, piece.from);
            }
            self.found.push(piece);
        }
        self.before -= 1;
        self.ramp = Some(Ramp { end: piece.from, later });
    }

    /// The begin of time.
    fn begin(&mut self) {
        let Some(ramp) = self.ramp else { return };
        match ramp.at(0) {
            0 => self.ends(ramp, 0),
            later => self.found.push(ramp.from(0, later)),
        }
    }

    /// A ramp begins where times are as late without it, which is not before `from`.
    fn ends(&mut self, ramp: Ramp, from: u64) {
        let (mut low, mut high) = (from, ramp.end);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if ramp.at(middle) <= self.usual(middle) { low = middle } else { high = middle - 1 }
        }
        if low < ramp.end {
            self.found.push(ramp.from(low, self.usual(low)));
        }
        self.ramp = None;
    }
}
