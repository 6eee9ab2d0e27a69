//! Explicit tasks: creation, scheduling, dependences (OpenMP 5.2, 19.5.2.7-19.5.2.10).

use crate::data::{Code, Data, at, bits, code_at, id, new_id, set_id};
use crate::table::{CallbackEntry, callbacks, code};
use crate::taskloops;
use core::ffi::c_int;
use ompt_sys::{ompt_dependence_t, ompt_frame_t, ompt_task_status_t};
use ompttrace_recorder::Room;
use ompttrace_recording::events::{
    Dependence, Dependences, TaskCreate, TaskDependence, TaskSchedule,
};
use ompttrace_recording::{Id, short};

callbacks! { TABLE;
    fn ompttrace_cb_dependences / Dependences / 0;
        (task: Data, list: *const ompt_dependence_t, count: c_int) |room| {
        // SAFETY: the runtime's word for this callback.
        let task = unsafe { id(task) };
        Dependences { task: task.0, count: items(list, count) as u64 }
    } then {
        for index in 0..items(list, count) {
            // SAFETY: the runtime passes `count` dependences; the index is below.
            unsafe { put_dependence(&*list.add(index)) };
        }
    }
    fn ompttrace_cb_task_dependence / TaskDependence / 0; (src: Data, sink: Data) |room| {
        // SAFETY: both words are the runtime's for this callback.
        let (src, sink) = unsafe { (id(src), id(sink)) };
        TaskDependence { src: src.0, sink: sink.0 }
    }
}

fn items(list: *const ompt_dependence_t, count: c_int) -> usize {
    if list.is_null() { 0 } else { usize::try_from(count).unwrap_or(0) }
}

fn put_dependence(dependence: &ompt_dependence_t) {
    // SAFETY: the word is an address or an iteration number; both are 64 bits.
    let variable = unsafe { dependence.variable.value };
    let record = Dependence { variable, kind: dependence.dependence_type.into() };
    ompttrace_recorder::put_more(code::<{ Dependence::NUMBER }>(0), record.words());
}

/// task_create is separate, like parallel_begin: its id carries a code address's number; and
/// so does task_schedule: its status decides the form of the record.
pub(crate) const TASKS: &[CallbackEntry] = &[
    CallbackEntry::new(TaskCreate::NUMBER, ompttrace_cb_task_create as *const ()),
    CallbackEntry::new(TaskSchedule::NUMBER, ompttrace_cb_task_schedule as *const ()),
];

unsafe extern "C-unwind" fn ompttrace_cb_task_schedule(
    prior: Data,
    status: ompt_task_status_t,
    next: Data,
) {
    match ompttrace_recorder::room() {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        Some(room) => unsafe { schedule(Some(room), prior, status, next) },
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        None => unsafe { cold_schedule(prior, status, next) },
    }
}

#[cold]
#[inline(never)]
unsafe extern "C-unwind" fn cold_schedule(prior: Data, status: ompt_task_status_t, next: Data) {
    // SAFETY: the runtime's word for this callback.
    ompttrace_recorder::leave(unsafe { id(prior) });
    ompttrace_recorder::slow(code::<{ TaskSchedule::NUMBER }>(0), |room| {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        unsafe { schedule(room, prior, status, next) }
    });
}

#[inline(always)]
unsafe fn schedule(room: Option<Room>, prior: Data, status: ompt_task_status_t, next: Data) {
    // SAFETY: both words are the runtime's for this callback.
    let (prior, incoming) = unsafe { (id(prior), id(next)) };
    // SAFETY: the word is the runtime's for this callback. The task runs from now on, whether it did before or not: to
    // ask costs more.
    unsafe { set_id(next, incoming.started()) };
    let Some(room) = room else { return };
    match short::Schedule::code(status) {
        Some(code) => room.put(code, short::Schedule { prior: prior.0, next: incoming.0 }),
        None => {
            let status = status.into();
            let event = TaskSchedule { prior: prior.0, next: incoming.0, status };
            room.put(code::<{ TaskSchedule::NUMBER }>(0), event);
        }
    }
}

