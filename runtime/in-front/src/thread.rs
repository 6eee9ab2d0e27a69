//! State of a thread: the task that it runs, and the call site of the entry point that it has called.
//!
//! A few words of thread-local memory in the initial-exec model, all zeros at first, without a destructor: events
//! come after destructors have run, and in front of a lock nothing may be slow. Such memory is scarce, so the rest
//! is a page that a thread takes at its first event.

use crate::report;
use crate::word::Word;
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use ompttrace_recorder::{Zeroed, give_page_back, starve, take_page};
use ompttrace_recording::Id;

/// A task as long as a thread runs it: on the stack of its wrapper, or in the thread's own memory.
#[repr(C)]
pub struct Task {
    /// The tool's id of the task.
    pub id: Word<u64>,
    /// Id of the region of an implicit task.
    pub region: Word<u64>,
    /// The task that this one interrupted.
    outer: AtomicPtr<Task>,
    /// The runtime that runs the task, by the adapter's own number, since there may be several.
    pub library: Word<usize>,
    /// An address in its outlined function, for calls that cannot determine their caller.
    pub code: Word<u64>,
    /// Number of threads in the task's team.
    pub team: Word<u64>,
    /// Kind of the work-sharing construct that the task is in.
    pub work: Word<u64>,
    /// Step of the loop that the task is in.
    pub step: Word<i64>,
    /// True if the construct that the task is in has no barrier at its end, as far as the runtime reports it.
    pub nowait: AtomicBool,
    /// Address above the task's frames and not above that of the function that called it; 0 if it is unknown; or
    /// [`CALLED_DIRECTLY`].
    pub exit: Word<u64>,
    /// Argument of the task's outlined function.
    pub data: Word<usize>,
    /// True for the initial task of a team of a league.
    pub in_league: AtomicBool,
    /// Number of dimensions of a loop whose iterations depend on each other.
    pub dimensions: Word<u64>,
}

/// Value of [`Task::exit`] if the program called the function itself, so that its stack continues into its creator's.
pub const CALLED_DIRECTLY: u64 = 1;

impl Default for Task {
    fn default() -> Task {
        Task::new()
    }
}

impl Task {
    /// A task that no thread runs yet.
    pub const fn new() -> Task {
        Task {
            id: Word::new(),
            region: Word::new(),
            outer: AtomicPtr::new(core::ptr::null_mut()),
            library: Word::new(),
            code: Word::new(),
            team: Word::new(),
            work: Word::new(),
            step: Word::new(),
            nowait: AtomicBool::new(false),
            exit: Word::new(),
            data: Word::new(),
            in_league: AtomicBool::new(false),
            dimensions: Word::new(),
        }
    }

    /// An explicit task that interrupts `outer`.
    #[inline(always)]
    pub fn explicit(id: u64, outer: &Task, library: usize, code: u64) -> Task {
        Task {
            id: Word::of(id),
            outer: AtomicPtr::new((&raw const *outer).cast_mut()),
            library: Word::of(library),
            code: Word::of(code),
            ..Task::new()
        }
    }

    /// Turns this task, in memory that an earlier task used, into an explicit task that interrupts `outer`.
    pub fn is_now(&self, id: u64, outer: &Task, code: u64) {
        self.id.set(id);
        self.set_outer(outer);
        self.code.set(code);
        for word in [&self.region, &self.team, &self.work, &self.dimensions] {
            word.set(0);
        }
        self.nowait.store(false, Ordering::Relaxed);
        self.in_league.store(false, Ordering::Relaxed);
    }

    /// The task that this one interrupted; null if there is none.
    pub fn outer(&self) -> *const Task {
        self.outer.load(Ordering::Relaxed)
    }

    /// Sets the task that this one interrupts.
    pub fn set_outer(&self, outer: *const Task) {
        self.outer.store(outer.cast_mut(), Ordering::Relaxed);
    }
}

/// Tasks of a thread that are not on the stack of a wrapper.
#[repr(C)]
struct Tasks {
    /// Initial task of a root thread.
    root: Task,
    /// Implicit task of a worker, also between regions, until the worker's next event.
    implicit: Task,
}

/// Tasks that all threads share for which there is no memory: the records of these threads are lost with their
/// buffers, so the numbers in these tasks do not matter. They have no outer task.
static STARVED: Tasks = Tasks { root: Task::new(), implicit: Task::new() };

/// Memory of a thread in a page of its own, from its first event to its end.
#[repr(C)]
struct Page {
    tasks: Tasks,
    /// Data that the adapter keeps of the thread.
    of_adapter: UnsafeCell<[u64; WORDS_OF_ADAPTER]>,
}

