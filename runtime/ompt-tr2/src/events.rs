//! The events of the report with its numbers (appendix A.2) and signatures (section 3, appendix A.4), and the event of
//! the model that each becomes. If the two parts of the report differ, README.md has the interpretation.
//!
//! Ids are numbers of the runtime, which are recorded unchanged ([`Id::from_source`]).

use crate::table::events;
use core::ffi::{c_int, c_void};
use ompttrace_recording::Id;
use ompttrace_recording::kinds::{IDLE, TARGET_DATA, UNREPORTED, data_map};
use ompttrace_recording::words::KIND_FUNCTION;

/// The address of an outlined function.
type Function = *const c_void;
/// Frame data, which is not used here.
type Frame = *const c_void;

/// ompt_task_flag_t, ompt_parallel_flag_t, ompt_mutex_t, ompt_sync_region_t, ompt_work_t and
/// ompt_target_t of OpenMP 5.2.
const INITIAL: u64 = 1;
const IMPLICIT: u64 = 2;
const EXPLICIT: u64 = 4;
const TEAM: u64 = 0x8000_0000;
const LOCK: u64 = 1;
const NEST_LOCK: u64 = 3;
const CRITICAL: u64 = 5;
const ATOMIC: u64 = 6;
const ORDERED: u64 = 7;
const BARRIER: u64 = 1;
const TASKWAIT: u64 = 5;
const TASKGROUP: u64 = 6;
const LOOP: u64 = 1;
const SECTIONS: u64 = 2;
const SINGLE: u64 = 3;
const OTHERS: u64 = 4;
const WORKSHARE: u64 = 5;
const TARGET: u64 = 1;
const UPDATE: u64 = 4;
const COMPLETE: u64 = 1;
const SWITCH: u64 = 7;

/// The ompt_invoker_t as bits of ompt_parallel_flag_t; none for other values, which a runtime that passes fewer
/// arguments has left in the register.
#[inline(always)]
fn team_flags(invoker: u32) -> u64 {
    TEAM | if invoker < 2 { 1 << invoker } else { 0 }
}

#[inline(always)]
fn id(number: u64) -> u64 {
    Id::from_source(number).0
}

#[inline(always)]
fn at(function: Function) -> u64 {
    function.addr() as u64
}

#[inline(always)]
fn signed(number: c_int) -> u64 {
    i64::from(number) as u64
}

events! { MANDATORY;
    1 parallel_begin ParallelBegin None [new function] (task: u64, frame: Frame, region: u64, requested: u32, function: Function, invoker: u32)
        => { code: at(function), kind: KIND_FUNCTION, region: id(region), task: id(task), requested: requested.into(), flags: team_flags(invoker) }
    2 parallel_end ParallelEnd None (region: u64, task: u64, invoker: u32)
        => { code: 0, kind: 0, region: id(region), task: id(task), flags: team_flags(invoker) }
    4 task_end TaskSchedule None (task: u64) => { prior: id(task), next: 0, status: COMPLETE }
}

events! { BEGINS;
    3 task_begin TaskCreate None [new function] (task: u64, frame: Frame, new: u64, function: Function)
        => { code: at(function), kind: KIND_FUNCTION, task: id(task), new_task: id(new), flags: EXPLICIT }
    5 thread_begin ThreadBegin None (kind: u32, thread: u64) => { thread_type: kind.into() }
}

events! { BLAME;
    9 idle_begin SyncRegionWait Begin (thread: u64) => { code: 0, kind: IDLE, task: 0 }
    10 idle_end SyncRegionWait End (thread: u64) => { code: 0, kind: IDLE, task: 0 }
    11 wait_barrier_begin SyncRegionWait Begin (region: u64, task: u64) => { code: 0, kind: BARRIER, task: id(task) }
    12 wait_barrier_end SyncRegionWait End (region: u64, task: u64) => { code: 0, kind: BARRIER, task: id(task) }
    13 wait_taskwait_begin SyncRegionWait Begin (region: u64, task: u64) => { code: 0, kind: TASKWAIT, task: id(task) }
    14 wait_taskwait_end SyncRegionWait End (region: u64, task: u64) => { code: 0, kind: TASKWAIT, task: id(task) }
    15 wait_taskgroup_begin SyncRegionWait Begin (region: u64, task: u64) => { code: 0, kind: TASKGROUP, task: id(task) }
    16 wait_taskgroup_end SyncRegionWait End (region: u64, task: u64) => { code: 0, kind: TASKGROUP, task: id(task) }
    17 release_lock MutexReleased None (wait: u64) => { code: 0, kind: LOCK, wait_id: wait }
    18 release_nest_lock_last MutexReleased None (wait: u64) => { code: 0, kind: NEST_LOCK, wait_id: wait }
    19 release_critical MutexReleased None (wait: u64) => { code: 0, kind: CRITICAL, wait_id: wait }
    20 release_atomic MutexReleased None (wait: u64) => { code: 0, kind: ATOMIC, wait_id: wait }
    21 release_ordered MutexReleased None (wait: u64) => { code: 0, kind: ORDERED, wait_id: wait }
}

