//! The records of explicit tasks: of their creation, and of switches between them.

use crate::call::Call;
use crate::report::{self, kind};
use ompttrace_recorder::{is_task_site, room_for_task};
use ompttrace_recording::events::{TaskCreate, TaskSchedule};
use ompttrace_recording::{EventCode, Id, Scope, short};

/// ompt_task_complete.
pub const COMPLETE: u32 = 1;
/// ompt_task_switch.
pub const SWITCH: u32 = 7;
/// Bits of ompt_task_flag_t: undeferred, untied and final.
pub const UNDEFERRED: u64 = 0x0800_0000;
/// See [`UNDEFERRED`].
pub const UNTIED: u64 = 0x1000_0000;
/// See [`UNDEFERRED`].
pub const FINAL: u64 = 0x2000_0000;

/// Records that the thread switches from one task to another.
#[inline(always)]
pub fn schedule(prior: u64, status: u32, next: u64) {
    if !report::wants(TaskSchedule::NUMBER) {
        return;
    }
    let long = EventCode::new(TaskSchedule::NUMBER, Scope::None);
    let code = short::Schedule::code(status).unwrap_or(long);
    let event = short::Schedule { prior, next };
    match ompttrace_recorder::room() {
        Some(room) => room.put(code, event),
        None => cold_schedule(code, event),
    }
}

#[cold]
#[inline(never)]
fn cold_schedule(code: EventCode, event: short::Schedule) {
    let long = short::event_code(code);
    ompttrace_recorder::slow(long, |room| {
        if let Some(room) = room {
            room.put(code, event);
        }
    });
}

/// Records a new task of the running one; returns its id. If it has dependences the caller must record them next.
#[inline(always)]
pub fn created(call: &Call, flags: u64, has_dependences: bool) -> Id {
    let task = call.task_id();
    if flags & kind::EXPLICIT != 0 {
        call.put_context();
    }
    let event_of = |new_task: Id| TaskCreate {
        code: call.code,
        kind: has_dependences.into(),
        task,
        new_task: new_task.0,
        flags,
    };
    let wanted = report::wants(TaskCreate::NUMBER);
    let mut slot = if wanted { room_for_task(call.code) } else { None };
    if slot.is_none() && wanted && is_task_site(call.code) {
        slot = room_for_task(call.code);
    }
    match slot {
        Some((room, id)) => {
            let event = event_of(id);
            match short::Create::of(&event) {
                Some(short) => room.put(short::Create::CODE, short),
                None => room.put(EventCode::new(TaskCreate::NUMBER, Scope::None), event),
            }
            id
        }
        None => cold_create(call, event_of),
    }
}

#[cold]
#[inline(never)]
fn cold_create(call: &Call, event_of: impl Fn(Id) -> TaskCreate) -> Id {
    let code = EventCode::new(TaskCreate::NUMBER, Scope::None);
    let mut id = Id::NONE;
    ompttrace_recorder::slow_with_site(code, call.code, |room, site| {
        let parts = match &room {
            Some(room) => Some(room.next_id()),
            None => ompttrace_recorder::next_id(),
        };
        id = parts.map_or(Id::NONE, |(t, n)| Id::fresh_task(t, n, site));
        if let Some(room) = room.filter(|_| report::wants(TaskCreate::NUMBER)) {
            room.put(code, event_of(id));
        }
    });
    id
}
