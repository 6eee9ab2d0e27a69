//! What a thread knows of itself: which task it runs, and where the call came from that it is in.
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
    /// Our id.
    pub id: Word<u64>,
    /// The region of an implicit task.
    pub region: Word<u64>,
    /// The task that it interrupted.
    outer: AtomicPtr<Task>,
    /// Which of several runtimes runs it, by the adapter's own number.
    pub library: Word<usize>,
    /// An address in its outlined function, for calls that cannot determine their caller.
    pub code: Word<u64>,
    /// Threads of its team.
    pub team: Word<u64>,
    /// The kind of the work-sharing construct that it is in, and a loop's step.
    pub work: Word<u64>,
    /// See [`Task::work`].
    pub step: Word<i64>,
    /// Whether that construct has no barrier at its end, where the runtime says so.
    pub nowait: AtomicBool,
    /// An address that lies above its frames and not above that of the function that called it; 0: not known;
    /// [`CALLED_DIRECTLY`].
    pub exit: Word<u64>,
    /// What its outlined function was given.
    pub data: Word<usize>,
    /// Whether it is the initial task of a team of a league.
    pub in_league: AtomicBool,
    /// Dimensions of a loop whose iterations depend on each other.
    pub dimensions: Word<u64>,
}

/// For [`Task::exit`]: the program called the function itself, so that its stack goes on into its creator's.
pub const CALLED_DIRECTLY: u64 = 1;

impl Default for Task {
    fn default() -> Task {
        Task::new()
    }
}

impl Task {
    /// A task that nobody runs yet.
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

    /// The same, in the memory of an earlier task.
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

    /// The task that it interrupted; null: none.
    pub fn outer(&self) -> *const Task {
        self.outer.load(Ordering::Relaxed)
    }

    /// It interrupts `outer`.
    pub fn set_outer(&self, outer: *const Task) {
        self.outer.store(outer.cast_mut(), Ordering::Relaxed);
    }
}

/// The tasks of a thread that are on nobody's stack.
#[repr(C)]
struct Tasks {
    /// A root's initial task.
    root: Task,
    /// A worker's implicit task: also between regions, until its next event.
    implicit: Task,
}

/// Those of all threads that find no memory for their own: the records of these threads are lost with the threads'
/// buffers, so it does not matter whose numbers are in here. They have no outer task.
static STARVED: Tasks = Tasks { root: Task::new(), implicit: Task::new() };

/// What a thread has in a page of its own, from its first event to its end.
#[repr(C)]
struct Page {
    tasks: Tasks,
    /// What its adapter keeps.
    of_adapter: UnsafeCell<[u64; WORDS_OF_ADAPTER]>,
}

const WORDS_OF_ADAPTER: usize = (4096 - size_of::<Tasks>()) / 8;

// SAFETY: numbers, flags and null pointers.
unsafe impl Zeroed for Page {}

/// The calling thread's words, at the symbol `ompttrace_in_front_thread`.
#[repr(C)]
pub struct Thread {
    /// Where the entry point was called from: written by its first instructions, so it comes first.
    pub caller: Cell<u64>,
    /// The running task; null for a thread without events so far.
    pub task: Cell<*const Task>,
    /// The first part of its page, or `STARVED`; null as long as it had no event.
    tasks: Cell<*const Tasks>,
    /// Calls of the adapter's that are open, for its own count.
    pub depth: Cell<u32>,
    /// Whether it sits in the closing barrier of the region that `implicit` was in.
    pub rests: Cell<bool>,
    /// Whether it is one that the program made, not the runtime.
    pub is_root: Cell<bool>,
    /// Whether its initial task began in another process, of which this one is a forked child.
    pub is_inherited: Cell<bool>,
    /// Rounds of destructors that it has put its end off for.
    pub put_off: Cell<u8>,
}

ompttrace_tls::thread_static! { Current: Thread = zeros, "ompttrace_in_front_thread" }

/// The calling thread.
#[inline(always)]
pub fn current() -> &'static Thread {
    Current::get()
}

impl Thread {
    /// The running task; a thread that comes without the runtime's help is a root and reports that first.
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

    /// Takes memory for what the thread has of its own: its first event is about to be reported.
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

    /// Releases that: it has reported its last event.
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

    /// The page that it took; `None` where it found no memory, or has not begun.
    fn page(&self) -> Option<*const Page> {
        let tasks = self.tasks.get();
        let starved = tasks.is_null() || core::ptr::eq(tasks, &raw const STARVED);
        if starved { None } else { Some(tasks.cast()) }
    }

    /// What the adapter keeps of the thread, zeros at first; `None` where it found no memory.
    ///
    /// # Safety
    /// All calls in a process name the same type.
    pub unsafe fn of_adapter<T: Zeroed>(&self) -> Option<&'static T> {
        const { assert!(size_of::<T>() <= 8 * WORDS_OF_ADAPTER && align_of::<T>() <= 8) };
        // SAFETY: the page is there until the thread's end, and that part of it is large enough and aligned; it was
        // zeros at first, which are a `T`, and nobody has used it as another type: the caller's promise.
        self.page().map(|page| unsafe { &*(*page).of_adapter.get().cast::<T>() })
    }

    /// A root's initial task. For a thread that has begun.
    pub fn root(&self) -> &'static Task {
        // SAFETY: `begin` has stored an address of tasks that are there until the thread's end.
        unsafe { &(*self.tasks.get()).root }
    }

    /// A worker's implicit task. For a thread that has begun.
    #[inline(always)]
    pub fn implicit(&self) -> &'static Task {
        // SAFETY: `begin` has stored an address of tasks that are there until the thread's end.
        unsafe { &(*self.tasks.get()).implicit }
    }

    /// Whether it is a root that is in no region and runs no other task than its initial one.
    pub fn is_at_root(&self) -> bool {
        let task = self.task.get();
        !task.is_null() && core::ptr::eq(task, self.root())
    }
}
