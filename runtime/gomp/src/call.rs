//! One call of an entry point, and the libgomp that it goes to.

use crate::libgomp;
use crate::thread;
pub(crate) use ompttrace_in_front::call::Call;

/// The call that the calling thread has made; the flag is true if it must be recorded.
#[inline(always)]
pub(crate) fn begin() -> (Call, bool) {
    let thread = thread::current();
    let code = thread.caller.get();
    match libgomp::of(code) {
        libgomp::CallOrigin::Library { library, reported } => {
            (Call { code, thread, library, is_jump: false }, reported)
        }
        // The last call in an outlined function is a jump: it seems to come from our wrapper.
        libgomp::CallOrigin::Ours => {
            let task = thread.task();
            let (code, library) = (task.code.get(), task.library.get());
            (Call { code, thread, library, is_jump: true }, true)
        }
    }
}
