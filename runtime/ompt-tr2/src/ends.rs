//! The events that do more than leave a record: a thread's end, the program's commands, the shutdown;
//! and the commands that programs give us without a runtime.

use crate::table::{EventEntry, code, put};
use crate::{roots, start};
use ompttrace_life::{Origin, carry_out, command_given};
use ompttrace_recorder::{State, state};
use ompttrace_recording::Scope;
use ompttrace_recording::events::{ControlTool, ThreadEnd};

pub(crate) const TABLE: &[EventEntry] = &[
    EventEntry::new(6, "thread_end", Some(ThreadEnd::NUMBER), thread_end as *const ()),
    EventEntry::new(7, "control", Some(ControlTool::NUMBER), control as *const ()),
    EventEntry::new(8, "runtime_shutdown", None, shutdown as *const ()),
];

/// Releases the thread's memory, also if the event itself is not recorded.
unsafe extern "C" fn thread_end(_kind: u32, _thread: u64) {
    roots::end();
    put(code::<{ ThreadEnd::NUMBER }>(Scope::None), ThreadEnd {});
    ompttrace_recorder::thread_ended();
}

/// Carries out a command that the program gave by the runtime's ompt_control.
unsafe extern "C" fn control(command: u64, modifier: u64) {
    roots::introduce(7);
    command_given(command, modifier, 0, Origin::OmptControl);
}

unsafe extern "C" fn shutdown() {
    start::shut_down();
}

/// A program's command to the tool (OMPT Technical Report 2, section 7.4): 1 start, 2 pause,
/// 3 flush, 4 end. Others are ignored, as is everything while nothing is being traced.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_control(command: u64, modifier: u64) {
    if matches!(state(), State::Recording | State::Paused) {
        roots::introduce(0);
        command_given(command, modifier, 0, Origin::OmptControl);
    } else {
        carry_out(command, modifier, Origin::OmptControl);
    }
}

/// [`ompt_control`] for Fortran, which passes references.
///
/// # Safety
/// Both arguments point to integers of eight bytes, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_control_(command: *const u64, modifier: *const u64) {
    // SAFETY: by the caller's promise.
    let (command, modifier) = unsafe { (command.as_ref(), modifier.as_ref()) };
    if let (Some(command), Some(modifier)) = (command, modifier) {
        ompt_control(*command, *modifier);
    }
}
