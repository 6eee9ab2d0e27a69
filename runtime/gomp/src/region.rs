//! Parallel regions: their data, which libgomp passes to every thread of a team instead of the data of the outlined
//! function.
//!
//! A region lies on the stack of the thread that forks, which stays valid until the team is done.

use crate::call::Call;
use crate::inquiry;
use crate::report::{self, kind};
use crate::thread::{self, CALLED_DIRECTLY, Task, Thread};
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use ompttrace_in_front::regions::{self, LEAGUE, TEAM};
use ompttrace_recording::Scope;
use ompttrace_recording::events::ParallelEnd;

/// An outlined function.
pub(crate) type Outlined = unsafe extern "C-unwind" fn(*mut c_void);

/// A region from its begin to its end.
#[repr(C)]
pub(crate) struct Region {
    /// libgomp reads the first word of a region's data where there are task reductions.
    first: Cell<usize>,
    function: Cell<Option<Outlined>>,
    data: Cell<*mut c_void>,
    id: Cell<u64>,
    code: Cell<u64>,
    library: Cell<usize>,
    /// Kind of the loop or sections that is combined with the region; 0 if there is none. `step` and `count` are its
    /// step and its number of iterations; in a league the number of teams, and of those that have begun.
    work: Cell<u64>,
    step: Cell<i64>,
    count: Cell<u64>,
    /// True if the implicit tasks of the region are initial tasks of a league.
    is_league: Cell<bool>,
    primary: Cell<*const Thread>,
    /// The primary thread's implicit task.
    task: Task,
}

/// Loop or sections of a combined construct: kind, step and number of iterations.
#[derive(Clone, Copy, Default)]
pub(crate) struct Combined {
    pub(crate) kind: u64,
    pub(crate) step: i64,
    pub(crate) count: u64,
}

impl Region {
    /// A region that has not begun.
    pub(crate) const fn new() -> Region {
        Region {
            first: Cell::new(0),
            function: Cell::new(None),
            data: Cell::new(core::ptr::null_mut()),
            id: Cell::new(0),
            code: Cell::new(0),
            library: Cell::new(0),
            work: Cell::new(0),
            step: Cell::new(0),
            count: Cell::new(0),
            is_league: Cell::new(false),
            primary: Cell::new(core::ptr::null()),
            task: Task::new(),
        }
    }

    /// Records a region that the calling thread encounters.
    pub(crate) fn begin(&self, call: &Call, function: Outlined, data: *mut c_void, requested: u32) {
        self.begin_as(call, Some(function), data, requested, TEAM);
    }

    /// Records a league that the calling thread encounters.
    pub(crate) fn begin_league(
        &self,
        call: &Call,
        function: Option<Outlined>,
        data: *mut c_void,
        teams: u32,
    ) {
        self.is_league.set(true);
        self.begin_as(call, function, data, teams, LEAGUE);
    }

    fn begin_as(
        &self,
        call: &Call,
        function: Option<Outlined>,
        data: *mut c_void,
        wanted: u32,
        flags: u64,
    ) {
        let requested = match wanted {
            0 if flags == TEAM => inquiry::max_threads(call.library),
            _ => wanted.into(),
        };
        self.function.set(function);
        self.data.set(data);
        self.code.set(call.code);
        self.library.set(call.library);
        self.primary.set(call.thread);
        regions::begin(call, requested, flags, &self.id);
    }

    /// Notes that the whole region is a loop or sections.
    pub(crate) fn combined(&self, combined: Combined) {
        self.work.set(combined.kind);
        self.step.set(combined.step);
        self.count.set(combined.count);
    }

    /// Copies the first word of the program's own data, so that libgomp finds it in the region.
    ///
    /// # Safety
    /// The data's first word can be read.
    pub(crate) unsafe fn keep_first(&self) {
        // SAFETY: the caller's promise.
        self.first.set(unsafe { *self.data.get().cast::<usize>() });
    }

