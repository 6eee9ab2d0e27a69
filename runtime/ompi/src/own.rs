//! What is kept of a thread besides its tasks, in its page: what one call begins and another one ends.

use crate::thread::{Task, Thread};
use core::cell::Cell;
use ompttrace_recorder::{Zeroed, give_page_back, take_page};

/// Tasks that run at once in place, one within the other, of which the first page has room.
const NEAR: usize = 24;
/// The same of each further page.
const FAR: usize = 30;
/// Nestable locks of which a thread can have several takings at once.
const NESTED: usize = 16;

/// A thread's own.
#[repr(C)]
pub(crate) struct Own {
    /// The call site that entered a loop of which no record is made yet; 0: none.
    pub(crate) entered: Cell<u64>,
    /// The iterations of that loop, where they are known.
    pub(crate) iterations: Cell<u64>,
    /// Where the program offloads a kernel that has not begun; 0: nowhere.
    pub(crate) offload: Cell<u64>,
    /// Threads of the team that ORT last asked the execution entity library for; 0: it has been created.
    pub(crate) requested: Cell<u64>,
    /// Whether the next barrier ends a construct.
    pub(crate) closes: Cell<bool>,
    /// Tasks that run at once in place.
    near: [Task; NEAR],
    /// How many there are, those of further pages included.
    depth: Cell<usize>,
    /// The last of the further pages that is in use; null: none.
    last: Cell<*const Page>,
    /// One that is in use no more, for the next task that needs one; null: none.
    spare: Cell<*const Page>,
    /// Tasks for which there was no memory.
    missed: Cell<usize>,
    /// Nestable locks that the thread has, and how often: 0 times is a free slot.
    nested: [Cell<(usize, u32)>; NESTED],
}

// SAFETY: numbers, flags and null pointers.
unsafe impl Zeroed for Own {}

/// More tasks.
#[repr(C)]
struct Page {
    before: Cell<*const Page>,
    tasks: [Task; FAR],
}

// SAFETY: numbers, flags and null pointers.
unsafe impl Zeroed for Page {}

/// What `thread` has; `None` where it found no memory.
#[inline(always)]
pub(crate) fn of(thread: &'static Thread) -> Option<&'static Own> {
    // SAFETY: it is asked for here alone.
    unsafe { thread.of_adapter() }
}

/// `thread` has made its last record.
pub(crate) fn thread_ends(thread: &'static Thread) {
    if let Some(own) = of(thread) {
        own.end();
    }
}

impl Own {
    /// Memory for a task that runs at once in place, until [`Own::pop`]; `None`: there is no memory.
    pub(crate) fn push(&'static self) -> Option<&'static Task> {
        let depth = self.depth.get();
        let slot = match self.near.get(depth) {
            _ if self.missed.get() > 0 => None,
            None => self.far((depth - NEAR) % FAR),
            near => near,
        };
        match slot {
            Some(_) => self.depth.set(depth + 1),
            None => self.missed.set(self.missed.get() + 1),
        }
        slot
    }

    /// A slot of the last further page; slot 0 is that of a new one.
    fn far(&self, at: usize) -> Option<&'static Task> {
        if at == 0 {
            let spare = self.spare.replace(core::ptr::null());
            // SAFETY: null, or a page that nobody uses.
            let page = unsafe { spare.as_ref() }.or_else(take_page::<Page>)?;
            page.before.set(self.last.get());
            self.last.set(page);
        }
        // SAFETY: null, or a page that stays as long as it is the last one, which it is until its tasks are over.
        let page = unsafe { self.last.get().as_ref()? };
        page.tasks.get(at)
    }

    /// The innermost of these tasks, which is over; `None`: there was no memory for it. It is there until
    /// [`Own::leave`].
    pub(crate) fn pop(&'static self) -> Option<&'static Task> {
        if self.missed.get() > 0 {
            self.missed.set(self.missed.get() - 1);
            return None;
        }
        let depth = self.depth.get().checked_sub(1)?;
        self.depth.set(depth);
        let near = self.near.get(depth);
        near.or_else(|| {
            // SAFETY: as in `far`.
            let page = unsafe { self.last.get().as_ref()? };
            page.tasks.get((depth - NEAR) % FAR)
        })
    }

    /// Keeps or gives back a further page that is in use no more.
    pub(crate) fn leave(&self) {
        let depth = self.depth.get();
        if depth < NEAR || !(depth - NEAR).is_multiple_of(FAR) {
            return;
        }
        // SAFETY: null, or a page that is there.
        if let Some(page) = unsafe { self.last.get().as_ref() } {
            self.last.set(page.before.get());
            let other = self.spare.replace(page);
            give_back(other);
        }
    }

    /// Gives all further pages back: the thread ends.
    pub(crate) fn end(&self) {
        give_back(self.spare.replace(core::ptr::null()));
        // SAFETY: null, or a page that is there.
        while let Some(page) = unsafe { self.last.get().as_ref() } {
            self.last.set(page.before.get());
            give_back(page);
        }
    }

    /// The thread has a nestable lock: how often, this time included.
    pub(crate) fn takes(&self, lock: usize) -> u32 {
        let same = self.nested.iter().find(|slot| slot.get().1 > 0 && slot.get().0 == lock);
        let slot = same.or_else(|| self.nested.iter().find(|slot| slot.get().1 == 0));
        let Some(slot) = slot else { return 1 };
        let times = if same.is_some() { slot.get().1 + 1 } else { 1 };
        slot.set((lock, times));
        times
    }

    /// It gives one taking back: how many are left.
    pub(crate) fn gives(&self, lock: usize) -> u32 {
        let same = self.nested.iter().find(|slot| slot.get().1 > 0 && slot.get().0 == lock);
        let Some(slot) = same else { return 0 };
        let times = slot.get().1 - 1;
        slot.set((lock, times));
        times
    }
}

/// Gives a further page back that nobody uses; null: there is none.
fn give_back(page: *const Page) {
    if !page.is_null() {
        // SAFETY: it came from `take_page`, and its tasks are over.
        unsafe { give_page_back(page) };
    }
}
