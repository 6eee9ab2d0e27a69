//! A step of the tool's life that panics: the runtime gets an answer, as from a tool that does not want it.

use core::ffi::{c_char, c_int, c_uint};
use ompt_sys::{ompt_data_t, ompt_interface_fn_t, ompt_start_tool_result_t};
use ompttrace_ompt::{Hooks, Selection, start_tool};

const FINE: Hooks = Hooks {
    offered: |_| Ok(()),
    initialize: || Some(Selection::default()),
    registered: |_| {},
    finalize: || {},
    say: |_| {},
};

/// How far a runtime gets with a tool.
#[derive(Debug, PartialEq)]
enum Ended {
    NoTool,
    Inactive,
    Finalized,
}

unsafe extern "C" fn look_up(_name: *const c_char) -> ompt_interface_fn_t {
    None
}

/// Plays the runtime.
fn runtime(hooks: &Hooks) -> Ended {
    const VERSION: c_uint = 201_811;
    // SAFETY: the arguments are as a runtime's, and what it would do with the answer.
    unsafe {
        let tool: *mut ompt_start_tool_result_t =
            start_tool(VERSION, c"made up 1.0".as_ptr(), *hooks);
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
    let cases: [(Hooks, Ended); 5] = [
        (FINE, Ended::Finalized),
        (Hooks { offered: |_| panic!("a defect"), ..FINE }, Ended::NoTool),
        (Hooks { initialize: || panic!("a defect"), ..FINE }, Ended::Inactive),
        (Hooks { registered: |_| panic!("a defect"), ..FINE }, Ended::Inactive),
        (Hooks { finalize: || panic!("a defect"), ..FINE }, Ended::Finalized),
    ];
    for (hooks, wanted) in cases {
        assert_eq!(runtime(&hooks), wanted);
    }
}