pub(super) unsafe extern "C-unwind" fn ompttrace_cb_task_create(
    task: Data,
    frame: *const ompt_frame_t,
    new: Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: Code,
) {
    if let Some((room, new_task)) = ompttrace_recorder::room_for_task(at(codeptr)) {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        return unsafe { create(room, new_task, task, new, flags, has_dependences, codeptr) };
    }
    // SAFETY: the arguments are the runtime's, passed on unchanged.
    unsafe { elsewhere(task, frame, new, flags, has_dependences, codeptr) }
}

#[inline(always)]
unsafe fn create(
    room: Room,
    new_task: Id,
    task: Data,
    new: Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: Code,
) {
    // SAFETY: the runtime's word for this callback.
    let task = unsafe { id(task) };
    let mut event = TaskCreate {
        code: at(codeptr),
        kind: bits(has_dependences),
        task: task.0,
        new_task: new_task.0,
        flags: bits(flags),
    };
    match short::Create::of(&event) {
        Some(short) => {
            // SAFETY: the new task's word is the runtime's for this callback.
            unsafe { set_id(new, new_task) };
            room.put(short::Create::CODE, short);
        }
        None => {
            // SAFETY: the new task's word is the runtime's for this callback.
            unsafe { keep_id(new, new_task, flags) };
            event.kind = u64::from(has_dependences != 0);
            room.put(code::<{ TaskCreate::NUMBER }>(0), event);
        }
    }
}

/// Keeps a new task's id in its word, except for a taskwait with dependences: runtimes have one word a
/// thread for those and abort the program when one that waits runs a task that waits as well and
/// finds something in it (LLVM to 22, Intel to 2026). Readers know which taskwait is over: the last
/// that began on the thread.
///
/// # Safety
/// As for [`set_id`].
#[inline(always)]
unsafe fn keep_id(new: Data, id: Id, flags: c_int) {
    if bits(flags) & short::TASKWAIT == 0 {
        // SAFETY: the caller's promise.
        unsafe { set_id(new, id) };
    }
}

/// Handles a creation at another call site than that of the thread's last task, or without space for its record.
#[inline(never)]
unsafe extern "C-unwind" fn elsewhere(
    task: Data,
    frame: *const ompt_frame_t,
    new: Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: Code,
) {
    let place = taskloops::place(codeptr);
    let code = code_at(place.unwrap_or(at(codeptr)));
    let is_known = ompttrace_recorder::is_task_site(at(code));
    match is_known.then(|| ompttrace_recorder::room_for_task(at(code))).flatten() {
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        Some((room, new_task)) => unsafe {
            create(room, new_task, task, new, flags, has_dependences, code);
        },
        // SAFETY: the arguments are the runtime's, passed on unchanged.
        None => unsafe { cold(task, frame, new, flags, has_dependences, code) },
    }
    place.into_iter().for_each(taskloops::note);
}

#[cold]
#[inline(never)]
unsafe extern "C-unwind" fn cold(
    task: Data,
    _frame: *const ompt_frame_t,
    new: Data,
    flags: c_int,
    has_dependences: c_int,
    codeptr: Code,
) {
    let event = code::<{ TaskCreate::NUMBER }>(0);
    ompttrace_recorder::slow_with_site(event, at(codeptr), |room, site| {
        let new_task =
            new_id(room.as_ref(), |thread, counter| Id::fresh_task(thread, counter, site));
        match room {
            // SAFETY: the arguments are the runtime's, passed on unchanged.
            Some(room) => unsafe {
                create(room, new_task, task, new, flags, has_dependences, codeptr);
            },
            // SAFETY: the new task's word is the runtime's for this callback.
            None => unsafe { keep_id(new, new_task, flags) },
        }
    });
}
