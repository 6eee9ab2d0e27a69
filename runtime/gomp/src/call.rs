//! One call of an entry point: where it came from, on which thread, for which libgomp.

use crate::libgomp;
use crate::thread::{self, Task, Thread};

/// A call that is told.
pub(crate) struct Call {
    /// The address after the call, or one in the running task's outlined function.
    pub(crate) code: u64,
    /// The calling thread.
    pub(crate) thread: &'static Thread,
    /// The libgomp that it goes to.
    pub(crate) library: usize,
}

impl Call {
    /// The call that the calling thread is in, and whether it is to be told.
    #[inline(always)]
    pub(crate) fn begin() -> (Call, bool) {
        let thread = thread::current();
        let code = thread.caller.get();
        match libgomp::of(code) {
            libgomp::Of::Library { library, told } => (Call { code, thread, library }, told),
            // The last call in an outlined function is a jump: it seems to come from our wrapper.
            libgomp::Of::Ours => {
                let task = thread.task();
                (Call { code: task.code.get(), thread, library: task.library.get() }, true)
            }
        }
    }

    /// The running task.
    #[inline(always)]
    pub(crate) fn task(&self) -> &'static Task {
        self.thread.task()
    }

    /// Its id.
    #[inline(always)]
    pub(crate) fn task_id(&self) -> u64 {
        self.thread.task_id().0
    }
}
