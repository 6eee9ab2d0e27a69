//! Slices on tracks of the process: phases, parallel regions by level, and owners of locks.

use super::TrackSink;
use super::take::take;
use crate::format::{Format, Partner, Partners};
use crate::titles::Titles;
use ompttrace_model::{Definitions, Executor, LockRef, Mark, RegionTrack, Slice, ThreadRef};

impl<F: Format> TrackSink<F> {
    /// A region is also on the track of its level; its flows are on its thread's track.
    #[inline(never)]
    pub(super) fn region_begin(
        &mut self,
        definitions: &Definitions,
        at: u64,
        region_track: RegionTrack,
        slice: &Slice<'_>,
    ) {
        let TrackSink { tracks, titles, format, .. } = self;
        let track = tracks.level(format, region_track);
        begin(track, (format, titles), definitions, (at, slice));
        self.drawn.region_slices += 1;
    }

    /// The region on a level's track ends.
    #[inline(never)]
    pub(super) fn region_end(&mut self, at: u64, region_track: RegionTrack, mark: Mark) {
        let track = self.tracks.level(&mut self.format, region_track);
        self.format.end(track, at, mark);
    }

    /// A phase begins on the track of its thread's phases.
    #[inline(never)]
    pub(super) fn phase_begin(
        &mut self,
        definitions: &Definitions,
        at: u64,
        thread: ThreadRef,
        slice: &Slice<'_>,
    ) {
        let TrackSink { tracks, titles, format, .. } = self;
        let track = tracks.phases(format, thread);
        begin(track, (format, titles), definitions, (at, slice));
        self.drawn.phase_slices += 1;
    }

    /// The innermost phase of a thread ends.
    #[inline(never)]
    pub(super) fn phase_end(&mut self, at: u64, thread: ThreadRef, mark: Mark) {
        let track = self.tracks.phases(&mut self.format, thread);
        self.format.end(track, at, mark);
    }

    /// A lock's track shows its owner.
    #[inline(never)]
    pub(super) fn hold_begin(
        &mut self,
        definitions: &Definitions,
        at: u64,
        lock: LockRef,
        executor: &Executor,
        slice: &Slice<'_>,
    ) {
        let TrackSink { tracks, titles, format, .. } = self;
        let Executor { thread, logical_thread } = *executor;
        let partners = Partners { thread: Some(thread), logical_thread };
        let Some(track) = tracks.lock(format, definitions, lock) else { return };
        self.drawn.hold_slices += 1;
        if format.begin_like(track, at, slice, partners, true) {
            return;
        }
        let slice = take(titles, format, definitions, slice);
        if let Some(name) = tracks.thread_name(thread) {
            format.add_partner(Partner::Thread, name);
        }
        if let Some(name) = logical_thread.and_then(|of| tracks.logical_thread_name(of)) {
            format.add_partner(Partner::LogicalThread, name);
        }
        let Some(track) = tracks.lock(format, definitions, lock) else { return };
        format.begin(track, at, slice, true);
    }

    /// The owner of a lock gives it back.
    #[inline(never)]
    pub(super) fn hold_end(
        &mut self,
        definitions: &Definitions,
        at: u64,
        lock: LockRef,
        mark: Mark,
    ) {
        let Some(track) = self.tracks.lock(&mut self.format, definitions, lock) else { return };
        self.format.end(track, at, mark);
    }
}

/// Begins a slice without partners.
fn begin<F: Format>(
    track: &mut F::Track,
    (format, titles): (&mut F, &mut Titles),
    definitions: &Definitions,
    (at, slice): (u64, &Slice<'_>),
) {
    if !format.begin_like(track, at, slice, Partners::default(), false) {
        let slice = take(titles, format, definitions, slice);
        format.begin(track, at, slice, false);
    }
}
