//! Offloading as the host sees it, in both forms (OpenMP 5.2, 19.5.2.25-19.5.2.28).

use crate::data::{Code, Data, at, bits, id, new_id, set_id, signed};
use crate::table::{callbacks, code};
use core::ffi::{c_int, c_uint, c_void};
use ompt_sys::{
    ompt_id_t, ompt_scope_begin, ompt_scope_end, ompt_scope_endpoint_t, ompt_target_data_op_t,
    ompt_target_t,
};
use ompttrace_life::{operation_begins, operation_ends};
use ompttrace_recorder::Room;
use ompttrace_recording::Id;
use ompttrace_recording::events::{
    MapItem, Target, TargetDataOp, TargetDataOpEmi, TargetEmi, TargetMap, TargetMapEmi,
    TargetSubmit, TargetSubmitEmi,
};

type Address = *mut c_void;

callbacks! { TABLE;
    fn ompttrace_cb_target / Target / endpoint;
        (kind: ompt_target_t, endpoint: ompt_scope_endpoint_t, device: c_int, task: Data, target: ompt_id_t, codeptr: Code) |room| {
        // SAFETY: the runtime's word for this callback.
        let task = unsafe { id(task) };
        Target { code: at(codeptr), kind: kind.into(), device: signed(device), task: task.0, target }
    }
    fn ompttrace_cb_target_emi / TargetEmi / endpoint;
        (kind: ompt_target_t, endpoint: ompt_scope_endpoint_t, device: c_int, task: Data, target_task: Data, target: Data, codeptr: Code) |room| {
        if endpoint == ompt_scope_begin {
            // SAFETY: the runtime's word for this callback.
            unsafe { set_id(target, made(&room)) };
        }
        // SAFETY: the runtime's words for this callback.
        let (task, target_task, target) = unsafe { (id(task), id(target_task), id(target)) };
        TargetEmi {
            code: at(codeptr),
            kind: kind.into(),
            device: signed(device),
            task: task.0,
            target_task: target_task.0,
            target: target.0,
        }
    }
    fn ompttrace_cb_target_data_op / TargetDataOp / 0;
        (target: ompt_id_t, host_op: ompt_id_t, kind: ompt_target_data_op_t, src: Address, src_device: c_int, dest: Address, dest_device: c_int, bytes: usize, codeptr: Code) |room| {
        TargetDataOp {
            code: at(codeptr),
            kind: kind.into(),
            target,
            host_op,
            src: at(src),
            dest: at(dest),
            src_device: bits(src_device),
            dest_device: bits(dest_device),
            bytes: bytes as u64,
        }
    }
    fn ompttrace_cb_target_data_op_emi / TargetDataOpEmi / endpoint;
        (endpoint: ompt_scope_endpoint_t, target_task: Data, target: Data, host_op: *mut ompt_id_t, kind: ompt_target_data_op_t, src: Address, src_device: c_int, dest: Address, dest_device: c_int, bytes: usize, codeptr: Code) |room| {
        // SAFETY: the runtime's words for this callback.
        let (target_task, target) = unsafe { (id(target_task), id(target)) };
        TargetDataOpEmi {
            code: at(codeptr),
            kind: kind.into(),
            target_task: target_task.0,
            target: target.0,
            // SAFETY: null or the runtime's storage for our id of this operation.
            host_op: unsafe { operation(&room, endpoint, host_op) },
            src: at(src),
            dest: at(dest),
            src_device: bits(src_device),
            dest_device: bits(dest_device),
            bytes: bytes as u64,
        }
    } outside {
        // SAFETY: null or the runtime's storage for our id of this operation.
        unsafe { notify(endpoint, host_op) };
    }
    fn ompttrace_cb_target_submit / TargetSubmit / 0; (target: ompt_id_t, host_op: ompt_id_t, teams: c_uint) |room| {
        TargetSubmit { target, host_op, teams: teams.into() }
    }
    fn ompttrace_cb_target_submit_emi / TargetSubmitEmi / endpoint;
        (endpoint: ompt_scope_endpoint_t, target: Data, host_op: *mut ompt_id_t, teams: c_uint) |room| {
        // SAFETY: the runtime's word for this callback.
        let target = unsafe { id(target) };
        // SAFETY: null or the runtime's storage for our id of this operation.
        let host_op = unsafe { operation(&room, endpoint, host_op) };
        TargetSubmitEmi { target: target.0, host_op, teams: teams.into() }
    } outside {
        // SAFETY: null or the runtime's storage for our id of this operation.
        unsafe { notify(endpoint, host_op) };
    }
    fn ompttrace_cb_target_map / TargetMap / 0;
        (target: ompt_id_t, items: c_uint, host: *mut Address, device: *mut Address, bytes: *mut usize, flags: *mut c_uint, codeptr: Code) |room| {
        TargetMap { code: at(codeptr), kind: 0, target, count: items.into() }
    } then {
        // SAFETY: the runtime passes arrays of `items` entries, or null.
        unsafe { put_items(items, host, device, bytes, flags) };
    }
    fn ompttrace_cb_target_map_emi / TargetMapEmi / 0;
        (target: Data, items: c_uint, host: *mut Address, device: *mut Address, bytes: *mut usize, flags: *mut c_uint, codeptr: Code) |room| {
        // SAFETY: the runtime's word for this callback.
        let target = unsafe { id(target) };
        TargetMapEmi { code: at(codeptr), kind: 0, target: target.0, count: items.into() }
    } then {
        // SAFETY: the runtime passes arrays of `items` entries, or null.
        unsafe { put_items(items, host, device, bytes, flags) };
    }
}

fn made(room: &Option<Room>) -> Id {
    new_id(room.as_ref(), |thread, counter| Id::region(thread, counter, 0))
}

/// Notifies the source of devices' activities, which belong to the operation in which they are asked for.
unsafe fn notify(endpoint: ompt_scope_endpoint_t, host_op: *mut ompt_id_t) {
    if host_op.is_null() {
        return;
    }
    if endpoint == ompt_scope_begin {
        // SAFETY: not null, so by the caller's promise storage for one id, which `operation` has set.
        operation_begins(unsafe { *host_op });
    } else if endpoint == ompt_scope_end {
        operation_ends();
    }
}

/// The tool's id of an operation: it is created at the operation's begin, and read from the runtime's word at its end.
unsafe fn operation(room: &Option<Room>, endpoint: u32, host_op: *mut ompt_id_t) -> u64 {
    if host_op.is_null() {
        return 0;
    }
    // SAFETY: not null, so by the caller's promise storage for one id.
    unsafe {
        if endpoint == ompt_scope_begin {
            *host_op = made(room).0;
        }
        *host_op
    }
}

unsafe fn put_items(
    items: c_uint,
    host: *mut Address,
    device: *mut Address,
    bytes: *mut usize,
    flags: *mut c_uint,
) {
    for index in 0..items as usize {
        // SAFETY: the index is below the number of entries; null arrays are not touched.
        let record = unsafe {
            MapItem {
                host: entry(host, index).map_or(0, |address| at(address)),
                device_address: entry(device, index).map_or(0, |address| at(address)),
                bytes: entry(bytes, index).map_or(0, |bytes| bytes as u64),
                flags: entry(flags, index).map_or(0, u64::from),
            }
        };
        ompttrace_recorder::put_more(code::<{ MapItem::NUMBER }>(0), record.words());
    }
}

unsafe fn entry<T: Copy>(array: *mut T, index: usize) -> Option<T> {
    // SAFETY: the caller's array has more than `index` entries unless it is null.
    if array.is_null() { None } else { Some(unsafe { array.add(index).read() }) }
}
