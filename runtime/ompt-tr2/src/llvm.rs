//! Differences of LLVM's runtime (3.8 to 5.0) from the report: initial tasks have a region as well, events 69 and 70
//! report dependences, which the document leaves to the future (its section 9.1), and a task's begin is reported on
//! the thread that runs it, when it begins to run. A task that its creator runs at once has no task_switch.

use crate::table::{code, events};
use core::ffi::{c_int, c_void};
use ompttrace_recording::events::Dependence;
use ompttrace_recording::kinds::TASK_BEGINS;
use ompttrace_recording::words::KIND_FUNCTION;
use ompttrace_recording::{Id, Scope};

/// ompt_task_initial.
const INITIAL: u64 = 1;
/// ompt_task_explicit.
const EXPLICIT: u64 = 4;

/// A dependence in the layout of the header of LLVM's runtime.
#[repr(C)]
pub(crate) struct TaskDependence {
    variable: *const c_void,
    flags: u32,
}

events! { TABLE;
    3 task_begin TaskCreate None [new function] (task: u64, frame: *const c_void, new: u64, function: *const c_void)
        => { code: function.addr() as u64, kind: KIND_FUNCTION, task: Id::from_source(task).0,
             new_task: Id::from_source(new).0, flags: EXPLICIT | TASK_BEGINS }
    24 initial_task_begin ImplicitTask Begin (region: u64, task: u64)
        => { region: 0, task: Id::from_source(task).0, team_size: 1, thread_num: 0, flags: INITIAL }
    25 initial_task_end ImplicitTask End (region: u64, task: u64)
        => { region: 0, task: Id::from_source(task).0, team_size: 0, thread_num: 0, flags: INITIAL }
    69 task_dependences Dependences None (task: u64, list: *const TaskDependence, count: c_int)
        => { task: Id::from_source(task).0, count: items(list, count) as u64 }
    then {
        for index in 0..items(list, count) {
            // SAFETY: the runtime passes `count` dependences; the index is below.
            put_dependence(unsafe { &*list.add(index) });
        }
    }
    70 task_dependence_pair TaskDependence None (first: u64, second: u64)
        => { src: Id::from_source(first).0, sink: Id::from_source(second).0 }
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