events! { SYNCHRONOUS;
    22 implicit_task_begin ImplicitTask Begin (region: u64, task: u64)
        => { region: id(region), task: id(task), team_size: crate::inquiry::team_size(), thread_num: UNREPORTED, flags: IMPLICIT }
    23 implicit_task_end ImplicitTask End (region: u64, task: u64)
        => { region: id(region), task: id(task), team_size: 0, thread_num: UNREPORTED, flags: IMPLICIT }
    26 task_switch TaskSchedule None (suspended: u64, resumed: u64) => { prior: id(suspended), next: id(resumed), status: SWITCH }
    27 loop_begin Work Begin (region: u64, task: u64, function: Function) => { code: at(function), kind: LOOP | KIND_FUNCTION, task: id(task), count: 0 }
    28 loop_end Work End (region: u64, task: u64) => { code: 0, kind: LOOP, task: id(task), count: 0 }
    29 sections_begin Work Begin (region: u64, task: u64, function: Function) => { code: at(function), kind: SECTIONS | KIND_FUNCTION, task: id(task), count: 0 }
    30 sections_end Work End (region: u64, task: u64) => { code: 0, kind: SECTIONS, task: id(task), count: 0 }
    31 single_in_block_begin Work Begin (region: u64, task: u64, function: Function) => { code: at(function), kind: SINGLE | KIND_FUNCTION, task: id(task), count: 0 }
    32 single_in_block_end Work End (region: u64, task: u64) => { code: 0, kind: SINGLE, task: id(task), count: 0 }
    33 single_others_begin Work Begin (region: u64, task: u64) => { code: 0, kind: OTHERS, task: id(task), count: 0 }
    34 single_others_end Work End (region: u64, task: u64) => { code: 0, kind: OTHERS, task: id(task), count: 0 }
    35 workshare_begin Work Begin (region: u64, task: u64, function: Function) => { code: at(function), kind: WORKSHARE | KIND_FUNCTION, task: id(task), count: 0 }
    36 workshare_end Work End (region: u64, task: u64) => { code: 0, kind: WORKSHARE, task: id(task), count: 0 }
    37 master_begin Masked Begin (region: u64, task: u64) => { code: 0, kind: 0, task: id(task) }
    38 master_end Masked End (region: u64, task: u64) => { code: 0, kind: 0, task: id(task) }
    39 barrier_begin SyncRegion Begin (region: u64, task: u64) => { code: 0, kind: BARRIER, task: id(task) }
    40 barrier_end SyncRegion End (region: u64, task: u64) => { code: 0, kind: BARRIER, task: id(task) }
    41 taskwait_begin SyncRegion Begin (region: u64, task: u64) => { code: 0, kind: TASKWAIT, task: id(task) }
    42 taskwait_end SyncRegion End (region: u64, task: u64) => { code: 0, kind: TASKWAIT, task: id(task) }
    43 taskgroup_begin SyncRegion Begin (region: u64, task: u64) => { code: 0, kind: TASKGROUP, task: id(task) }
    44 taskgroup_end SyncRegion End (region: u64, task: u64) => { code: 0, kind: TASKGROUP, task: id(task) }
    45 release_nest_lock_prev NestLock End (wait: u64) => { code: 0, kind: 0, wait_id: wait }
    46 wait_lock MutexAcquire None (wait: u64) => { code: 0, kind: LOCK, wait_id: wait, hint: 0, implementation: 0 }
    47 wait_nest_lock MutexAcquire None (wait: u64) => { code: 0, kind: NEST_LOCK, wait_id: wait, hint: 0, implementation: 0 }
    48 wait_critical MutexAcquire None (wait: u64) => { code: 0, kind: CRITICAL, wait_id: wait, hint: 0, implementation: 0 }
    49 wait_atomic MutexAcquire None (wait: u64) => { code: 0, kind: ATOMIC, wait_id: wait, hint: 0, implementation: 0 }
    50 wait_ordered MutexAcquire None (wait: u64) => { code: 0, kind: ORDERED, wait_id: wait, hint: 0, implementation: 0 }
    51 acquired_lock MutexAcquired None (wait: u64) => { code: 0, kind: LOCK, wait_id: wait }
    52 acquired_nest_lock_first MutexAcquired None (wait: u64) => { code: 0, kind: NEST_LOCK, wait_id: wait }
    53 acquired_nest_lock_next NestLock Begin (wait: u64) => { code: 0, kind: 0, wait_id: wait }
    54 acquired_critical MutexAcquired None (wait: u64) => { code: 0, kind: CRITICAL, wait_id: wait }
    55 acquired_atomic MutexAcquired None (wait: u64) => { code: 0, kind: ATOMIC, wait_id: wait }
    56 acquired_ordered MutexAcquired None (wait: u64) => { code: 0, kind: ORDERED, wait_id: wait }
    57 init_lock LockInit None (wait: u64) => { code: 0, kind: LOCK, wait_id: wait, hint: 0, implementation: 0 }
    58 init_nest_lock LockInit None (wait: u64) => { code: 0, kind: NEST_LOCK, wait_id: wait, hint: 0, implementation: 0 }
    59 destroy_lock LockDestroy None (wait: u64) => { code: 0, kind: LOCK, wait_id: wait }
    60 destroy_nest_lock LockDestroy None (wait: u64) => { code: 0, kind: NEST_LOCK, wait_id: wait }
    61 flush Flush None () => { code: 0, kind: 0 }
}

