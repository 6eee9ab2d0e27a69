//! The corrected times once more: messages that run backwards, and how much time between events has changed.

use super::nodes::Nodes;
use super::{Corrected, Side};
use ompttrace_recording::Correction;
use std::sync::Arc;

/// Counts what the corrections change. Clocks are in the order of `corrections`; nodes have the final times of messages then.
pub(super) fn check(
    clocks: &[&[Side]],
    corrections: &[Arc<Correction>],
    nodes: &mut Nodes,
) -> Corrected {
    let mut corrected = Corrected::default();
    for (sides, correction) in clocks.iter().zip(corrections) {
        let mut before: Option<u64> = None;
        for side in *sides {
            let later = correction.later(side.time);
            corrected.most_ns = corrected.most_ns.max(later);
            if let Some(before) = before.replace(later) {
                corrected.longer_ns = corrected.longer_ns.max(later.saturating_sub(before));
                corrected.shorter_ns = corrected.shorter_ns.max(before.saturating_sub(later));
            }
            nodes.is_finally(side, side.time.saturating_add(later));
        }
    }
    corrected.backwards.1 = nodes.backwards();
    corrected
}
