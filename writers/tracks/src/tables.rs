//! The tracks of a trace, by the kind of things that they show.

use crate::format::{Format, Shared};
use crate::join::Used;
use crate::same::{Same, Seen};
use ompttrace_model::{
    Counter, Definitions, Executor, FastMap, LockRef, LogicalThread, LogicalThreadRef, Mark,
    RegionTrack, RunInfo, ThreadRef, thread_name,
};

/// A track and its name as an annotation's value.
#[derive(Debug)]
struct NamedTrack<F: Format, T> {
    name: F::Text,
    track: T,
}

/// A logical thread.
#[derive(Debug)]
struct DrawnThread<F: Format> {
    name: F::Text,
    track: Option<F::Track>,
    same: Same,
}

/// All tracks so far. Those that are `None` have no event yet.
#[derive(Debug)]
pub(crate) struct Tracks<F: Format> {
    threads: Vec<NamedTrack<F, F::Track>>,
    /// The tracks of threads' activities, with the threads' names.
    activities: Vec<(String, Option<F::Track>)>,
    logical_threads: Vec<DrawnThread<F>>,
    /// True if logical threads that are always on the same OS thread have tracks, too.
    draws_all: bool,
    levels: FastMap<RegionTrack, F::Track>,
    locks: Vec<Option<F::Track>>,
    phases: FastMap<ThreadRef, F::Track>,
    counters: [Option<F::Track>; Counter::OF_RUN],
    counters_of_threads: FastMap<Counter, F::Track>,
}

impl<F: Format> Default for Tracks<F> {
    fn default() -> Self {
        Tracks {
            threads: Vec::new(),
            activities: Vec::new(),
            logical_threads: Vec::new(),
            draws_all: true,
            levels: FastMap::default(),
            locks: Vec::new(),
            phases: FastMap::default(),
            counters: [const { None }; Counter::OF_RUN],
            counters_of_threads: FastMap::default(),
        }
    }
}

impl<F: Format> Tracks<F> {
    /// Logical threads have no tracks where that of an OS thread shows the same.
    pub(crate) fn leave_out_same(&mut self) {
        self.draws_all = false;
    }

    /// Makes the tracks of all OS threads, `shown` or not: others name them.
    pub(crate) fn start(&mut self, format: &mut F, run: &RunInfo<'_>, shown: bool) {
        self.threads = (run.threads.iter().zip(0..))
            .map(|(thread, at)| {
                let text = thread_name(run.facts, thread);
                let name = format.text(&text);
                NamedTrack { name, track: format.thread(run, at, &text, shown) }
            })
            .collect();
        let names = run.threads.iter().map(|thread| thread_name(run.facts, thread));
        self.activities = names.map(|name| (name, None)).collect();
    }

    /// The track of a thread's activities.
    pub(crate) fn activities(
        &mut self,
        format: &mut F,
        thread: ThreadRef,
    ) -> Option<&mut F::Track> {
        let (name, track) = self.activities.get_mut(thread as usize)?;
        Some(track.get_or_insert_with(|| format.activities(thread, name)))
    }

    /// Takes the definitions that were added since the last call.
    pub(crate) fn define(&mut self, format: &mut F, definitions: &Definitions) {
        let new = definitions.logical_threads().iter().skip(self.logical_threads.len());
        let same = if self.draws_all { Same::Drawn(0) } else { Same::default() };
        let new = new.map(|thread| {
            let name = format.text(&thread.path);
            DrawnThread { name, track: None, same }
        });
        self.logical_threads.extend(new);
        self.locks.resize_with(definitions.locks().len(), || None);
    }

    #[inline(always)]
    pub(crate) fn thread(&mut self, thread: ThreadRef) -> Option<&mut F::Track> {
        self.threads.get_mut(thread as usize).map(|thread| &mut thread.track)
    }

    /// The name of an OS thread.
    pub(crate) fn name_of(&self, thread: ThreadRef) -> &str {
        self.activities.get(thread as usize).map_or("?", |(name, _)| name)
    }

    #[inline(always)]
    pub(crate) fn thread_name(&self, thread: ThreadRef) -> Option<&F::Text> {
        self.threads.get(thread as usize).map(|thread| &thread.name)
    }

