//! Process and thread numbers of the tracks, as viewers see them.
//!
//! | process | its threads |
//! |---|---|
//! | the real pid | OS threads by their kernel id; the counters |
//! | pid + 1·2²² | tracks of parallel regions |
//! | pid + 2·2²² | logical threads, each by its path |
//! | pid + 3·2²² | locks |
//! | pid + 4·2²² | the core that each OS thread has |
//! | pid + 5·2²² | the activity of each OS thread, in one word |
//!
//! Linux assigns no pid from 2²² on, so an artificial number is never that of a real process, also if the traces of
//! several processes are combined in one file. Within an artificial process threads are numbered from 1: to Perfetto
//! thread 0 is the idle task. No number depends on what was drawn before: windows of a run are drawn several at a
//! time.

use std::sync::Arc;

use crate::texts::quoted;

/// A family of tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Group {
    Process,
    Regions,
    LogicalThreads,
    Locks,
    Cores,
    States,
    Phases,
}

impl Group {
    /// Number of groups.
    pub(crate) const COUNT: usize = Group::Phases as usize + 1;

    /// Number of the process that represents the group; `pid` is that of the real process.
    pub(crate) fn pid(self, pid: u64) -> u64 {
        pid + ((self as u64) << 22)
    }

    /// Position of the group on the screen: phases at the head, a thread's state above its constructs.
    pub(crate) fn rank(self) -> u64 {
        match self {
            Group::Phases => 0,
            Group::States => 1,
            other => other as u64 + 2,
        }
    }

    /// Text that follows the program's name in the name of the group's process.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Group::Process => "",
            Group::Regions => ": parallel regions",
            Group::LogicalThreads => ": logical threads",
            Group::Locks => ": locks",
            Group::Cores => ": cores",
            Group::States => ": states",
            Group::Phases => ": phases",
        }
    }
}

/// A kernel id that Linux does not assign, for a thread whose own is unknown or was used before.
pub(crate) fn made_up_thread(number: u32) -> u64 {
    (1 << 30) + u64::from(number)
}

/// A track, as the part of a line between its phase and its time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Track(Arc<[u8]>);

const BEFORE_TIME: &str = ",\"ts\":";

impl Track {
    pub(crate) fn new(pid: u64, tid: u64) -> Self {
        Track::of(pid, &tid.to_string())
    }

    /// A thread with a text instead of its number, which readers accept as well.
    pub(crate) fn of_path(pid: u64, path: &str) -> Self {
        Track::of(pid, &String::from_utf8_lossy(&quoted(path)))
    }

    fn of(pid: u64, tid: &str) -> Self {
        Track(format!("\"pid\":{pid},\"tid\":{tid}{BEFORE_TIME}").into_bytes().into())
    }

    /// The text of the track for a line that has no time.
    pub(crate) fn timeless(&self) -> &[u8] {
        self.0.strip_suffix(BEFORE_TIME.as_bytes()).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        &self.0
    }
}

/// A track that must be named.
#[derive(Debug)]
pub(crate) struct NewTrack {
    pub(crate) group: Group,
    pub(crate) track: Track,
    pub(crate) name: String,
    pub(crate) rank: Option<u32>,
}
