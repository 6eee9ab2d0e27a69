//! Slices: which construct the time in each belongs to.

use super::ReportSink;
use super::instants::number_of;
use super::paths::link;
use crate::construct_table::ConstructRef;
use crate::model::Class;
use crate::thread::{LastWork, OpenSlice, TaskFrame, Thread};
use crate::what_if::{Chunk, Share, keep_chunk};
use ompttrace_model::ompt::{SyncRegion, Work};
use ompttrace_model::{Arg, ArgKey, ArgValue, LockEvent, Slice, SliceKind, ThreadRef};
use std::num::NonZero;

impl ReportSink {
    /// A slice begins.
    pub(super) fn open(&mut self, t: ThreadRef, at: u64, slice: &Slice<'_>) {
        if !matches!(slice.kind, SliceKind::Task | SliceKind::Wait(_)) {
            self.tasks.clear_last_created(t);
        }
        let (construct, waits) = self.construct_of(t, slice);
        let (begin, counts) = (self.bounds.now, self.bounds.begins());
        let thread = self.thread(t);
        let mut frame = OpenSlice {
            kind: slice.kind,
            construct,
            waits,
            begin,
            source: slice.source,
            worked: thread.worked,
            ordinal: None,
            chunk_over: None,
            chunks_before: thread.chunks.len() as u32,
            asked: None,
            released: None,
            context: thread.context_of(slice.context),
        };
        if let SliceKind::Region { .. } = slice.kind {
            self.note_change();
            if self.thread(t).is_serial() {
                self.serial_section_ends(t, at, construct);
            }
            self.fork = Some((slice.task, self.chain(t, at), self.thread(t).progress()));
            self.sums.of(construct).static_loops_unreported |= is_of_gcc(slice);
        }
        match slice.kind {
            SliceKind::Work(work) if !slice.resumed => {
                let iterations = number_of(slice.args, ArgKey::Count).unwrap_or(0);
                frame.ordinal = self.work_begins(t, work, construct, iterations);
            }
            SliceKind::Dispatch(_) => self.chunk_begins(t, at, construct),
            SliceKind::Mpi(_) => {
                let source = self.construct_table.same(slice.source);
                self.mpi.begins((t, at), slice, source, counts);
            }
            SliceKind::DataOp(_) | SliceKind::Submit => {
                self.devices.operation_begins(slice, construct)
            }
            SliceKind::MutexWait(_) => frame.asked = self.thread(t).asked.take(),
            SliceKind::Sync(_) => {
                let own =
                    self.construct_table.get(waits).is_some_and(|named| named.class == Class::Sync);
                self.sums.of(waits).calls += u64::from(own && !slice.resumed && counts);
            }
            SliceKind::Task | SliceKind::Masked | SliceKind::Target(_) => {
                self.sums.of(construct).calls += u64::from(!slice.resumed && counts);
            }
            _ => {}
        }
        self.thread(t).stack.push(frame);
    }

    /// A chunk begins. If the previous one was over earlier, its end was reported.
    fn chunk_begins(&mut self, t: ThreadRef, at: u64, construct: ConstructRef) {
        let (counts, now) = (self.bounds.begins(), self.bounds.now);
        let around = self.thread(t).stack.last();
        let before = around.and_then(|around| around.chunk_over);
        let first = around.filter(|around| counts && around.chunk_over.is_none());
        let waited = first.map(|around| now.saturating_sub(around.begin));
        let numbers = self.sums.of(construct);
        if let Some(waited) = waited {
            numbers.first_chunks.add(waited);
        }
        numbers.chunks += u64::from(counts);
        numbers.chunks_end |= before.is_some_and(|over| over.get() < at);
    }

