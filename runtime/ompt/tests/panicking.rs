//! A step of the tool's life that panics: the runtime receives an answer, as from a tool that refuses it.

use core::ffi::{c_char, c_int, c_uint};
use ompt_sys::{ompt_data_t, ompt_interface_fn_t, ompt_start_tool_result_t};
use ompttrace_ompt::ompt_start_tool;

/// The last step that a runtime reaches with a tool.
#[derive(Debug, PartialEq)]
enum Ended {
    NoTool,
    Inactive,
    Finalized,
}

unsafe extern "C" fn look_up(_name: *const c_char) -> ompt_interface_fn_t {
    None
}

/// Calls the tool as a runtime does.
fn runtime() -> Ended {
    const VERSION: c_uint = 201_811;
    // SAFETY: the arguments are as a runtime's, and what it would do with the answer.
    unsafe {
        let tool: *mut ompt_start_tool_result_t = ompt_start_tool(VERSION, c"made up 1.0".as_ptr());
        let Some(tool) = tool.as_ref() else { return Ended::NoTool };
        let active: c_int = tool.initialize.expect("initialize")(Some(look_up), 0, &raw mut DATA);
        if active == 0 {
            return Ended::Inactive;
        }
        tool.finalize.expect("finalize")(&raw mut DATA);
    }
    Ended::Finalized
}

static mut DATA: ompt_data_t = ompt_data_t { value: 0 };

/// One test, since a process has one tool.
#[test]
fn no_panic_reaches_the_runtime() {
    let folder = tempfile::tempdir().expect("a folder");
    // SAFETY: no other thread of this test looks at the environment.
    unsafe {
        std::env::set_var("OMPTTRACE_OUTPUT", folder.path().join("run"));
        std::env::set_var("OMPTTRACE_FORMAT", "recording");
        std::env::set_var("OMPTTRACE_QUIET", "1");
    }
    assert_eq!(runtime(), Ended::Finalized);
    ompttrace_life::on_runtime(|_| panic!("a defect"));
    assert_eq!(runtime(), Ended::Inactive);
}