    /// The track of a thread, with the name of the logical thread if it `serves` one.
    #[inline(always)]
    pub(crate) fn serving(
        &mut self,
        executor: Executor,
        serves: bool,
    ) -> Option<(&mut F::Track, Option<&F::Text>)> {
        let track = &mut self.threads.get_mut(executor.thread as usize)?.track;
        let logical_thread = executor.logical_thread.filter(|_| serves);
        let served = logical_thread
            .and_then(|logical_thread| self.logical_threads.get(logical_thread as usize));
        Some((track, served.map(|thread| &thread.name)))
    }

    /// The consequence of an event for the track of its logical thread, if it is on one.
    #[inline(always)]
    pub(crate) fn see(&mut self, executor: Executor, at: u64) -> Option<(LogicalThreadRef, Seen)> {
        let logical_thread = executor.logical_thread?;
        let seen =
            self.logical_threads.get_mut(logical_thread as usize)?.same.see(executor.thread, at);
        Some((logical_thread, seen))
    }

    /// The track of a logical thread on which a slice begins, with the name of the thread if that `serves` it.
    #[inline(always)]
    pub(crate) fn served(
        &mut self,
        format: &mut F,
        definitions: &Definitions,
        logical_thread: LogicalThreadRef,
        by: Option<ThreadRef>,
    ) -> Option<(&mut F::Track, Option<&F::Text>)> {
        let thread = self.logical_threads.get_mut(logical_thread as usize)?;
        thread.same.begin();
        let new = || new_logical_thread(format, definitions, logical_thread);
        let track = thread.track.get_or_insert_with(new);
        let by = by.and_then(|thread| self.threads.get(thread as usize));
        Some((track, by.map(|thread| &thread.name)))
    }

    /// The track of a logical thread on which the innermost slice ends, if that was drawn.
    #[inline(always)]
    pub(crate) fn ended(
        &mut self,
        format: &mut F,
        definitions: &Definitions,
        logical_thread: LogicalThreadRef,
    ) -> Option<&mut F::Track> {
        let thread = self.logical_threads.get_mut(logical_thread as usize)?;
        let new = || new_logical_thread(format, definitions, logical_thread);
        // What began in the window before has no track in this one so far.
        if thread.same.end() { Some(thread.track.get_or_insert_with(new)) } else { None }
    }

    #[inline(always)]
    pub(crate) fn logical_thread(
        &mut self,
        format: &mut F,
        definitions: &Definitions,
        logical_thread: LogicalThreadRef,
    ) -> Option<&mut F::Track> {
        let track = &mut self.logical_threads.get_mut(logical_thread as usize)?.track;
        Some(track.get_or_insert_with(|| new_logical_thread(format, definitions, logical_thread)))
    }

    #[inline(always)]
    pub(crate) fn logical_thread_name(&self, thread: LogicalThreadRef) -> Option<&F::Text> {
        self.logical_threads.get(thread as usize).map(|thread| &thread.name)
    }

    pub(crate) fn level(&mut self, format: &mut F, region_track: RegionTrack) -> &mut F::Track {
        self.levels.entry(region_track).or_insert_with(|| new_level(format, region_track))
    }

    /// The track of the phases that a thread marks. That of the first thread has no other name than phases.
    pub(crate) fn phases(&mut self, format: &mut F, thread: ThreadRef) -> &mut F::Track {
        let Tracks { phases, activities, .. } = self;
        phases.entry(thread).or_insert_with(|| {
            let name = activities.get(thread as usize).map_or("?", |(name, _)| name);
            let name = if thread == 0 { "phases".to_owned() } else { format!("phases of {name}") };
            format.shared(Shared::Phases(thread), &name, Some(thread))
        })
    }

    #[inline(always)]
    pub(crate) fn lock(
        &mut self,
        format: &mut F,
        definitions: &Definitions,
        lock: LockRef,
    ) -> Option<&mut F::Track> {
        let track = self.locks.get_mut(lock as usize)?;
        Some(track.get_or_insert_with(|| new_lock(format, definitions, lock)))
    }

