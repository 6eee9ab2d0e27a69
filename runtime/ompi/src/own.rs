//! Memory of a thread besides its tasks, in its page: constructs that one call begins and another one ends.

use crate::thread::{Task, Thread};
use core::cell::Cell;
use ompttrace_recorder::{Zeroed, give_page_back, take_page};

/// Number of undeferred tasks in place, one within the other, for which the thread's first page has room.
const NEAR: usize = 24;
/// Number of such tasks for which each further page has room.
const FAR: usize = 30;
/// Maximum number of nestable locks that are counted of a thread.
const NESTED: usize = 16;

/// Memory of a thread for this adapter.
#[repr(C)]
pub(crate) struct Own {
    /// The call site that entered a loop whose begin is not recorded yet; 0 if there is none.
    pub(crate) entered: Cell<u64>,
    /// Number of iterations of that loop; 0 if it is unknown.
    pub(crate) iterations: Cell<u64>,
    /// The call site at which the program offloads a kernel that has not begun; 0 if there is none.
    pub(crate) offload: Cell<u64>,
    /// Number of threads that ORT last requested of the execution entity library for a team; 0 once the team is
    /// created.
    pub(crate) requested: Cell<u64>,
    /// True if the next barrier ends a construct.
    pub(crate) closes: Cell<bool>,
    /// Undeferred tasks that run in place.
    near: [Task; NEAR],
    /// Number of such tasks, including those of further pages.
    depth: Cell<usize>,
    /// The last of the further pages that are in use; null if there is none.
    last: Cell<*const Page>,
    /// A page that is no longer in use, kept for the next task that needs one; null if there is none.
    spare: Cell<*const Page>,
    /// Number of open tasks for which there was no memory.
    missed: Cell<usize>,
    /// Nestable locks that the thread owns, each with the number of times that it was acquired; 0 times is a free
    /// slot.
    nested: [Cell<(usize, u32)>; NESTED],
}

// SAFETY: numbers, flags and null pointers.
unsafe impl Zeroed for Own {}

/// A further page of tasks.
#[repr(C)]
struct Page {
    before: Cell<*const Page>,
    tasks: [Task; FAR],
}

// SAFETY: numbers, flags and null pointers.
unsafe impl Zeroed for Page {}

/// This memory of `thread`; `None` if it could not be allocated.
#[inline(always)]
pub(crate) fn of(thread: &'static Thread) -> Option<&'static Own> {
    // SAFETY: it is asked for here alone.
    unsafe { thread.of_adapter() }
}

/// Frees the further pages of a thread that has made its last record.
pub(crate) fn thread_ends(thread: &'static Thread) {
    if let Some(own) = of(thread) {
        own.end();
    }
}

impl Own {
    /// Memory for an undeferred task that runs in place, until [`Own::pop`]; `None` if there is none.
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

    /// A slot of the last further page; for slot 0 a page is added.
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

    /// Ends the innermost of these tasks and returns it; `None` if there was no memory for it. It stays valid until
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

    /// Keeps or frees a further page that is no longer in use.
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

    /// Frees all further pages at the end of the thread.
    pub(crate) fn end(&self) {
        give_back(self.spare.replace(core::ptr::null()));
        // SAFETY: null, or a page that is there.
        while let Some(page) = unsafe { self.last.get().as_ref() } {
            self.last.set(page.before.get());
            give_back(page);
        }
    }

    /// Notes that the thread has acquired a nestable lock; returns the number of times, this one included.
    pub(crate) fn takes(&self, lock: usize) -> u32 {
        let same = self.nested.iter().find(|slot| slot.get().1 > 0 && slot.get().0 == lock);
        let slot = same.or_else(|| self.nested.iter().find(|slot| slot.get().1 == 0));
        let Some(slot) = slot else { return 1 };
        let times = if same.is_some() { slot.get().1 + 1 } else { 1 };
        slot.set((lock, times));
        times
    }

    /// Notes that the thread has released a nestable lock once; returns the number of times that it still owns it.
    pub(crate) fn gives(&self, lock: usize) -> u32 {
        let same = self.nested.iter().find(|slot| slot.get().1 > 0 && slot.get().0 == lock);
        let Some(slot) = same else { return 0 };
        let times = slot.get().1 - 1;
        slot.set((lock, times));
        times
    }
}

/// Frees a further page that is not in use; does nothing for null.
fn give_back(page: *const Page) {
    if !page.is_null() {
        // SAFETY: it came from `take_page`, and its tasks are over.
        unsafe { give_page_back(page) };
    }
}
