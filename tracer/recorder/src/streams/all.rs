//! All streams of a recording, as the recorder calls them.

use crate::blocks::block::Block;
use crate::host::filters::Filters;
use crate::host::sync::Ordering;
use crate::registry::recorder::{self, FurtherStreams, Recorder};
use crate::slots::chunk::{empty_full_slot, report_wait};
use crate::streams::cores::{self, CoresSummary, Counts};
use crate::streams::counters::{self, Counters, CountersSummary};
use crate::streams::of_thread::of;
use crate::streams::samples::{self, Samples, SamplesSummary};
use ompttrace_recording::EventCode;
use ompttrace_recording::settings::{CoresMode, CounterKind, Sampling};
use std::any::Any;

/// The streams of one recording.
pub(crate) struct AllStreams {
    cores: Counts,
    counters: Counters,
    /// The signal's handler knows them, too: they stay, as the recorder does.
    samples: &'static Samples,
}

impl AllStreams {
    /// Prepares the streams for these settings.
    pub(crate) fn new(
        mode: CoresMode,
        sampling: Option<Sampling>,
        counted: &[&'static CounterKind],
    ) -> AllStreams {
        AllStreams {
            cores: cores::begin_all(mode),
            samples: Box::leak(Box::new(Samples::new(sampling))),
            counters: counters::begin_all(counted),
        }
    }

    /// The streams of a recorder.
    fn of(recorder: &Recorder) -> Option<&AllStreams> {
        let streams: &dyn Any = &*recorder.streams;
        streams.downcast_ref()
    }

    /// Lets those look that want to.
    #[inline(never)]
    fn look_one_by_one(
        &self,
        recorder: &Recorder,
        block: &'static Block,
        event: Option<EventCode>,
        now: u64,
    ) {
        let own = of(block);
        if let Some(code) = event.filter(|_| own.counters.are_on()) {
            counters::look(&self.counters, self.filters(), block, code);
        }
        if own.cores.may_look() {
            look_behind(recorder, block, || cores::look(recorder, &self.cores, block, now));
        }
        if let Some(code) = event.filter(|_| own.samples.may_look()) {
            let samples = (self.samples, self.filters());
            look_behind(recorder, block, || samples::look(recorder, samples, block, code, now));
        }
        set_reach(block);
    }

    /// Filters that the program added: then nothing is opened any more.
    fn filters(&self) -> &Filters {
        &self.cores.filters
    }
}

impl FurtherStreams for AllStreams {
    fn reset(&self, block: &Block) {
        let own = of(block);
        own.cores.reset(self.cores.mode == CoresMode::Off);
        own.counters.reset(!self.counters.are_none());
        if own.samples.reset(self.samples.sampling().is_some()) {
            self.samples.forget();
        }
        set_reach(block);
    }

    fn look(&self, recorder: &Recorder, block: &'static Block, event: Option<EventCode>, now: u64) {
        let own = of(block);
        if own.counters.are_on() || own.cores.may_look() || own.samples.may_look() {
            self.look_one_by_one(recorder, block, event, now);
        }
    }

    fn flush(&self, recorder: &Recorder, block: &Block) {
        cores::flush(recorder, &self.cores, block);
        samples::flush(recorder, self.samples, block);
    }

    fn finish(&self, recorder: &Recorder, block: &Block) {
        cores::finish(recorder, &self.cores, block);
        samples::finish(recorder, self.samples, block);
        counters::finish(&self.counters, block);
    }
}

/// Sets when they look again: with counters at the very next event.
fn set_reach(block: &Block) {
    let own = of(block);
    let most = own.cores.reach().min(own.samples.reach());
    let reach = if own.counters.are_on() { 0 } else { most };
    block.private.reach.store(reach.try_into().unwrap_or(u32::MAX), Ordering::Relaxed);
}

/// Lets a stream look that writes, if handlers still find room: what they record meanwhile must leave them the reserve for when
/// the slot is full; otherwise next time.
#[cold]
#[inline(never)]
fn look_behind(recorder: &Recorder, block: &Block, look: impl FnOnce()) {
    if block.has_room_for_handlers(block.control.cursor().load(Ordering::Relaxed)) {
        look();
        empty_full_slot(recorder, block);
        report_wait();
    }
}

/// Ends samples by wall time. Returns when the wait for threads that had just been woken began, if there was one.
pub(crate) fn end_wall(recorder: &Recorder) -> Option<u64> {
    samples::end_wall(recorder, AllStreams::of(recorder)?.samples)
}

fn own() -> Option<(&'static Recorder, &'static AllStreams)> {
    let recorder = recorder::own()?;
    Some((recorder, AllStreams::of(recorder)?))
}

/// The way in which this process records which threads have a core, so far.
pub fn cores_summary() -> Option<CoresSummary> {
    Some(own()?.1.cores.summary())
}

/// The counters of this process's recording, so far.
pub fn counters_summary() -> Option<CountersSummary> {
    Some(own()?.1.counters.summary())
}

/// The sampling of this process's recording, so far.
pub fn samples_summary() -> Option<SamplesSummary> {
    let (recorder, streams) = own()?;
    Some(streams.samples.summary(recorder.all_blocks()))
}