    #[inline(always)]
    pub(crate) fn counter(&mut self, format: &mut F, counter: Counter) -> &mut F::Track {
        let of_run = counter.of_run().and_then(|number| self.counters.get_mut(number));
        match of_run {
            Some(track) => track.get_or_insert_with(|| format.counter(counter)),
            None => {
                self.counters_of_threads.entry(counter).or_insert_with(|| format.counter(counter))
            }
        }
    }

    /// A slice begins before the window does.
    pub(crate) fn take_in_begin(&mut self, executor: Executor, at: u64) {
        let at_ref = |thread: LogicalThreadRef| thread as usize;
        let thread = executor.logical_thread.map(at_ref);
        let Some(known) = thread.and_then(|at| self.logical_threads.get_mut(at)) else { return };
        match &mut known.same {
            Same::Drawn(open) => *open += 1,
            same => *same = Same::On(executor.thread, at),
        }
    }

    /// A slice ends before the window begins.
    pub(crate) fn take_in_end(&mut self, executor: Executor) {
        let thread = executor.logical_thread;
        if let Some(known) = thread.and_then(|thread| self.logical_threads.get_mut(thread as usize))
        {
            known.same.end();
        }
    }

    /// The window begins: before, others drew.
    pub(crate) fn begin_window(&mut self, at: u64) {
        for thread in &mut self.logical_threads {
            if let Same::On(_, since) = &mut thread.same {
                *since = at;
            }
        }
    }

    /// The window ends: those that draw on do not know what is drawn here, where that is not everything.
    pub(crate) fn end_window(&mut self, format: &mut F, at: u64) {
        for thread in self.logical_threads.iter_mut().filter(|_| !self.draws_all) {
            while thread.same.end()
                && let Some(track) = &mut thread.track
            {
                format.end(track, at, Mark::Observed);
            }
        }
    }

    /// The logical threads that something happened on in a window that ends at `until`.
    pub(crate) fn used(&self, definitions: &Definitions, until: u64) -> Vec<Used> {
        let all = definitions.logical_threads().iter().zip(&self.logical_threads);
        let used = all.filter_map(|(thread, known)| match (&known.track, known.same) {
            (Some(_), _) => Some((thread.clone(), None)),
            (None, Same::On(on, since)) => Some((thread.clone(), Some((on, since..until)))),
            (None, _) => None,
        });
        used.collect()
    }

    /// Ranks the tracks of logical threads in the order of their paths.
    pub(crate) fn set_ranks(&self, format: &mut F, definitions: &Definitions) {
        let all = definitions.logical_threads().iter().zip(&self.logical_threads);
        let drawn = all.filter_map(|(thread, known)| Some((thread, known.track.as_ref()?)));
        let mut drawn: Vec<(&LogicalThread, &F::Track)> = drawn.collect();
        drawn.sort_by_key(|(thread, _)| (&thread.order, thread.logical_thread));
        for ((thread, track), rank) in drawn.into_iter().zip(0..) {
            format.set_rank(thread, track, rank);
        }
    }
}

#[cold]
fn new_logical_thread<F: Format>(
    format: &mut F,
    definitions: &Definitions,
    thread: LogicalThreadRef,
) -> F::Track {
    let path = definitions.logical_threads().get(thread as usize).map(|thread| &*thread.path);
    format.shared(Shared::LogicalThread(thread), path.unwrap_or_default(), None)
}

#[cold]
fn new_level<F: Format>(format: &mut F, region_track: RegionTrack) -> F::Track {
    let name = match region_track.number {
        0 => format!("level {}", region_track.level),
        further => format!("level {} ({})", region_track.level, u64::from(further) + 1),
    };
    // Levels one below the other, and the tracks of a level together.
    let rank = region_track.level.min(0x7ffe) << 16 | region_track.number.min(0xffff);
    format.shared(Shared::Level(region_track), &name, Some(rank))
}

#[cold]
fn new_lock<F: Format>(format: &mut F, definitions: &Definitions, lock: LockRef) -> F::Track {
    let name = definitions.locks().get(lock as usize).map(|lock| &*lock.name);
    format.shared(Shared::Lock(lock), name.unwrap_or_default(), Some(lock))
}
