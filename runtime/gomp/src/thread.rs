//! What a thread knows of itself: which task it runs, and where the call came from that it is in.
//!
//! One piece of thread-local memory in the initial-exec model, all zeros at first, without a
//! destructor: events come after destructors have run, and in front of a lock nothing may be slow.

use crate::entries::League;
use crate::tell;
use core::cell::Cell;
use ompttrace_recording::Id;

/// A task as long as a thread runs it: on the stack of its wrapper, or in the thread itself.
#[repr(C)]
pub(crate) struct Task {
    /// Our id.
    pub(crate) id: Cell<u64>,
    /// The region of an implicit task.
    pub(crate) region: Cell<u64>,
    /// Whose place it took.
    pub(crate) outer: Cell<*const Task>,
    /// The libgomp that runs it.
    pub(crate) library: Cell<usize>,
    /// A place in its outlined function, for calls that cannot tell where they come from.
    pub(crate) code: Cell<u64>,
    /// Threads of its team.
    pub(crate) team: Cell<u64>,
    /// The kind of the work-sharing construct that it is in, and a loop's step.
    pub(crate) work: Cell<u64>,
    pub(crate) step: Cell<i64>,
    /// Whether the program called its function itself, so that its stack goes on into its creator's.
    pub(crate) called_directly: Cell<bool>,
    /// Whether it is the initial task of a team of a league.
    pub(crate) in_league: Cell<bool>,
    /// Dimensions of a loop whose iterations depend on each other.
    pub(crate) dimensions: Cell<u64>,
}

impl Task {
    /// A task that nobody runs yet.
    pub(crate) const fn new() -> Task {
        Task {
            id: Cell::new(0),
            region: Cell::new(0),
            outer: Cell::new(core::ptr::null()),
            library: Cell::new(0),
            code: Cell::new(0),
            team: Cell::new(0),
            work: Cell::new(0),
            step: Cell::new(0),
            called_directly: Cell::new(false),
            in_league: Cell::new(false),
            dimensions: Cell::new(0),
        }
    }
}

/// Old regions, begun by one call and ended by another, that a thread can have open.
pub(crate) const OLD_REGIONS: usize = 4;

/// The calling thread's own memory.
#[repr(C)]
pub(crate) struct Thread {
    /// Where the entry point was called from: written by its first instructions, so it comes first.
    pub(crate) caller: Cell<u64>,
    /// The running task; null for a thread that has told nothing yet.
    pub(crate) task: Cell<*const Task>,
    /// Whether it sits in the closing barrier of the region that `member` was in.
    pub(crate) rests: Cell<bool>,
    /// Whether it is one that the program made, not libgomp.
    pub(crate) is_root: Cell<bool>,
    /// Rounds of destructors that it has put its end off for.
    pub(crate) put_off: Cell<u32>,
    /// Old regions that are open.
    pub(crate) old_depth: Cell<usize>,
    /// The innermost `target` that it runs on the host; null: none.
    pub(crate) league: Cell<*const League>,
    /// A root's initial task.
    pub(crate) root: Task,
    /// A worker's implicit task: also between regions, until its next event.
    pub(crate) member: Task,
    /// See [`OLD_REGIONS`].
    pub(crate) old: [crate::region::Region; OLD_REGIONS],
}

core::arch::global_asm!(
    ".pushsection .tbss.ompttrace_gomp_thread,\"awT\",@nobits",
    ".p2align 4",
    ".hidden ompttrace_gomp_thread",
    ".globl ompttrace_gomp_thread",
    ".type ompttrace_gomp_thread,@object",
    ".size ompttrace_gomp_thread,{size}",
    "ompttrace_gomp_thread:",
    ".zero {size}",
    ".popsection",
    size = const size_of::<Thread>(),
);

/// The calling thread.
#[inline(always)]
pub(crate) fn current() -> &'static Thread {
    let thread: *const Thread;
    // SAFETY: computes the address of the thread's own memory, which is as large as the structure,
    // aligned, valid as all zeros, and there as long as the thread runs any code. It never leaves the
    // thread: the type is not Sync, and nobody stores the reference.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!(
            "mov {0}, qword ptr [rip + ompttrace_gomp_thread@GOTTPOFF]",
            "add {0}, qword ptr fs:[0]",
            out(reg) thread,
            options(pure, readonly, nostack)
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!(
            "adrp {0}, :gottprel:ompttrace_gomp_thread",
            "ldr {0}, [{0}, :gottprel_lo12:ompttrace_gomp_thread]",
            "mrs {1}, tpidr_el0",
            "add {0}, {0}, {1}",
            out(reg) thread,
            out(reg) _,
            options(pure, readonly, nostack)
        );
        &*thread
    }
}

impl Thread {
    /// The running task; a thread that comes without libgomp's help is a root and tells so first.
    #[inline(always)]
    pub(crate) fn task(&'static self) -> &'static Task {
        if self.task.get().is_null() {
            tell::root_begins(self);
        }
        // SAFETY: a task is the current one only as long as its memory is there: its wrapper puts
        // back the outer one before it returns, and the others lie in this structure.
        unsafe { &*self.task.get() }
    }

    /// The running task's id.
    #[inline(always)]
    pub(crate) fn task_id(&'static self) -> Id {
        Id(self.task().id.get())
    }
}