events! { INITIAL_TASKS;
    24 initial_task_begin ImplicitTask Begin (task: u64)
        => { region: 0, task: id(task), team_size: 1, thread_num: 0, flags: INITIAL }
    25 initial_task_end ImplicitTask End (task: u64)
        => { region: 0, task: id(task), team_size: 0, thread_num: 0, flags: INITIAL }
}

events! { TARGETS;
    62 target_begin TargetEmi Begin [new function] (task: u64, frame: Frame, target: u64, device: c_int, function: Function)
        => { code: at(function), kind: TARGET | KIND_FUNCTION, device: signed(device), task: id(task), target_task: id(target), target }
    63 target_end TargetEmi End (target: u64) => { code: 0, kind: TARGET, device: UNREPORTED, task: 0, target_task: id(target), target }
    64 target_data_begin TargetEmi Begin [new function] (task: u64, target: u64, device: c_int, function: Function)
        => { code: at(function), kind: TARGET_DATA | KIND_FUNCTION, device: signed(device), task: id(task), target_task: 0, target }
    65 target_data_end TargetEmi End (target: u64) => { code: 0, kind: TARGET_DATA, device: UNREPORTED, task: 0, target_task: 0, target }
    66 target_update_begin TargetEmi Begin [new function] (task: u64, frame: Frame, target: u64, device: c_int, function: Function)
        => { code: at(function), kind: UPDATE | KIND_FUNCTION, device: signed(device), task: id(task), target_task: id(target), target }
    67 target_update_end TargetEmi End (target: u64) => { code: 0, kind: UPDATE, device: UNREPORTED, task: 0, target_task: id(target), target }
    68 data_map_begin TargetDataOpEmi Begin [new function] (task: u64, device: c_int, sync: u32, map: u32, bytes: u64, function: Function)
        => { code: at(function), kind: data_map(sync.into(), map.into()) | KIND_FUNCTION, target_task: 0, target: task, host_op: 0, src: 0, dest: 0,
             src_device: UNREPORTED, dest_device: signed(device), bytes }
    69 data_map_end TargetDataOpEmi End (task: u64)
        => { code: 0, kind: data_map(0, 0), target_task: 0, target: task, host_op: 0, src: 0, dest: 0, src_device: UNREPORTED, dest_device: UNREPORTED, bytes: 0 }
}
