//! State of a thread: its regions and what it does in each, in words that a signal handler of the same thread may read
//! at any instant.

use crate::tls;
use collector_sys::State;
use core::ptr;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, compiler_fence};

/// Maximum number of nested regions of one thread that are distinguished; in deeper ones the thread seems to be in the
/// last of them.
const DEEPEST: usize = 64;

/// A region that a thread is in, with the state of the thread there.
#[derive(Debug)]
pub(crate) struct Level {
    /// Number of the region.
    pub(crate) region: AtomicU64,
    /// Number of the enclosing region, for the thread that forked this one; else 0.
    pub(crate) parent: AtomicU64,
    /// 1 for the thread that forked the region, its master; 0 for others.
    pub(crate) is_master: AtomicU32,
    /// The barrier or reduction that the thread is in: a [`State`], or 0 for none.
    pub(crate) doing: AtomicU32,
    /// Value of `doing` before the reduction that the thread is in, which is restored at the reduction's end.
    pub(crate) before: AtomicU32,
    /// The mutex wait that the thread is in: a [`State`], or 0 for none.
    pub(crate) waiting: AtomicU32,
    /// OMPT's wait id of the mutex that the thread waits for.
    pub(crate) wait_id: AtomicU64,
    /// Number of barriers that the thread has entered in this region, which is the same for all threads of a team in
    /// the same barrier.
    pub(crate) barriers: AtomicU64,
}

impl Level {
    const fn new() -> Level {
        Level {
            region: AtomicU64::new(0),
            parent: AtomicU64::new(0),
            is_master: AtomicU32::new(0),
            doing: AtomicU32::new(0),
            before: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            wait_id: AtomicU64::new(0),
            barriers: AtomicU64::new(0),
        }
    }

    /// The id of the barrier that the thread is in, or was in last.
    pub(crate) fn barrier_id(&self) -> u64 {
        self.region.load(Relaxed) << 32 | self.barriers.load(Relaxed)
    }
}

/// Role of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Role {
    /// The runtime has not reported the thread.
    Unknown = 0,
    /// A thread of the program, initial or not.
    User = 1,
    /// A worker thread of the runtime.
    Worker = 2,
}

/// A thread, as its own callbacks and signal handlers see it.
#[derive(Debug)]
pub(crate) struct Thread {
    /// 1 while the thread reports an event to the collector, else 0.
    pub(crate) delivering: AtomicU32,
    /// Number that distinguishes the thread from others that own mutexes.
    number: AtomicU32,
    role: AtomicU32,
    depth: AtomicU32,
    /// State of the thread outside any region, and in each of its nested regions.
    levels: [Level; DEEPEST + 1],
    /// The next element of the list of unused threads.
    next: AtomicPtr<Thread>,
}

/// The thread that no runtime knows. Nothing is ever written to it but by mistake of a runtime.
pub(crate) static UNKNOWN: Thread = Thread::new();

static FREE: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());
/// Number of threads that were allocated.
static THREADS: AtomicU32 = AtomicU32::new(0);

