//! The events that do more than leave a record: a thread's end, the program's commands, the shutdown.

use crate::table::{Row, code, put};
use crate::{roots, start};
use ompttrace_ompt::Family;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{ControlTool, ThreadEnd};

pub(crate) const TABLE: &[Row] = &[
    Row::new(6, "thread_end", ThreadEnd::NAME, Family::Base, thread_end as *const ()),
    Row::new(7, "control", ControlTool::NAME, Family::Base, control as *const ()),
    Row::new(8, "runtime_shutdown", "runtime_shutdown", Family::Base, shutdown as *const ()),
];

/// The thread gives its memory back, also where the event itself is not recorded.
unsafe extern "C" fn thread_end(_kind: u32, _thread: u64) {
    roots::end();
    put(code::<{ ThreadEnd::NUMBER }>(Scope::None), ThreadEnd {});
    ompttrace_recorder::thread_ended();
}

/// The program called the runtime's ompt_control.
unsafe extern "C" fn control(command: u64, modifier: u64) {
    roots::introduce(7);
    ompttrace_ompt::control_called(command, modifier, 0, start::carry_out);
}

unsafe extern "C" fn shutdown() {
    start::shut_down();
}
