//! The trait of formats that have tracks with events on them.

use crate::activities::Activities;
use crate::counts::Counts;
use crate::first_look::FirstLook;
use crate::overview::Summary;
use ompttrace_model::{
    Activity, Core, Counter, Definitions, Instant, LockRef, LogicalThread, LogicalThreadRef, Mark,
    NameRef, RegionTrack, RunInfo, Sample, Slice, SliceKind, ThreadRef,
};

/// A track that belongs to no OS thread. It is described when its first event comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// The track of the regions of a level, or of those of them that overlap others.
    Level(RegionTrack),
    /// The track of a logical thread. Its position among the others is known only at the end: [`Format::set_rank`].
    LogicalThread(LogicalThreadRef),
    /// The track of a lock.
    Lock(LockRef),
    /// The track of the phases that a thread marks.
    Phases(ThreadRef),
}

/// The thread that an annotation names.
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
            Partner::LogicalThread => "logical thread",
        }
    }
}

/// The partners that an event names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Partners {
    /// See [`Partner::Thread`].
    pub thread: Option<ThreadRef>,
    /// See [`Partner::LogicalThread`].
    pub logical_thread: Option<LogicalThreadRef>,
}

/// A slice or an instant with its title, which is shown instead of its name.
#[derive(Clone, Copy, Debug)]
pub struct Titled<T> {
    /// Number of the title that is shown: titles count from 0, in the order in which [`Format::title`] got them.
    pub title: NameRef,
    /// The slice or the instant itself.
    pub event: T,
}

/// A format that has tracks. Slices and instants are named by titles ([`Format::title`]) instead of the
/// definitions' strings. What `begin` and `instant` write besides their event's name are the details that
/// `take_slice`, `take_instant` and `set_partner` collected: the same event may be on two tracks.
pub trait Format {
    /// A track, as its events name it.
    type Track: std::fmt::Debug;
    /// A text that is known to be an annotation's value.
    type Text: std::fmt::Debug;
    /// The result of [`Format::finish`].
    type Output: Send + 'static;
    /// The errors of writing the format.
    type Error: std::error::Error + Send + 'static;

    /// Describes the process. Nothing was written before.
    fn start(&mut self, run: &RunInfo<'_>);

    /// Draws what is to be seen first, after `start`. Formats without root tracks leave it out.
    fn first_look(&mut self, _: &FirstLook) {}

    /// Takes in what was defined since the last call.
    fn define(&mut self, definitions: &Definitions);

    /// Keeps the next title; titles are numbered from 0.
    fn title(&mut self, title: &str);

    /// Keeps a text that many events will have as an annotation.
    fn text(&mut self, text: &str) -> Self::Text;

    /// Makes the track of an OS thread, and describes it if it will be `shown`.
    fn thread(&mut self, run: &RunInfo<'_>, at: ThreadRef, name: &str, shown: bool) -> Self::Track;

    /// Makes and describes the track for the state of the OS thread of this name, above the thread's own track.
    fn activities(&mut self, of: ThreadRef, name: &str) -> Self::Track;

    /// Makes and describes another track; `rank` is its position in its family.
    fn shared(&mut self, of: Shared, name: &str, rank: Option<u32>) -> Self::Track;

    /// Makes and describes the track of a counter.
    fn counter(&mut self, counter: Counter) -> Self::Track;

    /// Sets at the end the position of a logical thread's track.
    fn set_rank(&mut self, thread: &LogicalThread, track: &Self::Track, rank: u32);

    /// Takes the details of a slice, and forgets those of the last event.
    fn take_slice(&mut self, slice: &Slice<'_>);

    /// Takes the details of an instant, and forgets those of the last event.
    fn take_instant(&mut self, instant: &Instant<'_>);

    /// Sets the partner of the current event on this track, instead of the last one that was set.
    fn set_partner(&mut self, partner: Option<(Partner, &Self::Text)>);

    /// Adds a partner of the current event to those that were set before.
    fn add_partner(&mut self, partner: Partner, text: &Self::Text);

    /// A slice begins on a track that looks like one that began there before. `false`: none did as far as is known, nothing is written,
    /// and [`Format::begin`] comes next. `flows` as there.
    #[inline(always)]
    fn begin_like(
        &mut self,
        _track: &mut Self::Track,
        _at: u64,
        _slice: &Slice<'_>,
        _partners: Partners,
        _flows: bool,
    ) -> bool {
        false
    }

    /// A slice begins on a track. `flows`: they are drawn here, and not on another track that shows the slice.
    fn begin(&mut self, track: &mut Self::Track, at: u64, slice: Titled<&Slice<'_>>, flows: bool);

    /// The innermost slice of a track ends.
    fn end(&mut self, track: &mut Self::Track, at: u64, mark: Mark);

    /// Something happens on a track that looks like what happened there before: as [`Format::begin_like`], and [`Format::instant`] is what
    /// may come next.
    #[inline(always)]
    fn instant_like(
        &mut self,
        _track: &mut Self::Track,
        _at: u64,
        _instant: &Instant<'_>,
        _flows: bool,
    ) -> bool {
        false
    }

    /// Something happens on a track; `flows` as for [`Format::begin`].
    fn instant(
        &mut self,
        track: &mut Self::Track,
        at: u64,
        instant: Titled<&Instant<'_>>,
        flows: bool,
    );

    /// True if the format has to know the slices that are open where a window of the run begins: [`Format::open`].
    const FOLLOWS_OPEN: bool = false;

    /// Before the window begins, a slice of this kind began on a track and was drawn there; `None`: the innermost one
    /// ended.
    fn open(&mut self, _track: &mut Self::Track, _begun: Option<SliceKind>) {}

    /// A window of the run ends: what is open continues in the next one, which knows no more than that.
    fn end_window(&mut self) {}

    /// Slices and instants of a track that are drawn as one slice, in an [`Overview`](crate::Overview).
    fn summary(&mut self, track: &mut Self::Track, summary: &Summary<'_>);

    /// A part of a thread's time, with its activities.
    fn activity(&mut self, track: &mut Self::Track, part: &Activities);

    /// A part of a thread's time with one activity, with its begin and end: as [`Format::activity`] draws it.
    #[inline(always)]
    fn one_activity(
        &mut self,
        track: &mut Self::Track,
        activity: Activity,
        (from, to): (u64, u64),
    ) {
        self.activity(track, &Activities::one(activity, from, to));
    }

    /// A counter has a value.
    fn value(&mut self, track: &mut Self::Track, at: u64, counter: Counter, value: i64);

    /// A counter has this value in the mean, up to its next value.
    fn mean(&mut self, track: &mut Self::Track, at: u64, counter: Counter, value: f64);

    /// A thread gets a core or loses it.
    fn core(&mut self, at: u64, thread: ThreadRef, core: Core);

    /// A sample of a thread. Formats without samples leave it out.
    fn sample(&mut self, _: &Definitions, _at: u64, _: ThreadRef, _: &Sample) {}

    /// Writes a remark about something of the whole process that was lost.
    fn remark_loss(&mut self, at: u64, text: &str);

    /// Bytes of the trace so far, before any compression.
    fn bytes(&self) -> u64;

    /// Ends the trace; `drawn` are the numbers of its events.
    fn finish(self, drawn: Counts) -> Result<Self::Output, Self::Error>;
}
