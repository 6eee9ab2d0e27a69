//! Forward: clocks go through their events in the order in which these depend on each other, and jump where they are too early.

use super::Side;
use super::nodes::Nodes;
use ompttrace_model::FastMap;
use ompttrace_recording::correction::Piece;

/// A clock at its next event.
struct Cursor {
    next: usize,
    pieces: Vec<Piece>,
}

/// The pieces of the correction of each clock, from its jumps on. `clocks`: the events on each, by time. The corrected times of these
/// events are stored in `nodes`.
pub(super) fn pieces(clocks: &[&[Side]], nodes: &mut Nodes) -> Vec<Vec<Piece>> {
    let cursor = |_: &&[Side]| Cursor { next: 0, pieces: Vec::new() };
    let mut cursors: Vec<Cursor> = clocks.iter().map(cursor).collect();
    let mut ready: Vec<usize> = (0..clocks.len()).rev().collect();
    let mut waiting = FastMap::<u64, Vec<usize>>::default();
    loop {
        while let Some(at) = ready.pop() {
            let (Some(cursor), Some(sides)) = (cursors.get_mut(at), clocks.get(at)) else {
                continue;
            };
            if let Some(node) = advance(cursor, sides, nodes, |node| {
                ready.extend(waiting.remove(&node).into_iter().flatten());
            }) {
                waiting.entry(node).or_default().push(at);
            }
        }
        // Events that wait for each other in a circle: numbers of messages are wrong. The earliest goes on as it was recorded.
        let next = |at: &usize| {
            let (cursor, sides) = (cursors.get(*at)?, clocks.get(*at)?);
            sides.get(cursor.next).map(|side| (side.time, *at))
        };
        let Some((_, stuck)) = (0..clocks.len()).filter_map(|at| next(&at)).min() else { break };
        let (Some(cursor), Some(sides)) = (cursors.get_mut(stuck), clocks.get(stuck)) else {
            break;
        };
        if let Some(side) = sides.get(cursor.next) {
            if let Some(all) = waiting.get_mut(&side.id) {
                all.retain(|at| *at != stuck);
            }
            nodes.goes_on(side, side.time.saturating_add(later(&cursor.pieces, side.time)));
            cursor.next += 1;
        }
        ready.push(stuck);
    }
    cursors.into_iter().map(|cursor| cursor.pieces).collect()
}

/// Takes a clock through its events up to one that waits for another that has not come, whose node is returned. `complete`: gets
/// nodes for which nobody has to wait any more.
fn advance(
    cursor: &mut Cursor,
    sides: &[Side],
    nodes: &mut Nodes,
    mut complete: impl FnMut(u64),
) -> Option<u64> {
    while let Some(side) = sides.get(cursor.next) {
        let now = side.time.saturating_add(later(&cursor.pieces, side.time));
        if side.gives {
            if nodes.comes(side, now) {
                complete(side.id);
            }
        } else {
            let Some(needed) = nodes.needed(side) else { return Some(side.id) };
            if now < needed {
                cursor.pieces.push(Piece::fading(side.time, needed - side.time));
            }
            nodes.goes_on(side, now.max(needed));
        }
        cursor.next += 1;
    }
    None
}

/// The nanoseconds by which a time after all breaks so far is later.
fn later(pieces: &[Piece], time: u64) -> u64 {
    pieces.last().map_or(0, |piece| piece.later(time))
}
