//! The program's own command to the tool: OMPi has no omp_control_tool.

use crate::start;
use crate::thread;
use ompttrace_life::{Origin, command_given};

/// Carries out a command: 1 start, 2 pause, 3 flush, 4 end, as in `ompttrace.h`. Others are ignored, as is everything
/// while nothing is recorded.
#[unsafe(no_mangle)]
pub extern "C" fn ompt_control(command: u64, modifier: u64) {
    if start::is_recorded() {
        // A thread that comes here first is the program's own.
        thread::current().task();
        command_given(command, modifier, 0, Origin::OmptControl);
    }
}
