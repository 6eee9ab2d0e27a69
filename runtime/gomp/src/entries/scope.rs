//! `scope`, for which libgomp is called only if it has task reductions, and the end of all constructs with task
//! reductions, which is a barrier of their own.

use crate::call::Call;
use crate::entry::entries;
use crate::report::{kind, waiting, work};
use ompttrace_recording::Scope;

/// Records the end of a scope at a barrier of the program's code or at the end of task reductions; no other
/// work-sharing construct can have begun inside.
#[inline(always)]
pub(crate) fn ends(call: &Call) {
    let task = call.task();
    if task.work.get() == kind::SCOPE {
        task.work.set(0);
        work(Scope::End, kind::SCOPE, call.code, task.id.get(), 0);
    }
}

entries! { TABLE;
    [GOMP_scope_start] (reductions: *mut usize) |call, real| {
        let task = call.task();
        task.work.set(kind::SCOPE);
        work(Scope::Begin, kind::SCOPE, call.code, task.id.get(), 1);
        real(reductions)
    }
    [GOMP_workshare_task_reduction_unregister] (cancelled: bool) |call, real| {
        ends(&call);
        if cancelled {
            return real(cancelled);
        }
        waiting(&call, kind::BARRIER_WORKSHARE, || real(cancelled))
    }
}
