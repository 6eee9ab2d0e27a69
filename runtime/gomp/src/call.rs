//! One call of an entry point: where it came from, on which thread, for which libgomp.

use crate::libgomp;
use crate::thread::{self, Task, Thread};
use core::sync::atomic::Ordering;
use ompttrace_stacks::Request;

/// A call that is told.
pub(crate) struct Call {
    /// The address after the call, or one in the running task's outlined function.
    pub(crate) code: u64,
    /// The calling thread.
    pub(crate) thread: &'static Thread,
    /// The libgomp that it goes to.
    pub(crate) library: usize,
    /// Whether it was a jump at the end of the running task's function.
    pub(crate) is_jump: bool,
}

impl Call {
    /// The call that the calling thread is in, and whether it is to be told.
    #[inline(always)]
    pub(crate) fn begin() -> (Call, bool) {
        let thread = thread::current();
        let code = thread.caller.get();
        match libgomp::of(code) {
            libgomp::Of::Library { library, told } => {
                (Call { code, thread, library, is_jump: false }, told)
            }
            // The last call in an outlined function is a jump: it seems to come from our wrapper.
            libgomp::Of::Ours => {
                let task = thread.task();
                let (code, library) = (task.code.get(), task.library.get());
                (Call { code, thread, library, is_jump: true }, true)
            }
        }
    }

    /// The running task.
    #[inline(always)]
    pub(crate) fn task(&self) -> &'static Task {
        self.thread.task()
    }

    /// Tells where the region or task is made that comes next, if call stacks are wanted.
    #[inline(always)]
    pub(crate) fn put_context(&self) {
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
        let exit = self.task().called_directly.load(Ordering::Relaxed).into();
        ompttrace_stacks::put_context(&Request { code: self.code, enter: 0, exit });
    }

    /// Its id.
    #[inline(always)]
    pub(crate) fn task_id(&self) -> u64 {
        self.thread.task_id().0
    }
}
