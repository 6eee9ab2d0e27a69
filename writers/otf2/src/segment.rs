//! What the threads that interpret pass to the one that assembles an archive.
//!
//! A session interprets a window of the run, or all of it, and knows nothing of other sessions: its strings, regions,
//! locations, teams, tasks and locks have numbers of its own. It produces segments: events by location, the definitions
//! that are new, and changes of teams, tasks and locks. `join/` maps a session's numbers to the archive's, and `archive/`
//! writes the events with these.

use ompttrace_model::ompt::Mutex;
use ompttrace_model::{Communicator, LockRef, ThreadRef};
use ompttrace_recording::Id;

use crate::archive::{CallingContext, Region};
use crate::archive_state::{MetricMember, Tenants};
use crate::batch::Batch;
use crate::ids::{StringId, TeamSlot, TrackRef};
use crate::op::TaskName;

/// What one session did between two points in time.
#[derive(Debug, Default)]
pub struct Segment {
    /// What was defined since the last one.
    pub(crate) new: NewDefinitions,
    pub(crate) views: Vec<ViewSegment>,
    /// Whether the session ends with it.
    pub(crate) ends: bool,
    /// Whether it has an event for lost records.
    pub(crate) reports_loss: bool,
    /// Nanoseconds from one sample of a thread to the next, where there are any.
    pub(crate) sampled_every: Option<u64>,
}

/// Definitions that both views share, each from the number on at which the last segment stopped.
#[derive(Debug, Default)]
pub(crate) struct NewDefinitions {
    pub strings: Vec<Box<str>>,
    pub regions: Vec<NewRegion>,
    /// Regions and how many events named them since the last segment.
    pub uses: Vec<(u32, u32)>,
    /// Name and OTF2_Type.
    pub attributes: Vec<(StringId, u8)>,
    /// Files and lines of calling contexts.
    pub lines: Vec<(StringId, u32)>,
    pub contexts: Vec<CallingContext>,
    pub locks: Vec<(Mutex, u64)>,
    /// Numbers that the program gives devices.
    pub devices: Vec<i64>,
    /// Of MPI: each session knows all from the run's begin on, and so numbers them as the others do.
    pub communicators: Vec<Communicator>,
}

/// A region of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRegion {
    pub region: Region,
    /// Whether others that the timeline calls differently are the same region.
    pub is_part: bool,
}

/// What happened in one view.
#[derive(Debug, Default)]
pub(crate) struct ViewSegment {
    /// By location.
    pub tracks: Vec<Vec<Batch>>,
    /// Paths of the locations that are new, where these are logical threads.
    pub paths: Vec<String>,
    pub counters: Vec<Vec<Batch>>,
    /// Metrics of locations, by number.
    pub metrics: Vec<(MetricMember, TrackRef, Vec<Batch>)>,
    /// In time order.
    pub teams: Vec<TeamChange>,
    /// Tasks that were made before the session, and that it met since the last segment.
    pub earlier: Vec<EarlierTask>,
    /// Indices among all these of those that are complete.
    pub over: Vec<u32>,
    pub markers: Vec<Marker>,
    /// With the first segment: locks that were acquired before the session.
    pub held: Vec<LockState>,
    /// With the last one.
    pub end: Option<ViewEnd>,
    /// The OS threads of each location, in the view that has these.
    pub tenants: Vec<Tenants>,
    /// Whether an initial task of a root began.
    pub begins_root: bool,
}

/// A change of a team. When a slot is given to another team, no event of the segment names the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TeamChange {
    /// A region forks, or did so before the session; its number may be none.
    Fork { slot: TeamSlot, region: Id, parent: TeamSlot, is_before: bool },
    /// One location is a team of its own.
    Alone { slot: TeamSlot, track: TrackRef },
    /// A thread begins in it; the size may be 0, which is unknown.
    TeamThread { slot: TeamSlot, thread_num: u32, size: u32, track: TrackRef },
    /// The region is over; the thread that forked it.
    Join { slot: TeamSlot, primary: TrackRef },
}

/// A task that was made before the session, and where it was met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlierTask {
    pub task: Id,
    /// What it is attributed to, as no creator was recorded.
    pub team: TeamSlot,
    pub track: TrackRef,
    /// Whether all that the session says of it is that it is over: if no earlier one made it, it does not exist.
    pub is_over: bool,
}

/// What a user of a trace must not overlook.
#[derive(Debug)]
pub(crate) struct Marker {
    pub at: u64,
    pub marker: u32,
    pub track: TrackRef,
    pub text: String,
}

/// How often a lock was acquired in a session, and which threads have it with which number.
#[derive(Clone, Debug)]
pub(crate) struct LockState {
    pub lock: LockRef,
    pub acquired: u32,
    pub holders: Vec<(ThreadRef, u32)>,
}

/// What the sessions behind have to know.
#[derive(Debug, Default)]
pub(crate) struct ViewEnd {
    /// Tasks that are not over.
    pub alive: Vec<(Id, TaskName)>,
    /// How many tasks each location has made.
    pub made: Vec<u32>,
    pub locks: Vec<LockState>,
}