    /// The argument that libgomp must pass to [`team_thread`].
    pub(crate) fn argument(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// Begins the implicit task of a primary thread that calls the outlined function itself, not through libgomp.
    pub(crate) fn primary_begins_directly(&self, thread: &'static Thread) {
        self.task.exit.set(CALLED_DIRECTLY);
        self.primary_begins(thread);
    }

    /// Begins the primary thread's implicit task.
    pub(crate) fn primary_begins(&self, thread: &'static Thread) {
        self.task.set_outer(thread.task.get());
        self.implicit_task_begins(thread, &self.task);
    }

    /// Records that the primary thread has done its work and waits in the region's closing barrier.
    pub(crate) fn primary_rests(&self) {
        if self.has_barrier() {
            report::barrier_begins(kind::BARRIER_PARALLEL, self.code.get(), self.task.id.get());
        }
    }

    /// Records the end of the region, when all its threads are done.
    pub(crate) fn end(&self, call: &Call) {
        if !self.is_league.get() {
            if self.has_barrier() {
                report::barrier_ends(kind::BARRIER_PARALLEL, self.code.get(), self.task.id.get());
            }
            report::implicit_task(Scope::End, &self.task, 0, report::IMPLICIT);
            call.thread.task.set(self.task.outer());
        }
        let event = ParallelEnd {
            code: self.code.get(),
            kind: 0,
            region: self.id.get(),
            task: call.task_id(),
            flags: if self.is_league.get() { LEAGUE } else { TEAM },
        };
        report::put(ParallelEnd::NUMBER, Scope::None, event);
    }

    /// True if the region has a closing barrier: neither a team of one thread nor a league has one.
    fn has_barrier(&self) -> bool {
        self.task.team.get() > 1 && !self.is_league.get()
    }

    /// Records that an implicit task of this region begins on the calling thread, with its data in `task`.
    fn implicit_task_begins(&self, thread: &'static Thread, task: &Task) {
        let library = self.library.get();
        task.region.set(self.id.get());
        task.library.set(library);
        task.code.set(self.function_code());
        task.team.set(inquiry::num_threads(library));
        task.work.set(self.work.get());
        task.step.set(self.step.get());
        thread.task.set(task);
        report::implicit_task(Scope::Begin, task, inquiry::thread_num(library), report::IMPLICIT);
        if self.work.get() != 0 {
            let (kind, count) = (self.work.get(), self.count.get());
            report::work(Scope::Begin, kind, self.code.get(), task.id.get(), count);
        }
    }

    /// Records that the next team of a league begins on the calling thread, with its initial task in `task`.
    pub(crate) fn team_begins(&self, thread: &'static Thread, task: &Task) {
        let number = self.count.get();
        self.count.set(number + 1);
        task.set_outer(thread.task.get());
        task.region.set(self.id.get());
        task.library.set(self.library.get());
        task.code.set(self.function_code());
        task.team.set(self.step.get() as u64);
        task.in_league.store(true, Ordering::Relaxed);
        thread.task.set(task);
        report::implicit_task(Scope::Begin, task, number, report::INITIAL);
    }

    /// Records that the present team of a league ends.
    pub(crate) fn team_ends(&self, thread: &'static Thread, task: &Task) {
        report::implicit_task(Scope::End, task, self.count.get() - 1, report::INITIAL);
        thread.task.set(task.outer());
    }

    /// One byte into the function: readers take a return address for the end of a call.
    fn function_code(&self) -> u64 {
        self.function.get().map_or(self.code.get(), |function| function as usize as u64 + 1)
    }

    fn run(&self) {
        if let Some(function) = self.function.get() {
            // SAFETY: the program's own function with the program's own data.
            unsafe { function(self.data.get()) };
        }
    }
}

/// Function that libgomp calls on every thread of a team, instead of the outlined function, with [`Region::argument`]. It begins the
/// implicit task, runs the program's function, and begins the wait in the closing barrier; ends are recorded later.
pub(crate) unsafe extern "C-unwind" fn team_thread(region: *mut c_void) {
    // SAFETY: libgomp passes what it was given: a region, which lives until the team is done.
    let region = unsafe { &*region.cast::<Region>() };
    let thread = thread::current();
    if core::ptr::eq(thread, region.primary.get()) {
        region.primary_begins(thread);
        region.run();
        return region.primary_rests();
    }
    if thread.task.get().is_null() {
        report::worker_begins(thread);
    }
    report::rest_is_over(thread);
    let task = thread.implicit();
    region.implicit_task_begins(thread, task);
    region.run();
    // It may run tasks while it waits, for which this task stays the current one.
    task.code.set(region.code.get());
    thread.rests.set(true);
    report::barrier_begins(kind::BARRIER_PARALLEL, task.code.get(), task.id.get());
}

/// Function that libgomp calls for every team of a league, one after the other on the same thread, instead of the
/// outlined function.
pub(crate) unsafe extern "C-unwind" fn team(region: *mut c_void) {
    // SAFETY: as for [`team_thread`].
    let region = unsafe { &*region.cast::<Region>() };
    let (thread, task) = (thread::current(), Task::new());
    region.team_begins(thread, &task);
    region.run();
    region.team_ends(thread, &task);
}
