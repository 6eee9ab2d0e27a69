//! Target constructs, as the host executes them. The function is passed on unchanged, because libgomp finds the
//! device's function by its address.

use crate::call::Call;
use crate::entry::entries;
use crate::own::League;
use crate::report;
use core::ffi::{c_int, c_uint, c_void};
use ompttrace_recording::Scope;
use ompttrace_recording::events::TargetEmi;

type List = *mut *mut c_void;
type Sizes = *mut usize;
type Kinds = *mut u16;
type Function = *mut c_void;

/// ompt_target_t.
const TARGET: u64 = 1;
const ENTER_DATA: u64 = 2;
const EXIT_DATA: u64 = 3;
const UPDATE: u64 = 4;

fn recorded_around<T>(call: &Call, kind: u64, device: c_int, work: impl FnOnce() -> T) -> T {
    report_of(call, Scope::Begin, kind, device);
    let result = work();
    report_of(call, Scope::End, kind, device);
    result
}

/// Records a construct around `work`, which may execute its code on the host if there is no device.
fn run<T>(call: &Call, device: c_int, work: impl FnOnce() -> T) -> T {
    recorded_around(call, TARGET, device, || {
        let league = League::new();
        league.may_begin(call.thread);
        let result = work();
        league.is_over(call);
        result
    })
}

fn report_of(call: &Call, scope: Scope, kind: u64, device: c_int) {
    let task = call.task_id();
    let device = i64::from(device) as u64;
    let event = TargetEmi { code: call.code, kind, device, task, target_task: 0, target: 0 };
    report::put(TargetEmi::NUMBER, scope, event);
}

/// GOMP_TARGET_FLAG_EXIT_DATA.
const EXIT: c_uint = 2;

entries! { TABLE;
    [GOMP_target] (device: c_int, function: Function, unused: *mut c_void, count: usize, addresses: List, sizes: Sizes,
        kinds: *mut u8) |call, real| {
        run(&call, device, || real(device, function, unused, count, addresses, sizes, kinds))
    }
    [GOMP_target_ext] (device: c_int, function: Function, count: usize, addresses: List, sizes: Sizes, kinds: Kinds,
        flags: c_uint, dependences: List, arguments: List) |call, real| {
        run(&call, device, || {
            real(device, function, count, addresses, sizes, kinds, flags, dependences, arguments)
        })
    }
    [GOMP_target_data] (device: c_int, unused: *mut c_void, count: usize, addresses: List, sizes: Sizes, kinds: *mut u8)
        |call, real| {
        recorded_around(&call, ENTER_DATA, device, || real(device, unused, count, addresses, sizes, kinds))
    }
    [GOMP_target_data_ext] (device: c_int, count: usize, addresses: List, sizes: Sizes, kinds: Kinds) |call, real| {
        recorded_around(&call, ENTER_DATA, device, || real(device, count, addresses, sizes, kinds))
    }
    [GOMP_target_end_data] () |call, real| {
        recorded_around(&call, EXIT_DATA, -1, || real())
    }
    [GOMP_target_update] (device: c_int, unused: *mut c_void, count: usize, addresses: List, sizes: Sizes,
        kinds: *mut u8) |call, real| {
        recorded_around(&call, UPDATE, device, || real(device, unused, count, addresses, sizes, kinds))
    }
    [GOMP_target_update_ext] (device: c_int, count: usize, addresses: List, sizes: Sizes, kinds: Kinds, flags: c_uint,
        dependences: List) |call, real| {
        recorded_around(&call, UPDATE, device, || real(device, count, addresses, sizes, kinds, flags, dependences))
    }
    [GOMP_target_enter_exit_data] (device: c_int, count: usize, addresses: List, sizes: Sizes, kinds: Kinds,
        flags: c_uint, dependences: List) |call, real| {
        let kind = if flags & EXIT != 0 { EXIT_DATA } else { ENTER_DATA };
        recorded_around(&call, kind, device, || real(device, count, addresses, sizes, kinds, flags, dependences))
    }
}