const WORDS_OF_ADAPTER: usize = (4096 - size_of::<Tasks>()) / 8;

// SAFETY: numbers, flags and null pointers.
unsafe impl Zeroed for Page {}

/// The calling thread's words, at the symbol `ompttrace_in_front_thread`.
#[repr(C)]
pub struct Thread {
    /// Return address of the entry point that was called: its first instructions write it, so it is the first word.
    pub caller: Cell<u64>,
    /// The running task; null for a thread without events so far.
    pub task: Cell<*const Task>,
    /// The first part of the thread's page, or `STARVED`; null before the thread's first event.
    tasks: Cell<*const Tasks>,
    /// Number of the adapter's calls that are open, for the adapter's own use.
    pub depth: Cell<u32>,
    /// True while the thread waits in the closing barrier of the region that `implicit` was in.
    pub rests: Cell<bool>,
    /// True for a thread that the program created, not the runtime.
    pub is_root: Cell<bool>,
    /// True if the thread's initial task began in another process, of which this one is a forked child.
    pub is_inherited: Cell<bool>,
    /// Number of rounds of destructors for which the end of the thread was deferred.
    pub put_off: Cell<u8>,
}

ompttrace_tls::thread_static! { Current: Thread = zeros, "ompttrace_in_front_thread" }

/// The calling thread.
#[inline(always)]
pub fn current() -> &'static Thread {
    Current::get()
}

impl Thread {
    /// The running task; a thread that the runtime did not start is a root, and its begin is recorded first.
    #[inline(always)]
    pub fn task(&'static self) -> &'static Task {
        if self.task.get().is_null() {
            report::root_begins(self);
        }
        // SAFETY: a task is the current one only as long as its memory is there: its wrapper puts
        // back the outer one before it returns, and the others are there until the thread ends.
        unsafe { &*self.task.get() }
    }

    /// The running task's id.
    #[inline(always)]
    pub fn task_id(&'static self) -> Id {
        Id(self.task().id.get())
    }

    /// Allocates the thread's page before its first event; without memory the thread's records are lost.
    #[cold]
    pub fn begin(&self) {
        let page = take_page::<Page>();
        if page.is_none() {
            starve();
        }
        if self.tasks.get().is_null() {
            self.tasks.set(page.map_or(&raw const STARVED, |page| (&raw const *page).cast()));
        } else if let Some(page) = page {
            // A signal handler's event came first.
            // SAFETY: nobody has seen it.
            unsafe { give_page_back(page) };
        }
    }

    /// Frees the thread's page after its last event.
    #[cold]
    pub fn end(&self) {
        let page = self.page();
        self.tasks.set(core::ptr::null());
        if let Some(page) = page {
            // SAFETY: only this thread has references to it, from its tasks that are all over and in calls that
            // have returned.
            unsafe { give_page_back(page) };
        }
    }

    /// The thread's page; `None` if there was no memory for it, or the thread has not begun.
    fn page(&self) -> Option<*const Page> {
        let tasks = self.tasks.get();
        let starved = tasks.is_null() || core::ptr::eq(tasks, &raw const STARVED);
        if starved { None } else { Some(tasks.cast()) }
    }

    /// Data that the adapter keeps of the thread, initially zeros; `None` if there was no memory for it.
    ///
    /// # Safety
    /// All calls in a process use the same type.
    pub unsafe fn of_adapter<T: Zeroed>(&self) -> Option<&'static T> {
        const { assert!(size_of::<T>() <= 8 * WORDS_OF_ADAPTER && align_of::<T>() <= 8) };
        // SAFETY: the page is there until the thread's end, and that part of it is large enough and aligned; it was
        // zeros at first, which are a `T`, and nobody has used it as another type: the caller's promise.
        self.page().map(|page| unsafe { &*(*page).of_adapter.get().cast::<T>() })
    }

    /// Initial task of a root thread, which must have begun.
    pub fn root(&self) -> &'static Task {
        // SAFETY: `begin` has stored an address of tasks that are there until the thread's end.
        unsafe { &(*self.tasks.get()).root }
    }

    /// Implicit task of a worker, which must have begun.
    #[inline(always)]
    pub fn implicit(&self) -> &'static Task {
        // SAFETY: `begin` has stored an address of tasks that are there until the thread's end.
        unsafe { &(*self.tasks.get()).implicit }
    }

    /// True if the thread is a root that is in no region and runs its initial task.
    pub fn is_at_root(&self) -> bool {
        let task = self.task.get();
        !task.is_null() && core::ptr::eq(task, self.root())
    }
}