impl Thread {
    const fn new() -> Thread {
        Thread {
            delivering: AtomicU32::new(0),
            number: AtomicU32::new(0),
            role: AtomicU32::new(Role::Unknown as u32),
            depth: AtomicU32::new(0),
            levels: [const { Level::new() }; DEEPEST + 1],
            next: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The calling thread, of which something is to be kept in mind: it gets memory if it has none.
    pub(crate) fn own() -> &'static Thread {
        let thread = tls::thread();
        if !ptr::eq(thread, &raw const UNKNOWN) {
            return thread;
        }
        let thread = unused().unwrap_or_else(|| {
            let thread: &Thread = Box::leak(Box::new(Thread::new()));
            thread.number.store(THREADS.fetch_add(1, Relaxed) + 1, Relaxed);
            thread
        });
        thread.depth.store(0, Relaxed);
        thread.outermost().reset(0, 0, false);
        thread.role.store(Role::User as u32, Relaxed);
        tls::set_thread(thread);
        thread
    }

    /// Ends the calling thread: its memory becomes available for a later thread.
    pub(crate) fn end() {
        let thread = tls::thread();
        if ptr::eq(thread, &raw const UNKNOWN) {
            return;
        }
        tls::set_thread(&UNKNOWN);
        compiler_fence(Release);
        let this = ptr::from_ref(thread).cast_mut();
        let mut first = FREE.load(Relaxed);
        loop {
            thread.next.store(first, Relaxed);
            match FREE.compare_exchange_weak(first, this, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// A number from 1 on that no other living thread has, if there are no more than it can distinguish.
    pub(crate) fn number(&self) -> u16 {
        (self.number.load(Relaxed) % u32::from(u16::MAX)) as u16 + 1
    }

    /// Role of the thread.
    pub(crate) fn role(&self) -> Role {
        match self.role.load(Relaxed) {
            1 => Role::User,
            2 => Role::Worker,
            _ => Role::Unknown,
        }
    }

    /// Sets the role of the thread.
    pub(crate) fn set_role(&self, role: Role) {
        self.role.store(role as u32, Relaxed);
    }

    fn outermost(&self) -> &Level {
        let [outermost, ..] = &self.levels;
        outermost
    }

    /// The innermost level.
    pub(crate) fn level(&self) -> &Level {
        let depth = (self.depth.load(Relaxed) as usize).min(DEEPEST);
        self.levels.get(depth).unwrap_or(self.outermost())
    }

    /// True if the thread is in no region.
    pub(crate) fn is_outside(&self) -> bool {
        self.depth.load(Relaxed) == 0
    }

    /// Enters a region. The level is complete before it becomes the innermost one.
    pub(crate) fn push(&self, region: u64, parent: u64, is_master: bool) {
        let depth = self.depth.load(Relaxed) as usize + 1;
        if let Some(level) = self.levels.get(depth) {
            level.reset(region, parent, is_master);
        }
        compiler_fence(Release);
        self.depth.store(depth as u32, Relaxed);
    }

    /// Leaves all regions, and ends all states and waits.
    pub(crate) fn leave_all(&self) {
        self.depth.store(0, Relaxed);
        self.outermost().reset(0, 0, false);
        self.delivering.store(0, Relaxed);
    }

    /// Leaves the innermost region.
    pub(crate) fn pop(&self) {
        let depth = self.depth.load(Relaxed);
        self.depth.store(depth.saturating_sub(1), Relaxed);
    }
}

impl Level {
    fn reset(&self, region: u64, parent: u64, is_master: bool) {
        self.region.store(region, Relaxed);
        self.parent.store(parent, Relaxed);
        self.is_master.store(u32::from(is_master), Relaxed);
        self.barriers.store(0, Relaxed);
        self.wait_id.store(0, Relaxed);
        self.set_doing(None);
        self.set_waiting(None);
    }

    /// Sets the barrier or reduction that the thread is in; `None`: neither.
    pub(crate) fn set_doing(&self, state: Option<State>) {
        self.doing.store(state.map_or(0, |state| state as u32), Relaxed);
    }

    /// Sets the mutex wait that the thread is in; `None`: it waits for no mutex.
    pub(crate) fn set_waiting(&self, state: Option<State>) {
        compiler_fence(Release);
        self.waiting.store(state.map_or(0, |state| state as u32), Relaxed);
    }
}

/// Regions that can be remembered as over; a later one replaces an earlier one.
const REMEMBERED: u64 = 1024;

static OVER: [AtomicU64; REMEMBERED as usize] = [const { AtomicU64::new(0) }; REMEMBERED as usize];

fn slot(region: u64) -> Option<&'static AtomicU64> {
    OVER.get((region % REMEMBERED) as usize)
}

/// Remembers that the master of a region has left it.
pub(crate) fn region_ends(region: u64) {
    if let Some(slot) = slot(region) {
        slot.store(region, Relaxed);
    }
}

/// True if a region's master is known to have left it.
pub(crate) fn is_over(region: u64) -> bool {
    region != 0 && slot(region).is_some_and(|slot| slot.load(Relaxed) == region)
}

/// Memory of a thread that has ended: all of it is taken, and what is not needed put back, so that
/// nobody meets a list that has changed and changed back meanwhile.
fn unused() -> Option<&'static Thread> {
    let first = FREE.swap(ptr::null_mut(), Acquire);
    // SAFETY: null or a leaked thread that is in no other list and that no thread is any more.
    let found: &'static Thread = unsafe { first.as_ref()? };
    let mut rest = found.next.swap(ptr::null_mut(), Relaxed);
    // SAFETY: each of the list is null or a leaked thread that is in no other list.
    while let Some(thread) = unsafe { rest.as_ref() } {
        let next = thread.next.load(Relaxed);
        let mut head = FREE.load(Relaxed);
        loop {
            thread.next.store(head, Relaxed);
            match FREE.compare_exchange_weak(head, rest, Release, Relaxed) {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        rest = next;
    }
    Some(found)
}
