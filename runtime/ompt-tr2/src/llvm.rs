//! Where LLVM's header (3.8 to 5.0) differs from the report: initial tasks bring a region as well, and 69
//! and 70 tell dependences, which the report leaves to the future (its section 9.1).

use crate::table::{code, events};
use core::ffi::{c_int, c_void};
use ompttrace_recording::events::Dependence;
use ompttrace_recording::{Id, Scope};

/// ompt_task_initial.
const INITIAL: u64 = 1;

/// One dependence as that header has it.
#[repr(C)]
pub(crate) struct TaskDependence {
    variable: *const c_void,
    flags: u32,
}

events! { TABLE;
    24 initial_task_begin Base ImplicitTask Begin (region: u64, task: u64)
        => { region: 0, task: Id::foreign(task).0, team_size: 1, thread_num: 0, flags: INITIAL }
    25 initial_task_end Base ImplicitTask End (region: u64, task: u64)
        => { region: 0, task: Id::foreign(task).0, team_size: 0, thread_num: 0, flags: INITIAL }
    69 task_dependences Task Dependences None (task: u64, list: *const TaskDependence, count: c_int)
        => { task: Id::foreign(task).0, count: items(list, count) as u64 }
    then {
        for index in 0..items(list, count) {
            // SAFETY: the runtime passes `count` dependences; the index is below.
            put_dependence(unsafe { &*list.add(index) });
        }
    }
    70 task_dependence_pair Task TaskDependence None (first: u64, second: u64)
        => { src: Id::foreign(first).0, sink: Id::foreign(second).0 }
}

fn items(list: *const TaskDependence, count: c_int) -> usize {
    if list.is_null() { 0 } else { usize::try_from(count).unwrap_or(0) }
}

fn put_dependence(dependence: &TaskDependence) {
    // Its two bits (1 out, 2 in) as ompt_dependence_type_t (1 in, 2 out, 3 inout).
    let kind = match dependence.flags & 3 {
        1 => 2,
        2 => 1,
        other => other,
    };
    let record = Dependence { variable: dependence.variable.addr() as u64, kind: kind.into() };
    ompttrace_recorder::put_more(code::<{ Dependence::NUMBER }>(Scope::None), record.words());
}
