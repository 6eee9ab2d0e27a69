//! Which process and thread a track is to the viewer.
//!
//! | process | its threads |
//! |---|---|
//! | the real pid | OS threads by their kernel id; the counters |
//! | pid + 1·2²² | rows of parallel regions |
//! | pid + 2·2²² | logical threads of logical threads |
//! | pid + 3·2²² | locks |
//! | pid + 4·2²² | which core each OS thread has |
//! | pid + 5·2²² | what each OS thread does, in one word |
//!
//! Linux gives no pid from 2²² on, so a made-up number meets no real process, also when the traces of
//! several processes are put into one file. Within a made-up process threads are numbered from 1: to
//! Perfetto thread 0 is the idle task.

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
}

impl Group {
    /// The process that stands for it.
    pub(crate) fn pid(self, pid: u64) -> u64 {
        pid + ((self as u64) << 22)
    }

    /// Where it stands on the screen: what threads do is above what they do it in.
    pub(crate) fn rank(self) -> u64 {
        match self {
            Group::States => 0,
            other => other as u64 + 1,
        }
    }

    /// What follows the program's name.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Group::Process => "",
            Group::Regions => ": parallel regions",
            Group::LogicalThreads => ": team lanes",
            Group::Locks => ": locks",
            Group::Cores => ": cores",
            Group::States => ": states",
        }
    }
}

/// A kernel id that Linux does not give, for a thread whose own is unknown or was used before.
pub(crate) fn made_up_thread(number: u32) -> u64 {
    (1 << 30) + u64::from(number)
}

/// A track, as the piece of a line between its phase and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Track {
    pub(crate) pid: u64,
    pub(crate) tid: u64,
    text: Box<[u8]>,
}

impl Track {
    pub(crate) fn new(pid: u64, tid: u64) -> Self {
        let text = format!("\"pid\":{pid},\"tid\":{tid},\"ts\":").into_bytes().into();
        Track { pid, tid, text }
    }

    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }
}
