//! What a thread knows of itself: which task it runs, and where the call came from that it is in.
//!
//! A few words of thread-local memory in the initial-exec model, all zeros at first, without a destructor: events
//! come after destructors have run, and in front of a lock nothing may be slow. Such memory is scarce, so the rest
//! is a page that a thread takes when it tells its first event ([`Own`]).

use crate::entries::League;
use crate::tell;
use crate::word::Word;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use ompttrace_recorder::{Zeroed, give_page_back, starve, take_page};
use ompttrace_recording::Id;

/// A task as long as a thread runs it: on the stack of its wrapper, or in the thread's own memory.
#[repr(C)]
pub(crate) struct Task {
    /// Our id.
    pub(crate) id: Word<u64>,
    /// The region of an implicit task.
    pub(crate) region: Word<u64>,
    /// Whose place it took.
    outer: AtomicPtr<Task>,
    /// The libgomp that runs it.
    pub(crate) library: Word<usize>,
    /// A place in its outlined function, for calls that cannot tell where they come from.
    pub(crate) code: Word<u64>,
    /// Threads of its team.
    pub(crate) team: Word<u64>,
    /// The kind of the work-sharing construct that it is in, and a loop's step.
    pub(crate) work: Word<u64>,
    pub(crate) step: Word<i64>,
    /// Whether the program called its function itself, so that its stack goes on into its creator's.
    pub(crate) called_directly: AtomicBool,
    /// Whether it is the initial task of a team of a league.
    pub(crate) in_league: AtomicBool,
    /// Dimensions of a loop whose iterations depend on each other.
    pub(crate) dimensions: Word<u64>,
}

impl Task {
    /// A task that nobody runs yet.
    pub(crate) const fn new() -> Task {
        Task {
            id: Word::new(),
            region: Word::new(),
            outer: AtomicPtr::new(core::ptr::null_mut()),
            library: Word::new(),
            code: Word::new(),
            team: Word::new(),
            work: Word::new(),
            step: Word::new(),
            called_directly: AtomicBool::new(false),
            in_league: AtomicBool::new(false),
            dimensions: Word::new(),
        }
    }

    /// An explicit task that takes the place of `outer`.
    #[inline(always)]
    pub(crate) fn explicit(id: u64, outer: &Task, library: usize, code: u64) -> Task {
        Task {
            id: Word::of(id),
            outer: AtomicPtr::new((&raw const *outer).cast_mut()),
            library: Word::of(library),
            code: Word::of(code),
            ..Task::new()
        }
    }

    /// Whose place it took; null: nobody's.
    pub(crate) fn outer(&self) -> *const Task {
        self.outer.load(Ordering::Relaxed)
    }

    /// It takes the place of `outer`.
    pub(crate) fn set_outer(&self, outer: *const Task) {
        self.outer.store(outer.cast_mut(), Ordering::Relaxed);
    }
}

/// The tasks of a thread that are on nobody's stack.
#[repr(C)]
struct Tasks {
    /// A root's initial task.
    root: Task,
    /// A worker's implicit task: also between regions, until its next event.
    member: Task,
}

/// Those of all threads that find no memory for their own: what is told of these threads is lost with the threads'
/// buffers, so it does not matter whose numbers are in here. They have no outer task.
static STARVED: Tasks = Tasks { root: Task::new(), member: Task::new() };

/// Old regions, begun by one call and ended by another, that a thread can have open.
pub(crate) const OLD_REGIONS: usize = 4;

/// What a thread has in a page of its own, from its first event to its end.
#[repr(C)]
pub(crate) struct Own {
    tasks: Tasks,
    /// The innermost `target` that it runs on the host; null: none.
    pub(crate) league: Cell<*const League>,
    /// See [`OLD_REGIONS`].
    pub(crate) old: [crate::region::Region; OLD_REGIONS],
}

