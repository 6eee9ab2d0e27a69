//! The events that do more than leave a record: a thread's end, the program's commands, the shutdown.

use crate::start;
use crate::table::{Row, code};
use ompttrace_ompt::{CONTROL_IGNORED, CONTROL_SUCCESS, Family};
use ompttrace_recording::Scope;
use ompttrace_recording::events::{ControlTool, ThreadEnd};

pub(crate) const TABLE: &[Row] = &[
    Row::new(6, "thread_end", ThreadEnd::NAME, Family::Base, thread_end as *const ()),
    Row::new(7, "control", ControlTool::NAME, Family::Base, control as *const ()),
    Row::new(8, "runtime_shutdown", "runtime_shutdown", Family::Base, shutdown as *const ()),
];

/// The thread gives its memory back, also where the event itself is not recorded.
unsafe extern "C" fn thread_end(_kind: u32, _thread: u64) {
    let code = code::<{ ThreadEnd::NUMBER }>(Scope::None);
    match ompttrace_recorder::room() {
        Some(room) => room.put(code, ThreadEnd {}),
        None => ompttrace_recorder::slow(code, |room| {
            if let Some(room) = room {
                room.put(code, ThreadEnd {});
            }
        }),
    }
    ompttrace_recorder::thread_ended();
}

/// ompt_control(1): start.
const START: u64 = 1;
/// ompt_control(4): end, the last of the report's own commands.
const END: u64 = 4;

/// The program called the runtime's ompt_control. A start's record comes after it took effect, all
/// others before.
unsafe extern "C" fn control(command: u64, modifier: u64) {
    if command == START {
        let result = start::carry_out(command, modifier);
        return record(command, modifier, result);
    }
    let known = (START..=END).contains(&command);
    record(command, modifier, if known { CONTROL_SUCCESS } else { CONTROL_IGNORED });
    start::carry_out(command, modifier);
}

fn record(command: u64, modifier: u64, result: i32) {
    let result = i64::from(result) as u64;
    let event = ControlTool { code: 0, kind: 0, command, modifier, result };
    let code = code::<{ ControlTool::NUMBER }>(Scope::None);
    match ompttrace_recorder::room() {
        Some(room) => room.put(code, event),
        None => ompttrace_recorder::slow(code, |room| {
            if let Some(room) = room {
                room.put(code, event);
            }
        }),
    }
}

unsafe extern "C" fn shutdown() {
    start::shut_down();
}
