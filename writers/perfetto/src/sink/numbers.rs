//! Numbers of tracks and flows that stay apart when the traces of several processes are put
//! together.

use ompttrace_model::{LockRef, MESSAGE_FLOW, RegionTrack, RunInfo, ThreadRef};
use ompttrace_tracks::Shared;

use super::groups::Group;
use crate::tracks::{Family, Identity};

/// The numbers of one process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    identity: Identity,
    flows: Family,
}

/// Kinds of numbered things. Their values are part of no format: they only have to differ.
#[repr(u32)]
enum Kind {
    Process,
    Thread,
    Group,
    RegionTrack,
    LogicalThread,
    Lock,
    Counter,
    Flow,
    CounterOfThread,
    Activities,
    FirstLook,
    Phases,
}

impl Numbers {
    /// Numbers of a process that is not known yet.
    pub(super) fn unknown() -> Self {
        Numbers::from(Identity::new("", 0, 0))
    }

    /// Numbers of the process of a run.
    pub(super) fn of(run: &RunInfo<'_>) -> Self {
        let process = &run.facts.process;
        // A process that becomes another program by exec begins once, and is recorded twice.
        let recorded = run.facts.clock.pairs.first().map_or(0, |pair| pair.monotonic);
        let begin = run.begin.wrapping_add(recorded);
        Numbers::from(Identity::new(&process.host, process.pid as i32, begin))
    }

    fn from(identity: Identity) -> Self {
        Numbers { identity, flows: identity.family(Kind::Flow as u32) }
    }

    pub(super) fn process(self) -> u64 {
        self.number(Kind::Process, 0)
    }

    pub(super) fn thread(self, thread: ThreadRef) -> u64 {
        self.number(Kind::Thread, u64::from(thread))
    }

    /// Number of the track that shows the activities of a thread.
    pub(super) fn activities(self, thread: ThreadRef) -> u64 {
        self.number(Kind::Activities, u64::from(thread))
    }

    /// Number and group of a track that belongs to no OS thread. Phases are in no group: they are at the head of the process.
    pub(super) fn shared(self, of: Shared, name: &str) -> (u64, Option<Group>) {
        match of {
            Shared::Level(track) => (self.region_track(track), Some(Group::Regions)),
            Shared::LogicalThread(_) => (self.logical_thread(name), Some(Group::LogicalThreads)),
            Shared::Lock(lock) => (self.lock(lock), Some(Group::Locks)),
            Shared::Phases(thread) => (self.number(Kind::Phases, u64::from(thread)), None),
        }
    }

    /// Of what is to be seen first: the root track, and those below it from 1 on.
    pub(super) fn first_look(self, track: usize) -> u64 {
        self.number(Kind::FirstLook, track as u64)
    }

    pub(super) fn group(self, group: Group) -> u64 {
        self.number(Kind::Group, group as u64)
    }

    pub(super) fn region_track(self, track: RegionTrack) -> u64 {
        self.number(Kind::RegionTrack, u64::from(track.level) << 32 | u64::from(track.number))
    }

    /// Number of the track of a logical thread. It depends on the path alone, since each window of a run has its own
    /// order of logical threads.
    pub(super) fn logical_thread(self, path: &str) -> u64 {
        self.identity.named(Kind::LogicalThread as u32, path)
    }

    pub(super) fn lock(self, lock: LockRef) -> u64 {
        self.number(Kind::Lock, u64::from(lock))
    }

    pub(super) fn counter(self, rank: u32) -> u64 {
        self.number(Kind::Counter, u64::from(rank))
    }

    /// Number of the track of one of a thread's counters.
    pub(super) fn counter_of(self, thread: ThreadRef, counter: u32) -> u64 {
        self.number(Kind::CounterOfThread, u64::from(thread) << 32 | u64::from(counter))
    }

    /// Of a flow; one between processes keeps the number that all of them have.
    #[inline(always)]
    pub(super) fn flow(self, flow: u64) -> u64 {
        if flow & MESSAGE_FLOW == 0 { self.flows.number(flow) } else { flow }
    }

    #[inline(always)]
    fn number(self, kind: Kind, index: u64) -> u64 {
        self.identity.number(kind as u32, index)
    }
}
