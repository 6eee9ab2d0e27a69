//! One call of an entry point: its call site, its thread, and the runtime that it goes to.

use crate::thread::{Task, Thread};
use ompttrace_stacks::Request;

/// A call that is recorded.
pub struct Call {
    /// The address after the call, or one in the running task's outlined function.
    pub code: u64,
    /// The calling thread.
    pub thread: &'static Thread,
    /// The runtime that the call goes to, by the adapter's own number.
    pub library: usize,
    /// True if the call was a jump at the end of the running task's function.
    pub is_jump: bool,
}

impl Call {
    /// The task that the calling thread runs.
    #[inline(always)]
    pub fn task(&self) -> &'static Task {
        self.thread.task()
    }

    /// Records the call stack of the region or task that is created next, if call stacks are wanted.
    #[inline(always)]
    pub fn put_context(&self) {
        if ompttrace_stacks::are_wanted() {
            self.put_wanted_context();
        }
    }

    #[cold]
    #[inline(never)]
    fn put_wanted_context(&self) {
        if self.is_jump {
            return ompttrace_stacks::put_frame(self.code);
        }
        let exit = self.task().exit.get();
        ompttrace_stacks::put_context(&Request { code: self.code, enter: 0, exit });
    }

    /// Id of the task that the calling thread runs.
    #[inline(always)]
    pub fn task_id(&self) -> u64 {
        self.thread.task_id().0
    }
}
