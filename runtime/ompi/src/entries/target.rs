//! Target constructs, as the host sees them: data regions, updates, and kernels that the host runs itself. A kernel that
//! a device runs is not recorded: the call that hands it over can only be passed on by a jump.

use crate::call::Call;
use crate::entry::{entries, passed_on};
use crate::own;
use crate::region::Outlined;
use crate::report;
use crate::thread;
use core::ffi::{c_int, c_ulong, c_void};
use ompttrace_recording::Scope;
use ompttrace_recording::events::TargetEmi;
use ompttrace_recording::kinds::TARGET_DATA;

/// ompt_target_t.
const TARGET: u64 = 1;
const ENTER_DATA: u64 = 2;
const EXIT_DATA: u64 = 3;
const UPDATE: u64 = 4;

fn construct(call: &Call, scope: Scope, kind: u64, device: c_int) {
    let device = i64::from(device) as u64;
    let (code, task) = (call.code, call.task_id());
    let event = TargetEmi { code, kind, device, task, target_task: 0, target: 0 };
    report::put(TargetEmi::NUMBER, scope, event);
}

fn during<T>(call: &Call, kind: u64, device: c_int, work: impl FnOnce() -> T) -> T {
    construct(call, Scope::Begin, kind, device);
    let result = work();
    construct(call, Scope::End, kind, device);
    result
}

/// Device number for a construct whose end has none.
const DEFAULT: c_int = -1;
/// Device number of the host, for a kernel that runs there.
const HOST: c_int = 0;

passed_on! {
    /// ort_offload_kernel, by which a kernel is run. Addresses of variables follow.
    ort_offload_kernel, offloads
}

/// Notes the call site at which the program offloads a kernel: ORT calls the function that runs it on the host.
fn offloads(code: u64) {
    if let Some(own) = own::of(thread::current()) {
        own.offload.set(code);
    }
}

entries! { settled;
    ort_execute_kernel_on_host (kernel: Outlined, data: *mut c_void) |call, real| {
        let code = own::of(call.thread).map_or(0, |own| own.offload.replace(0));
        let call = Call { code: if code == 0 { call.code } else { code }, ..call };
        during(&call, TARGET, HOST, || real(kernel, data))
    }
    ort_start_target_data (variables: c_int, device: c_int) -> *mut c_void |call, real| {
        construct(&call, Scope::Begin, TARGET_DATA, device);
        real(variables, device)
    }
    ort_end_target_data (environment: *mut c_void) |call, real| {
        real(environment);
        construct(&call, Scope::End, TARGET_DATA, DEFAULT);
    }
    ort_map_var_dev
        (variable: *mut c_void, bytes: c_ulong, low: *mut c_void, pointer: c_int, device: c_int, init: c_int) |call, real| {
        during(&call, ENTER_DATA, device, || real(variable, bytes, low, pointer, device, init))
    }
    ort_unmap_var_dev (variable: *mut c_void, device: c_int, update: c_int, delete: c_int) |call, real| {
        during(&call, EXIT_DATA, device, || real(variable, device, update, delete))
    }
    ort_read_var_dev (variable: *mut c_void, bytes: c_ulong, low: *mut c_void, device: c_int) |call, real| {
        during(&call, UPDATE, device, || real(variable, bytes, low, device))
    }
    ort_write_var_dev (variable: *mut c_void, bytes: c_ulong, low: *mut c_void, device: c_int) |call, real| {
        during(&call, UPDATE, device, || real(variable, bytes, low, device))
    }
}
