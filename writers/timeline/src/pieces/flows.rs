//! Arrows that lie within one piece: an end whose begin is in another one is not told.

use crate::hash::{FastMap, task_flow};
use crate::sink::{Instant, Slice};
use ompttrace_recording::Id;

/// Begins that are remembered; those of a program that never ends its arrows are forgotten.
const MOST: usize = 1 << 20;

/// In which piece each arrow was last told of.
#[derive(Debug, Default)]
pub(super) struct Flows {
    pieces: FastMap<u64, usize>,
    ends: Vec<u64>,
}

/// What has arrows.
pub(super) trait Tied {
    fn task(&self) -> Id;
    fn flows(&self) -> &[u64];
    fn flow_ends(&self) -> &[u64];
}

macro_rules! tied {
    ($($type:ident)+) => { $(
        impl Tied for $type<'_> {
            fn task(&self) -> Id {
                self.task
            }
            fn flows(&self) -> &[u64] {
                self.flows
            }
            fn flow_ends(&self) -> &[u64] {
                self.flow_ends
            }
        }
    )+ };
}

tied!(Slice Instant);

impl Flows {
    /// Takes what is told in piece `number`, or in none; returns the arrows that may end there.
    #[inline]
    pub(super) fn at(&mut self, number: Option<usize>, tied: &impl Tied) -> &[u64] {
        if tied.flows().is_empty() && tied.flow_ends().is_empty() {
            return &[];
        }
        self.tie(number, tied)
    }

    fn tie(&mut self, number: Option<usize>, tied: &impl Tied) -> &[u64] {
        self.ends.clear();
        for flow in tied.flow_ends() {
            let piece = self.pieces.remove(flow);
            self.ends.extend((piece.is_some() && piece == number).then_some(*flow));
        }
        if self.pieces.len() > MOST {
            self.pieces.clear();
        }
        // A task's own arrow goes on through its segments and is never said to end.
        let own = task_flow(tied.task());
        for flow in tied.flows().iter().filter(|flow| **flow != own) {
            match number {
                Some(number) => self.pieces.insert(*flow, number),
                None => self.pieces.remove(flow),
            };
        }
        &self.ends
    }
}