    /// The construct that the time in a slice is attributed to, and the one that waiting inside the slice is attributed to.
    fn construct_of(&mut self, t: ThreadRef, slice: &Slice<'_>) -> (ConstructRef, ConstructRef) {
        let thread = self.thread(t);
        let region = thread.region();
        let (around, waits) =
            thread.stack.last().map_or((region, region), |frame| (frame.construct, frame.waits));
        if let SliceKind::Wait(_) = slice.kind {
            return (waits, waits);
        }
        let (name, source) = (slice.name, slice.source);
        let mut own = |class| self.construct_table.construct(region, class, name, source);
        let construct = match slice.kind {
            SliceKind::Region { .. } => self.construct_table.region(name, source),
            SliceKind::ImplicitTask | SliceKind::InitialTask => region,
            SliceKind::Task => own(Class::Task),
            SliceKind::Work(_) => own(Class::Work),
            SliceKind::Masked => own(Class::Masked),
            SliceKind::Target(_) => own(Class::Target),
            SliceKind::Sync(SyncRegion::Taskgroup) => return (around, own(Class::Sync)),
            SliceKind::Sync(sync) if sync.is_barrier() => {
                let before = thread_before(&mut self.threads, t, self.bounds.now, sync);
                before.unwrap_or_else(|| own(Class::Sync))
            }
            SliceKind::Sync(_) => own(Class::Sync),
            _ => around,
        };
        (construct, construct)
    }

    /// A work-sharing construct begins: returns the number of its instance in the team, none outside of a team.
    fn work_begins(
        &mut self,
        t: ThreadRef,
        work: Work,
        construct: ConstructRef,
        iterations: u64,
    ) -> Option<u32> {
        let counts = self.bounds.begins();
        let thread = self.thread(t);
        // A taskloop is of one thread, not of the team.
        let alone = work == Work::Taskloop || !thread.task().is_none();
        let Some(task_frame) =
            thread.task_frames.last_mut().filter(|task_frame| !alone && task_frame.team_size > 1)
        else {
            let numbers = self.sums.of(construct);
            numbers.begins(counts, iterations);
            numbers.threads = numbers.threads.max(u64::from(counts));
            return None;
        };
        let (region, ordinal) = (task_frame.region, next_ordinal(task_frame, construct));
        let first = self.regions.work_begins(region, construct, ordinal);
        self.sums.of(construct).begins(first && counts, iterations);
        Some(ordinal)
    }

    /// The innermost slice of a thread ends.
    pub(super) fn close(&mut self, t: ThreadRef, at: u64) {
        let Some(frame) = self.thread(t).stack.pop() else { return };
        if self.stopped.is_some() {
            self.cut_off(t, &frame);
        }
        match frame.kind {
            SliceKind::Work(work) => self.work_ends(t, work, &frame),
            SliceKind::Region { .. } if self.thread(t).is_serial() => {
                self.note_change();
                self.serial_section_begins(t, at, frame.construct);
            }
            SliceKind::Dispatch(_) => {
                let thread = self.thread(t);
                let work = thread.worked - frame.worked;
                keep_chunk(&mut thread.chunks, Chunk { begin: frame.begin, work });
                if let Some(around) = thread.stack.last_mut() {
                    around.chunk_over = NonZero::new(at);
                }
            }
            SliceKind::Wait(sync) => self.wait_ends(t, at, sync, frame.construct),
            SliceKind::Mpi(_) => self.mpi.ends(t, at),
            SliceKind::MutexWait(_) => {
                if let Some(asked) = frame.asked {
                    self.locks.answered(at, asked);
                }
                self.thread(t).chain.extend(at, frame.construct, false);
                if let Some(released) = frame.released {
                    self.note_release(t, released);
                }
            }
            _ => {}
        }
    }

    fn work_ends(&mut self, t: ThreadRef, kind: Work, frame: &OpenSlice) {
        let Some(ordinal) = frame.ordinal else { return };
        let now = self.bounds.now;
        let thread = self.thread(t);
        let work = thread.worked - frame.worked;
        let Some(task_frame) = thread.task_frames.last_mut() else { return };
        let construct = frame.construct;
        task_frame.last_work =
            Some(LastWork { construct, elapsed: now.saturating_sub(frame.begin), ended: now });
        let (region, number, team) = (task_frame.region, task_frame.number, task_frame.team_size);
        let before = match kind.is_single() {
            true => task_frame.before.take(),
            false => task_frame.before.replace((construct, work)),
        };
        let mut chunks = std::mem::take(&mut thread.chunks);
        let kept = frame.chunks_before as usize;
        let own = chunks.get(kept..).unwrap_or_default();
        let share = Share { work, chunks: own, before };
        let whole = self.regions.work_ends(region, construct, ordinal, team, share);
        chunks.truncate(kept);
        let is_shared = is_handed_out(kind);
        let thread = self.thread(t);
        thread.chunks = chunks;
        if is_shared {
            thread.shared += work;
        }
        let barriers = thread.task_frames.last().map_or(0, |task_frame| task_frame.barriers);
        if let Some(instance) = whole.as_ref().filter(|_| is_shared)
            && let Some(phase) = self.regions.phase(region, barriers + 1)
        {
            let mean = instance.sum / instance.threads.max(1);
            phase.add_tail(instance.in_order().saturating_sub(mean));
        }
        let is_counted = self.bounds.ends();
        let numbers = self.sums.of(construct);
        if !kind.is_single() {
            numbers.add_thread_work(number, work);
        }
        // Of one that a border of the window cuts there is a part.
        if let Some(instance) = whole.filter(|instance| instance.sum > 0 || is_counted) {
            numbers.threads = numbers.threads.max(instance.threads);
            if !kind.is_single() {
                numbers.balance.add(&instance);
                numbers.what_if.add(&instance);
                if let Some((before, saved)) = instance.without_barrier() {
                    self.sums.of(before).what_if.add_nowait(construct, saved);
                }
            }
        }
    }