// SAFETY: numbers, flags, null pointers, and functions that are not there.
unsafe impl Zeroed for Own {}

/// The calling thread's words.
#[repr(C)]
pub(crate) struct Thread {
    /// Where the entry point was called from: written by its first instructions, so it comes first.
    pub(crate) caller: Cell<u64>,
    /// The running task; null for a thread that has told nothing yet.
    pub(crate) task: Cell<*const Task>,
    /// The first part of its [`Own`], or [`STARVED`]; null as long as it has told nothing.
    tasks: Cell<*const Tasks>,
    /// Old regions that are open.
    pub(crate) old_depth: Cell<u32>,
    /// Whether it sits in the closing barrier of the region that `member` was in.
    pub(crate) rests: Cell<bool>,
    /// Whether it is one that the program made, not libgomp.
    pub(crate) is_root: Cell<bool>,
    /// Rounds of destructors that it has put its end off for.
    pub(crate) put_off: Cell<u8>,
}

ompttrace_tls::thread_static! { Current: Thread = zeros, "ompttrace_gomp_thread" }

/// The calling thread.
#[inline(always)]
pub(crate) fn current() -> &'static Thread {
    Current::get()
}

impl Thread {
    /// The running task; a thread that comes without libgomp's help is a root and tells so first.
    #[inline(always)]
    pub(crate) fn task(&'static self) -> &'static Task {
        if self.task.get().is_null() {
            tell::root_begins(self);
        }
        // SAFETY: a task is the current one only as long as its memory is there: its wrapper puts
        // back the outer one before it returns, and the others are there until the thread ends.
        unsafe { &*self.task.get() }
    }

    /// The running task's id.
    #[inline(always)]
    pub(crate) fn task_id(&'static self) -> Id {
        Id(self.task().id.get())
    }

    /// Takes memory for what the thread has of its own: its first event is about to be told.
    #[cold]
    pub(crate) fn begin(&self) {
        let own = take_page::<Own>();
        if own.is_none() {
            starve();
        }
        if self.tasks.get().is_null() {
            self.tasks.set(own.map_or(&raw const STARVED, |own| &raw const own.tasks));
        } else if let Some(own) = own {
            // A signal handler's event came first.
            // SAFETY: nobody has seen it.
            unsafe { give_page_back(own) };
        }
    }

    /// Gives that back: it has told its last event.
    #[cold]
    pub(crate) fn end(&self) {
        let own = self.own().map(|own| &raw const *own);
        self.tasks.set(core::ptr::null());
        if let Some(own) = own {
            // SAFETY: only this thread has references to it, from its tasks that are all over and in calls that
            // have returned.
            unsafe { give_page_back(own) };
        }
    }

    /// What it has of its own; `None` where it found no memory.
    pub(crate) fn own(&self) -> Option<&'static Own> {
        let tasks = self.tasks.get();
        let starved = tasks.is_null() || core::ptr::eq(tasks, &raw const STARVED);
        // SAFETY: what is neither is the first part of the page that `begin` took, which is there until the
        // thread's end and holds a valid `Own` from the start.
        if starved { None } else { Some(unsafe { &*tasks.cast() }) }
    }

    /// A root's initial task. For a thread that has begun.
    pub(crate) fn root(&self) -> &'static Task {
        // SAFETY: `begin` has stored an address of tasks that are there until the thread's end.
        unsafe { &(*self.tasks.get()).root }
    }

    /// A worker's implicit task. For a thread that has begun.
    #[inline(always)]
    pub(crate) fn member(&self) -> &'static Task {
        // SAFETY: `begin` has stored an address of tasks that are there until the thread's end.
        unsafe { &(*self.tasks.get()).member }
    }

    /// Whether it is a root that is in no region and runs no other task than its initial one.
    pub(crate) fn is_at_root(&self) -> bool {
        let task = self.task.get();
        !task.is_null() && core::ptr::eq(task, self.root())
    }
}
