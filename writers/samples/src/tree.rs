//! The tree of a flame graph: stacks that begin with the same frames share them.

use crate::stack::{Stacks, frames, name};
use crate::sums::{Sums, Weight};
use ompttrace_model::{Definitions, FrameKind, NameRef};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// A frame with its samples. In a list that is a tree each frame comes after its caller, and frames with more samples
/// first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name of the frame.
    pub name: String,
    /// Kind of the frame.
    pub kind: FrameKind,
    /// Position of the caller's frame; `None` for an outermost frame.
    pub caller: Option<usize>,
    /// Number of frames around this one.
    pub depth: usize,
    /// Sums of the samples in the frame itself.
    pub own: Weight,
    /// Sums of the samples in the frame and in all frames inside.
    pub whole: Weight,
}

/// The tree of these stacks, in which a function is one frame regardless of its lines.
pub fn tree(definitions: &Definitions, sums: &Sums, stacks: Stacks) -> Vec<Node> {
    let mut growing = Growing::default();
    for (context, _, weight) in sums.by_stack(stacks) {
        let mut at = None;
        for frame in frames(definitions, context) {
            let key = (at, frame.name, frame.kind);
            at = Some(growing.node(key, || name(definitions, frame).to_owned(), weight));
        }
        if let Some(node) = at.and_then(|at| growing.nodes.get_mut(at)) {
            node.own.add(weight);
        }
    }
    growing.in_order()
}

#[derive(Default)]
struct Growing {
    nodes: Vec<Node>,
    known: FxHashMap<(Option<usize>, NameRef, FrameKind), usize>,
}

impl Growing {
    fn node(
        &mut self,
        key: (Option<usize>, NameRef, FrameKind),
        name: impl FnOnce() -> String,
        weight: &Weight,
    ) -> usize {
        let at = *self.known.entry(key).or_insert_with(|| {
            let (caller, _, kind) = key;
            let depth = caller.and_then(|at| self.nodes.get(at)).map_or(0, |node| node.depth + 1);
            let (own, whole) = Default::default();
            self.nodes.push(Node { name: name(), kind, caller, depth, own, whole });
            self.nodes.len() - 1
        });
        if let Some(node) = self.nodes.get_mut(at) {
            node.whole.add(weight);
        }
        at
    }

    fn in_order(self) -> Vec<Node> {
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len() + 1];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(list) = inside.get_mut(node.caller.map_or(0, |caller| caller + 1)) {
                list.push(at);
            }
        }
        for list in &mut inside {
            // Those to come first are last, as on a stack.
            list.sort_by_key(|at| {
                let node = self.nodes.get(*at);
                node.map(|node| (node.whole.samples, Reverse(node.name.clone())))
            });
        }
        let mut next: Vec<_> = inside.first().into_iter().flatten().map(|at| (*at, None)).collect();
        let mut ordered: Vec<Node> = Vec::new();
        while let Some((at, caller)) = next.pop() {
            let Some(node) = self.nodes.get(at) else { continue };
            let position = ordered.len();
            ordered.push(Node { caller, ..node.clone() });
            let inner = inside.get(at + 1).into_iter().flatten();
            next.extend(inner.map(|inner| (*inner, Some(position))));
        }
        ordered
    }
}
