//! What a format makes of tracks and of the events on them.

use crate::counts::Counts;
use ompttrace_model::{
    Core, Counter, Definitions, Instant, Lane, LaneRef, LockRef, Mark, RegionRow, RunInfo, Slice,
    ThreadRef,
};

/// A track that belongs to no OS thread. It is described when its first event comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// Of the regions of a level, or of those of them that overlap others.
    Level(RegionRow),
    /// Of a logical thread. Where it stands among the others is known at the end only: [`Format::place`].
    LogicalThread(LaneRef),
    /// Of a lock.
    Lock(LockRef),
}

/// Whose name an annotation bears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// The OS thread that serves a logical thread or holds a lock.
    Thread,
    /// The logical thread that an OS thread serves.
    LogicalThread,
}

impl Partner {
    /// The annotation's name.
    pub const fn key(self) -> &'static str {
        match self {
            Partner::Thread => "thread",
            Partner::LogicalThread => "lane",
        }
    }
}

/// A format that has tracks. What `begin` and `instant` write besides their event's name are the details that
/// `take_slice`, `take_instant` and `set_partner` collected: the same event may stand on two tracks.
pub trait Format {
    /// A track, as its events name it.
    type Track: std::fmt::Debug;
    /// A text that is known to be an annotation's value.
    type Text: std::fmt::Debug;
    /// What [`Format::finish`] gives back.
    type Output;
    /// What may go wrong.
    type Error: std::error::Error;

    /// Describes the process. Nothing was written before.
    fn start(&mut self, run: &RunInfo<'_>);

    /// Takes in what was defined since the last call.
    fn define(&mut self, definitions: &Definitions);

    /// Keeps a text that many events will have as an annotation.
    fn text(&mut self, text: &str) -> Self::Text;

    /// Makes the track of an OS thread, and describes it if it will be `shown`.
    fn thread(&mut self, run: &RunInfo<'_>, at: ThreadRef, name: &str, shown: bool) -> Self::Track;

    /// Makes and describes another track; `rank` is where it stands among those of its family.
    fn shared(&mut self, of: Shared, name: &str, rank: Option<u32>) -> Self::Track;

    /// Makes and describes the track of a counter.
    fn counter(&mut self, counter: Counter) -> Self::Track;

    /// Says at the end where the track of a logical thread stands.
    fn place(&mut self, thread: &Lane, track: &Self::Track, rank: u32);

    /// Takes the details of a slice, and forgets those of the last event.
    fn take_slice(&mut self, slice: &Slice<'_>);

    /// Takes the details of an instant, and forgets those of the last event.
    fn take_instant(&mut self, instant: &Instant<'_>);

    /// The event under way is of this partner as well, on this track; the last one named is forgotten.
    fn set_partner(&mut self, partner: Option<(Partner, &Self::Text)>);

    /// The event under way is of this partner as well, besides those named before.
    fn add_partner(&mut self, partner: Partner, text: &Self::Text);

    /// A slice begins on a track. `flows`: they are drawn here, and not on another track that shows the slice.
    fn begin(&mut self, track: &mut Self::Track, at: u64, slice: &Slice<'_>, flows: bool);

    /// The innermost slice of a track ends.
    fn end(&mut self, track: &mut Self::Track, at: u64, mark: Mark);

    /// Something happens on a track; `flows` as for [`Format::begin`].
    fn instant(&mut self, track: &mut Self::Track, at: u64, instant: &Instant<'_>, flows: bool);

    /// A counter has a value.
    fn value(&mut self, track: &mut Self::Track, at: u64, counter: Counter, value: i64);

    /// A thread gets a core or loses it.
    fn core(&mut self, at: u64, thread: ThreadRef, core: Core);

    /// Says something of the whole process that was lost.
    fn remark_loss(&mut self, at: u64, text: &str);

    /// The trace is complete; `drawn` is what it shows.
    fn finish(self, drawn: Counts) -> Result<Self::Output, Self::Error>;
}
