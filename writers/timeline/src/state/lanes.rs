//! Lanes: logical threads, named by the path of thread numbers below a root.
//!
//! A lane is found again by its parent and its number, in every instance of a region and whichever
//! OS thread serves it. One implicit task at a time stands on a lane.

use crate::hash::FastMap;
use ompttrace_model::{Lane, LaneRef};

/// Further implicit tasks get none.
const MAX_LANES: usize = 1 << 16;
/// Implicit tasks below that many regions get none.
const MAX_DEPTH: usize = 64;
/// From so many roots on, lanes of roots that are gone serve new ones.
const MANY_ROOTS: u32 = 64;
/// Marks a league member's number.
const LEAGUE: u64 = 1 << 63;

/// What kind of root a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// The initial thread of the program.
    Initial,
    /// Another thread of the program.
    Other,
    /// A helper of the runtime.
    Helper,
}

/// Who stands on a lane: thread and layer.
pub(crate) type Owner = (u32, u64);

/// All lanes so far.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    lanes: Vec<State>,
    children: FastMap<(u32, u64), LaneRef>,
    initial: Option<LaneRef>,
    others: u32,
    helpers: u32,
    free: Vec<LaneRef>,
}

#[derive(Debug)]
struct State {
    path: String,
    order: Vec<u32>,
    owner: Option<Owner>,
    last: u64,
}

impl Lanes {
    /// The lane of a root; `Some` with its definition when it is new.
    pub(crate) fn root(&mut self, root: Root) -> (Option<LaneRef>, Option<Lane>) {
        let (path, order) = match root {
            Root::Initial => {
                if self.initial.is_some() {
                    return (self.initial, None);
                }
                ("0".to_owned(), 0)
            }
            Root::Other => {
                if self.others >= MANY_ROOTS
                    && let Some(lane) = self.free.pop()
                {
                    return (Some(lane), None);
                }
                self.others += 1;
                (format!("r{}", self.others), self.others)
            }
            Root::Helper => {
                self.helpers += 1;
                (format!("h{}", self.helpers - 1), (1 << 31) | self.helpers)
            }
        };
        let defined = self.define(None, path, vec![order]);
        if root == Root::Initial {
            self.initial = defined.0;
        }
        defined
    }

    /// A root's thread is gone.
    pub(crate) fn root_over(&mut self, lane: LaneRef) {
        if Some(lane) != self.initial {
            self.free.push(lane);
        }
    }

    /// The lane of thread `number` of a team (or league) that a task on `parent` forked.
    pub(crate) fn member(
        &mut self,
        parent: LaneRef,
        number: u64,
        league: bool,
    ) -> (Option<LaneRef>, Option<Lane>) {
        let key = (parent, if league { number | LEAGUE } else { number });
        if let Some(lane) = self.children.get(&key) {
            return (Some(*lane), None);
        }
        let Some(state) = self.lanes.get(parent as usize) else { return (None, None) };
        if state.order.len() >= MAX_DEPTH {
            return (None, None);
        }
        let path = format!("{}.{}{number}", state.path, if league { "t" } else { "" });
        let mut order = state.order.clone();
        order.push((number as u32).saturating_add(if league { 1 << 31 } else { 0 }));
        let defined = self.define(Some(parent), path, order);
        if let Some(lane) = defined.0 {
            self.children.insert(key, lane);
        }
        defined
    }

    fn define(
        &mut self,
        parent: Option<LaneRef>,
        path: String,
        order: Vec<u32>,
    ) -> (Option<LaneRef>, Option<Lane>) {
        if self.lanes.len() >= MAX_LANES {
            return (None, None);
        }
        let lane = self.lanes.len() as LaneRef;
        self.lanes.push(State { path: path.clone(), order: order.clone(), owner: None, last: 0 });
        (Some(lane), Some(Lane { lane, parent, path, order }))
    }

    /// Who stands on a lane.
    pub(crate) fn owner(&self, lane: LaneRef) -> Option<Owner> {
        self.lanes.get(lane as usize)?.owner
    }

    /// Somebody enters a lane; returns the time before which nothing may be told there.
    pub(crate) fn take(&mut self, lane: LaneRef, owner: Owner) -> u64 {
        let Some(state) = self.lanes.get_mut(lane as usize) else { return 0 };
        state.owner = Some(owner);
        state.last
    }

    /// `owner` leaves a lane at `at`.
    pub(crate) fn leave(&mut self, lane: LaneRef, owner: Owner, at: u64) {
        if let Some(state) = self.lanes.get_mut(lane as usize)
            && state.owner == Some(owner)
        {
            state.owner = None;
            state.last = state.last.max(at);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }
}