    /// A thread has a mutex.
    pub(super) fn acquired(&mut self, at: u64, t: ThreadRef, event: LockEvent) {
        let top = self.thread(t).stack.last_mut();
        let waiting = top.filter(|frame| matches!(frame.kind, SliceKind::MutexWait(_)));
        let (begin, asked) =
            waiting.map_or((None, None), |frame| (Some(frame.begin), frame.asked.take()));
        if let Some(asked) = asked {
            self.locks.answered(at, asked);
            let released = self.locks.released(asked);
            let Some(thread) = self.threads.get_mut(t as usize) else { return };
            let by = released.filter(|by| thread.chain.ends_with(by, at));
            if let (Some(by), Some(frame)) = (by, thread.stack.last_mut()) {
                frame.released = Some((by.thread, by.worked_in));
            }
            let link = by.map(|by| link(by, t, at));
            thread.chain.released(released, t, at, thread.now.construct);
            self.note_link(link);
        }
        let polled = self.locks.position(event.lock);
        let polled = self.thread(t).refusals.had(polled);
        self.locks.acquired(self.bounds.end(at), event.lock, polled.or(begin));
        if let Some(since) = polled.map(|since| self.bounded(since)) {
            for (hold, held) in self.locks.polled(at, event.lock, since) {
                self.charge_holder(at, hold.thread, hold.construct, held);
            }
        }
    }
}

/// Whose barrier this is: that of the work-sharing construct before it. A region's closing barrier
/// is a loop's as well, if hardly anything came between: shorter than the loop took.
fn thread_before(
    threads: &mut [Thread],
    t: ThreadRef,
    at: u64,
    sync: SyncRegion,
) -> Option<ConstructRef> {
    let task_frame = threads.get_mut(t as usize)?.task_frames.last_mut()?;
    let last = task_frame.last_work.take();
    // `barrier` in the program, or perhaps.
    if matches!(sync, SyncRegion::BarrierExplicit | SyncRegion::Barrier) {
        task_frame.before = None;
        return None;
    }
    let closes = sync == SyncRegion::BarrierImplicitWorkshare;
    let near = |last: &LastWork| closes || at.saturating_sub(last.ended) <= last.elapsed;
    Some(last.filter(near).map_or(task_frame.construct, |last| last.construct))
}

/// True if its parts go to the threads that are free.
fn is_handed_out(kind: Work) -> bool {
    matches!(kind, Work::LoopDynamic | Work::LoopGuided | Work::LoopOther | Work::Sections)
}

/// True if the program itself calls the outlined function of a region: with GCC's interface the runtime does not see
/// loops with a static schedule.
fn is_of_gcc(slice: &Slice<'_>) -> bool {
    let by_program =
        |arg: &Arg| arg.key == ArgKey::Invoker && arg.value == ArgValue::Word("program");
    slice.args.iter().any(by_program)
}

/// Number of the next instance of a construct in an implicit task, from 0.
fn next_ordinal(task_frame: &mut TaskFrame, construct: ConstructRef) -> u32 {
    match task_frame.ordinals.iter_mut().find(|(known, _)| *known == construct) {
        Some((_, ordinal)) => {
            *ordinal = ordinal.wrapping_add(1);
            *ordinal
        }
        None => {
            task_frame.ordinals.push((construct, 0));
            0
        }
    }
}
