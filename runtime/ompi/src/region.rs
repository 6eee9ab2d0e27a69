//! Parallel regions and leagues: their data, which ORT passes to every execution entity of a team instead of the data
//! of the outlined function.
//!
//! A region lies on the stack of the thread that forks, as the outlined function's data do.

use crate::report;
use crate::start;
use crate::thread::{self, Task, Thread};
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use ompttrace_in_front::call::Call;
use ompttrace_in_front::regions::{self, LEAGUE, TEAM};
use ompttrace_recording::Scope;
use ompttrace_recording::events::ParallelEnd;

/// An outlined function, of a region or a task.
pub(crate) type Outlined = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// A region from its begin to its end.
pub(crate) struct Region {
    function: Outlined,
    data: *mut c_void,
    id: Cell<u64>,
    code: u64,
    is_league: bool,
}

impl Region {
    /// Records that the calling thread encounters a region; `requested` is the number of threads or teams.
    pub(crate) fn begin(
        call: &Call,
        function: Outlined,
        data: *mut c_void,
        requested: u64,
        is_league: bool,
    ) -> Region {
        let flags = if is_league { LEAGUE } else { TEAM };
        // ORT gives a region without data those of the region around it.
        let data = if data.is_null() { call.task().data.get() as *mut c_void } else { data };
        let region = Region { function, data, id: Cell::new(0), code: call.code, is_league };
        regions::begin(call, requested, flags, &region.id);
        region
    }

    /// The argument that ORT must pass to [`team_thread`] or [`team`].
    pub(crate) fn argument(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }

    /// Records the end of the region, when all its threads are done.
    pub(crate) fn end(&self, call: &Call) {
        let event = ParallelEnd {
            code: self.code,
            kind: 0,
            region: self.id.get(),
            task: call.task_id(),
            flags: if self.is_league { LEAGUE } else { TEAM },
        };
        report::put(ParallelEnd::NUMBER, Scope::None, event);
    }

    /// Runs the outlined function on the calling thread as a task of `flags`, with the number `number` of `team`
    /// threads or teams.
    fn run(&self, thread: &'static Thread, team: u64, number: u64, flags: u64) -> *mut c_void {
        let (region, code, data) = (self.id.get(), code_in(self.function), self.data as usize);
        let implicit =
            ImplicitTask { region, team, number, flags, code, data, in_league: self.is_league };
        // SAFETY: the program's own function with the program's own data.
        as_implicit_task(thread, &implicit, |task| unsafe {
            called(task, self.function, self.data)
        })
    }
}

/// Properties of an implicit task that are known before it begins.
pub(crate) struct ImplicitTask {
    pub(crate) region: u64,
    /// Number of threads in the team, and the number of the task's thread there; in a league those of teams.
    pub(crate) team: u64,
    pub(crate) number: u64,
    pub(crate) flags: u64,
    /// An address in the task's function.
    pub(crate) code: u64,
    /// Argument of the task's function.
    pub(crate) data: usize,
    pub(crate) in_league: bool,
}

/// Runs `work` on the calling thread as an implicit task, and records the task's begin and end.
#[inline(always)]
pub(crate) fn as_implicit_task<T>(
    thread: &'static Thread,
    implicit: &ImplicitTask,
    work: impl FnOnce(&Task) -> T,
) -> T {
    let task = Task::new();
    task.set_outer(thread.task.get());
    task.region.set(implicit.region);
    task.code.set(implicit.code);
    task.data.set(implicit.data);
    task.in_league.store(implicit.in_league, Ordering::Relaxed);
    task.team.set(implicit.team);
    thread.task.set(&raw const task);
    report::implicit_task(Scope::Begin, &task, implicit.number, implicit.flags);
    let result = work(&task);
    task.team.set(0);
    report::implicit_task(Scope::End, &task, implicit.number, implicit.flags);
    thread.task.set(task.outer());
    result
}

/// One byte into a function: readers take a return address for the end of a call.
pub(crate) fn code_in(function: Outlined) -> u64 {
    function as usize as u64 + 1
}

/// Calls the function of a task, after noting the address at which the frames of the task end.
///
/// # Safety
/// The caller must fulfil the safety conditions of `function`.
#[inline(never)]
pub(crate) unsafe fn called(task: &Task, function: Outlined, data: *mut c_void) -> *mut c_void {
    task.exit.set(stack_pointer() - 1);
    // SAFETY: the caller's promise.
    let result = unsafe { function(data) };
    // Behind the call, so that it is one and no jump.
    task.exit.set(0);
    result
}

#[inline(always)]
fn stack_pointer() -> u64 {
    let pointer: u64;
    // SAFETY: reads a register.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    pointer
}

/// Function that ORT calls on every execution entity of a team instead of the outlined function.
pub(crate) unsafe extern "C-unwind" fn team_thread(region: *mut c_void) -> *mut c_void {
    // SAFETY: ORT passes what it was given: a region, which lives until the team is done.
    let region = unsafe { &*region.cast::<Region>() };
    let thread = thread::current();
    if thread.task.get().is_null() {
        report::worker_begins(thread);
    }
    region.run(thread, start::num_threads(), start::thread_num(), report::IMPLICIT)
}

/// Function that ORT calls for each team of a league instead of the outlined function.
pub(crate) unsafe extern "C-unwind" fn team(region: *mut c_void) -> *mut c_void {
    // SAFETY: as for [`team_thread`].
    let region = unsafe { &*region.cast::<Region>() };
    region.run(thread::current(), start::num_teams(), start::team_num(), report::INITIAL)
}
