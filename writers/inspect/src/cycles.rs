//! Cycles of threads and tasks that wait for each other: one for each group that can never continue.

use crate::waits::{Edge, Node, Waits, Why};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A cycle: each node with the reason for which it waits for the next one, the last for the first.
pub(crate) type Cycle = Vec<(Node, Why)>;

/// Finds a shortest cycle in every group of nodes that all wait for each other.
pub(crate) fn find(waits: &Waits<'_>) -> Vec<Cycle> {
    let edges: FxHashMap<Node, Vec<Edge>> =
        waits.nodes().map(|node| (node, waits.edges(node))).collect();
    let groups = groups(waits, &edges);
    groups.iter().filter_map(|group| shortest(group, &edges)).collect()
}

/// A node on the way through the graph: its number there, and the lowest that can be reached from it.
#[derive(Clone, Copy)]
struct Visited {
    index: usize,
    low: usize,
    on_stack: bool,
}

fn lower(seen: &mut FxHashMap<Node, Visited>, node: Node, to: usize) {
    if let Some(seen) = seen.get_mut(&node) {
        seen.low = seen.low.min(to);
    }
}

/// The strongly connected components, by Tarjan's method without recursion: chains of tasks may be long.
fn groups(waits: &Waits<'_>, edges: &FxHashMap<Node, Vec<Edge>>) -> Vec<Vec<Node>> {
    let mut seen: FxHashMap<Node, Visited> = FxHashMap::default();
    let (mut stack, mut groups, mut count) = (Vec::new(), Vec::new(), 0);
    for root in waits.nodes() {
        if seen.contains_key(&root) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.pop() {
            if next == 0 {
                seen.insert(node, Visited { index: count, low: count, on_stack: true });
                stack.push(node);
                count += 1;
            }
            match edges.get(&node).and_then(|edges| edges.get(next)) {
                Some(edge) => {
                    path.push((node, next + 1));
                    match seen.get(&edge.to).copied() {
                        None => path.push((edge.to, 0)),
                        Some(known) if known.on_stack => lower(&mut seen, node, known.index),
                        Some(_) => {}
                    }
                }
                None => {
                    let Some(own) = seen.get(&node).copied() else { continue };
                    if own.low == own.index {
                        let from = stack.iter().position(|one| *one == node).unwrap_or(0);
                        let group: Vec<Node> = stack.drain(from..).collect();
                        for one in &group {
                            if let Some(one) = seen.get_mut(one) {
                                one.on_stack = false;
                            }
                        }
                        groups.push(group);
                    }
                    if let Some((before, _)) = path.last() {
                        lower(&mut seen, *before, own.low);
                    }
                }
            }
        }
    }
    groups
}

/// Maximum number of nodes of a group from which a cycle is searched.
const MOST_BEGINS: usize = 64;

/// A shortest path from a node of a group back to itself; `None` if there is none.
fn shortest(group: &[Node], edges: &FxHashMap<Node, Vec<Edge>>) -> Option<Cycle> {
    let all: FxHashSet<Node> = group.iter().copied().collect();
    let ways = group.iter().take(MOST_BEGINS).filter_map(|first| way_back(*first, &all, edges));
    let mut shortest = ways.min_by_key(Vec::len)?;
    // The same cycle is reported the same way whichever node was met first.
    let first = shortest.iter().enumerate().min_by_key(|(_, (node, _))| *node)?.0;
    shortest.rotate_left(first);
    Some(shortest)
}

fn way_back(
    first: Node,
    group: &FxHashSet<Node>,
    edges: &FxHashMap<Node, Vec<Edge>>,
) -> Option<Cycle> {
    let mut came: FxHashMap<Node, (Node, Why)> = FxHashMap::default();
    let mut queue = VecDeque::from([first]);
    while let Some(node) = queue.pop_front() {
        for edge in edges.get(&node).into_iter().flatten() {
            if edge.to == first {
                return Some(trace(first, node, edge.why, &came));
            }
            if group.contains(&edge.to) && !came.contains_key(&edge.to) {
                came.insert(edge.to, (node, edge.why));
                queue.push_back(edge.to);
            }
        }
    }
    None
}

fn trace(first: Node, last: Node, why: Why, came: &FxHashMap<Node, (Node, Why)>) -> Cycle {
    let mut cycle = vec![(last, why)];
    let mut node = last;
    while node != first {
        let Some((before, why)) = came.get(&node).copied() else { break };
        cycle.push((before, why));
        node = before;
    }
    cycle.reverse();
    cycle
}
