//! The track tree: what describes a track, and how tracks form a tree.
//!
//! Every track that is not a process or a thread is placed by the rank that is
//! given, never merged with a neighbour of the same name. A parent that is a
//! process is honoured as "belongs to this process"; to nest tracks, put a group
//! in between.

use ompttrace_perfetto_protos::{
    CounterDescriptor, ProcessDescriptor, ThreadDescriptor, TrackDescriptor,
    track_descriptor::{ChildTracksOrdering, SiblingMergeBehavior, ThreadOrdering},
};

/// Says that threads are shown in the order of their ranks. Viewers before 2026
/// order them by number and take no notice.
pub fn root() -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(0),
        thread_ordering: Some(ThreadOrdering::Explicit as i32),
        ..TrackDescriptor::default()
    }
}

/// The track of a process; viewers show `description` where they are asked for it.
pub fn process(uuid: u64, process: ProcessDescriptor, description: String) -> TrackDescriptor {
    let description = Some(description).filter(|text| !text.is_empty());
    let uuid = Some(uuid);
    TrackDescriptor { uuid, process: Some(process), description, ..TrackDescriptor::default() }
}

/// The track of an OS thread. Its name is the thread's.
pub fn thread(uuid: u64, rank: i32, thread: ThreadDescriptor) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(uuid),
        thread: Some(thread),
        sibling_order_rank: Some(rank),
        ..TrackDescriptor::default()
    }
}

/// A track of slices, a group of tracks, or both.
pub fn track(uuid: u64, parent: u64, rank: i32, name: &str) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(uuid),
        parent_uuid: Some(parent),
        name: Some(name.to_owned()),
        child_ordering: Some(ChildTracksOrdering::Explicit as i32),
        sibling_order_rank: Some(rank),
        sibling_merge_behavior: Some(SiblingMergeBehavior::None as i32),
        ..TrackDescriptor::default()
    }
}

/// A track that belongs to no process, with slices of its own and tracks below it: viewers draw it though nobody unfolds it.
pub fn root_track(uuid: u64, rank: i32, name: &str) -> TrackDescriptor {
    TrackDescriptor { parent_uuid: None, ..track(uuid, 0, rank, name) }
}

/// A track of counter values. Those of one parent and unit share their scale.
pub fn counter(uuid: u64, parent: u64, rank: i32, name: &str, unit: &str) -> TrackDescriptor {
    let counter = CounterDescriptor {
        unit_name: Some(unit.to_owned()),
        y_axis_share_key: Some(unit.to_owned()),
        ..CounterDescriptor::default()
    };
    TrackDescriptor { counter: Some(counter), ..track(uuid, parent, rank, name) }
}

/// Numbers of tracks and flows, which are unlikely to be those of another process when traces are put together.
#[derive(Clone, Copy, Debug)]
pub struct Identity(u64);

impl Identity {
    /// A process: the same id on another host, or used again later, is another one.
    pub fn new(host: &str, pid: i32, start: u64) -> Self {
        Identity(mix(mix(hash(host) ^ pid as u32 as u64) ^ start))
    }

    /// The number of the `index`th thing of a kind. Never zero, which is the root.
    #[inline]
    pub fn number(self, kind: u32, index: u64) -> u64 {
        self.family(kind).number(index)
    }

    /// The number of the thing of a kind that has this name. Never zero.
    pub fn named(self, kind: u32, name: &str) -> u64 {
        self.number(kind, hash(name))
    }

    /// All things of a kind.
    #[inline]
    pub fn family(self, kind: u32) -> Family {
        Family(mix(self.0 ^ u64::from(kind)))
    }
}

/// The numbers of one kind of things of a process.
#[derive(Clone, Copy, Debug)]
pub struct Family(u64);

impl Family {
    /// The number of the `index`th. Never zero, which is the root.
    #[inline(always)]
    pub fn number(self, index: u64) -> u64 {
        mix(self.0 ^ index).max(1)
    }
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}

/// Spreads the bits of a number (the finalizer of splitmix64).
#[inline(always)]
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_differ_by_process_kind_and_index() {
        let mut seen = HashSet::new();
        for identity in [("a", 1, 5), ("b", 1, 5), ("a", 2, 5), ("a", 1, 6)] {
            let identity = Identity::new(identity.0, identity.1, identity.2);
            for kind in 0..4 {
                assert!((0..1000).all(|index| seen.insert(identity.number(kind, index))));
            }
        }
    }
}
