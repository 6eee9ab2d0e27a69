//! Segments of an archive, which threads that interpret pass to the one that assembles it.
//!
//! A session interprets a window of the run, or all of it, and knows nothing of other sessions: its strings, regions,
//! locations, teams, tasks and locks have numbers of its own. It produces segments: events by location, the definitions
//! that are new, and changes of teams, tasks and locks. `join/` maps a session's numbers to the archive's, and `archive/`
//! writes the events with these.

use ompttrace_model::ompt::Mutex;
use ompttrace_model::{Communicator, LockRef, MpiObject, ThreadRef};
use ompttrace_recording::Id;

use crate::archive::{CallingContext, Region};
use crate::archive_state::{MetricMember, Tenants};
use crate::batch::Batch;
use crate::ids::{ObjectId, StringId, TeamSlot, TrackRef};
use crate::op::{Attribute, TaskName};

/// Events and definitions of one session between two points in time.
#[derive(Debug, Default)]
pub struct Segment {
    /// Definitions since the last segment.
    pub(crate) new: NewDefinitions,
    pub(crate) views: Vec<ViewSegment>,
    /// True for the last segment of the session.
    pub(crate) ends: bool,
    /// True if the session has an event for lost records.
    pub(crate) reports_loss: bool,
    /// Period of the samples of a thread, in nanoseconds, if there are samples.
    pub(crate) sampled_every: Option<u64>,
}

/// Definitions that both views share, each from the number on at which the last segment stopped.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewDefinitions {
    pub strings: Vec<Box<str>>,
    pub regions: Vec<NewRegion>,
    /// Regions and how many events named them since the last segment.
    pub uses: Vec<(u32, u32)>,
    /// Name and OTF2_Type of each attribute.
    pub attributes: Vec<(StringId, u8)>,
    /// Files and lines of calling contexts.
    pub lines: Vec<(StringId, u32)>,
    pub contexts: Vec<CallingContext>,
    /// Attributes that many events have.
    pub lists: Vec<Vec<Attribute>>,
    pub locks: Vec<(Mutex, u64)>,
    /// Numbers that the program gives devices.
    pub devices: Vec<i64>,
    /// Communicators of MPI: each session knows all from the run's begin on, and so numbers them as the others do.
    pub communicators: Vec<Communicator>,
    /// Windows and files of MPI, as the communicators.
    pub objects: Vec<MpiObject>,
    /// Those of them that the session's events have made.
    pub made: Vec<ObjectId>,
}

/// A region of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRegion {
    pub region: Region,
    /// True if the region is one for several things that have names of their own in the timeline.
    pub is_part: bool,
}

/// Events and changes of one view.
#[derive(Debug, Default)]
pub(crate) struct ViewSegment {
    /// Events by location.
    pub tracks: Vec<Vec<Batch>>,
    /// Paths of the locations that are new, where these are logical threads.
    pub paths: Vec<String>,
    pub counters: Vec<Vec<Batch>>,
    /// Metrics of locations, by number.
    pub metrics: Vec<(MetricMember, TrackRef, Vec<Batch>)>,
    /// Changes of teams, in time order.
    pub teams: Vec<TeamChange>,
    /// Tasks that were created before the session and occurred since the last segment.
    pub earlier: Vec<EarlierTask>,
    /// Indices of tasks that are complete, among all of the session's that were created before it.
    pub over: Vec<u32>,
    pub markers: Vec<Marker>,
    /// Locks that were acquired before the session, with its first segment.
    pub held: Vec<LockState>,
    /// State at the end of the session, with its last segment.
    pub end: Option<ViewEnd>,
    /// The OS threads of each location, in the view that has these.
    pub tenants: Vec<Tenants>,
    /// True if the initial task of a root began in the session.
    pub begins_root: bool,
}

/// A change of a team. When a slot is given to another team, no event of the segment names the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TeamChange {
    /// A region forks, or did so before the session; its number may be none.
    Fork { slot: TeamSlot, region: Id, parent: TeamSlot, is_before: bool },
    /// One location is a team of its own.
    Alone { slot: TeamSlot, track: TrackRef },
    /// A thread begins in the team; the size is 0 if it is unknown.
    TeamThread { slot: TeamSlot, thread_num: u32, size: u32, track: TrackRef },
    /// The region is over; `primary` is the location that forked it.
    Join { slot: TeamSlot, primary: TrackRef },
}

/// A task that was created before the session, at its first occurrence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlierTask {
    pub task: Id,
    /// Team to which the task is attributed, as its creator was not recorded; below, the location.
    pub team: TeamSlot,
    pub track: TrackRef,
    /// True if the session has only the end of the task: if no earlier session created it, it does not exist.
    pub is_over: bool,
}

/// A marker for an event that a user of a trace must not overlook.
#[derive(Debug)]
pub(crate) struct Marker {
    pub at: u64,
    pub marker: u32,
    pub track: TrackRef,
    pub text: String,
}

/// Number of acquisitions of a lock in a session, and the threads that hold it, each with the number of its
/// acquisition.
#[derive(Clone, Debug)]
pub(crate) struct LockState {
    pub lock: LockRef,
    pub acquired: u32,
    pub holders: Vec<(ThreadRef, u32)>,
}

/// State at the end of a session, for the sessions that follow.
#[derive(Debug, Default)]
pub(crate) struct ViewEnd {
    /// Tasks that were created in the session and are not over.
    pub alive: Vec<(Id, TaskName)>,
    /// Number of tasks that each location has created in the session.
    pub made: Vec<u32>,
    pub locks: Vec<LockState>,
}
