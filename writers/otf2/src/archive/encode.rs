//! Our events as OTF2's records: the codes, and what each holds.

use otf2_sys::{
    OTF2_TYPE_CALLING_CONTEXT, OTF2_TYPE_INT64, OTF2_TYPE_STRING, OTF2_TYPE_UINT64, OTF2_Type_enum,
};

use super::define::{INTERRUPT_GENERATOR, OPENMP};
use super::event_file::{EventFile, Record, put};
use super::pipe::Context;
use crate::Error;
use crate::ids::AttributeId;
use crate::op::{Attribute, Batch, ListRef, Op, TaskName, Value, What};

/// What records are called in files (`otf2_events_int.h` of libotf2).
mod code {
    pub const ATTRIBUTES: u8 = 6;
    pub const BUFFER_FLUSH: u8 = 10;
    pub const MEASUREMENT_ON_OFF: u8 = 11;
    pub const ENTER: u8 = 12;
    pub const LEAVE: u8 = 13;
    pub const METRIC: u8 = 31;
    pub const PARAMETER_STRING: u8 = 32;
    pub const PARAMETER_UNSIGNED_INT: u8 = 34;
    pub const RMA_WIN_CREATE: u8 = 35;
    pub const RMA_WIN_DESTROY: u8 = 36;
    pub const RMA_PUT: u8 = 46;
    pub const RMA_GET: u8 = 47;
    pub const RMA_OP_COMPLETE_BLOCKING: u8 = 49;
    pub const THREAD_FORK: u8 = 53;
    pub const THREAD_JOIN: u8 = 54;
    pub const THREAD_TEAM_BEGIN: u8 = 55;
    pub const THREAD_TEAM_END: u8 = 56;
    pub const THREAD_ACQUIRE_LOCK: u8 = 57;
    pub const THREAD_RELEASE_LOCK: u8 = 58;
    pub const THREAD_TASK_CREATE: u8 = 59;
    pub const THREAD_TASK_SWITCH: u8 = 60;
    pub const THREAD_TASK_COMPLETE: u8 = 61;
    pub const CALLING_CONTEXT_SAMPLE: u8 = 68;
    pub const PROGRAM_BEGIN: u8 = 83;
    pub const PROGRAM_END: u8 = 84;
}

/// The rank of a device in the communicator of its window: see `define.rs`.
const DEVICE: u32 = 0;
/// The unwind distance and the exit status that are not known.
const UNKNOWN_DISTANCE: u32 = u32::MAX;
const UNKNOWN_STATUS: u64 = i64::MIN as u64;
const MEASUREMENT_ON: u8 = 1;
const MEASUREMENT_OFF: u8 = 2;
/// Bytes that a number of 32 and of 64 bits take at most.
const NUMBER: usize = 5;
const LONG: usize = 9;

/// Writes consecutive events of a location.
pub(super) fn write(to: &mut EventFile, batch: &Batch, context: &Context) -> Result<(), Error> {
    batch.ops.iter().try_for_each(|op| write_one(to, op, &batch.attributes, context))
}

#[inline]
fn write_one(
    to: &mut EventFile,
    &Op { at, what }: &Op,
    attributes: &[Attribute],
    context: &Context,
) -> Result<(), Error> {
    match what {
        What::Enter(region) => to.short_event(at, code::ENTER, region),
        What::Leave(region) => to.short_event(at, code::LEAVE, region),
        What::ThreadTaskCreate(task) => named(to, at, code::THREAD_TASK_CREATE, task),
        What::ThreadTaskSwitch(task) => named(to, at, code::THREAD_TASK_SWITCH, task),
        What::ThreadTaskComplete(task) => named(to, at, code::THREAD_TASK_COMPLETE, task),
        What::ThreadAcquireLock { lock, order } => {
            locked(to, at, code::THREAD_ACQUIRE_LOCK, (lock, order))
        }
        What::ThreadReleaseLock { lock, order } => {
            locked(to, at, code::THREAD_RELEASE_LOCK, (lock, order))
        }
        What::EnterWith(region, list) => {
            with(to, at, (code::ENTER, None, region), listed(attributes, list))
        }
        What::LeaveWith(region, list) => {
            with(to, at, (code::LEAVE, None, region), listed(attributes, list))
        }
        _ => write_rare(to, at, what, context),
    }
}

#[inline(always)]
fn named(to: &mut EventFile, at: u64, code: u8, name: TaskName) -> Result<(), Error> {
    let TaskName { team, thread, generation } = name;
    to.event(at, code, |record| {
        record.number(team.number());
        record.number(thread);
        record.number(generation);
    })
}

#[inline(always)]
fn locked(
    to: &mut EventFile,
    at: u64,
    code: u8,
    (lock, order): (u32, u32),
) -> Result<(), Error> {
    to.event(at, code, |record| {
        record.byte(OPENMP);
        record.number(lock);
        record.number(order);
    })
}

#[cold]
fn write_rare(to: &mut EventFile, at: u64, what: What, context: &Context) -> Result<(), Error> {
    let window = |record: &mut Record<'_>, win| record.number(win);
    match what {
        What::ParameterString(parameter, string) => {
            to.event(at, code::PARAMETER_STRING, |record| {
                record.number(parameter);
                record.number(string);
            })
        }
        What::ParameterUnsigned(parameter, value) => {
            to.event(at, code::PARAMETER_UNSIGNED_INT, |record| {
                record.number(parameter);
                record.long(value);
            })
        }
        What::ThreadFork { requested } => to.event(at, code::THREAD_FORK, |record| {
            record.byte(OPENMP);
            record.number(requested);
        }),
        What::ThreadJoin => to.event(at, code::THREAD_JOIN, |record| record.byte(OPENMP)),
        What::ThreadTeamBegin { team, os_thread } => {
            let by = who(context, os_thread);
            with(to, at, (code::THREAD_TEAM_BEGIN, Some(NUMBER), team.number()), &by)
        }
        What::ThreadTeamEnd { team } => {
            to.event(at, code::THREAD_TEAM_END, |record| record.number(team.number()))
        }
        What::Metric { metric, value } => to.event(at, code::METRIC, |record| {
            record.number(metric);
            record.byte(1);
            record.byte(OTF2_TYPE_INT64 as u8);
            record.long(value as u64);
        }),
        What::CallingContextSample { context } => {
            to.event(at, code::CALLING_CONTEXT_SAMPLE, |record| {
                record.number(context);
                record.number(UNKNOWN_DISTANCE);
                record.number(INTERRUPT_GENERATOR);
            })
        }
        What::MeasurementOnOff(on) => to.event(at, code::MEASUREMENT_ON_OFF, |record| {
            record.byte(if on { MEASUREMENT_ON } else { MEASUREMENT_OFF });
        }),
        What::BufferFlush { until } => {
            to.event(at, code::BUFFER_FLUSH, |record| record.full(until))
        }
        What::ProgramBegin { os_thread } => begin_program(to, at, context, os_thread),
        What::ProgramEnd => {
            to.event(at, code::PROGRAM_END, |record| record.long(UNKNOWN_STATUS))
        }
        What::RmaWinCreate { win } => {
            to.event(at, code::RMA_WIN_CREATE, |record| window(record, win))
        }
        What::RmaWinDestroy { win } => {
            to.event(at, code::RMA_WIN_DESTROY, |record| window(record, win))
        }
        What::RmaPut { win, transfer, bytes } => {
            moved(to, at, code::RMA_PUT, (win, bytes, transfer.into()))
        }
        What::RmaGet { win, transfer, bytes } => {
            moved(to, at, code::RMA_GET, (win, bytes, transfer.into()))
        }
        What::RmaComplete { win, transfer } => {
            to.event(at, code::RMA_OP_COMPLETE_BLOCKING, |record| {
                record.number(win);
                record.long(transfer.into());
            })
        }
        // Written above.
        What::Enter(_)
        | What::Leave(_)
        | What::EnterWith(..)
        | What::LeaveWith(..)
        | What::ThreadTaskCreate(_)
        | What::ThreadTaskSwitch(_)
        | What::ThreadTaskComplete(_)
        | What::ThreadAcquireLock { .. }
        | What::ThreadReleaseLock { .. } => Ok(()),
    }
}

fn moved(
    to: &mut EventFile,
    at: u64,
    code: u8,
    (win, bytes, transfer): (u32, u64, u64),
) -> Result<(), Error> {
    to.event(at, code, |record| {
        record.number(win);
        record.number(DEVICE);
        record.long(bytes);
        record.long(transfer);
    })
}

fn listed(attributes: &[Attribute], ListRef { first, count }: ListRef) -> &[Attribute] {
    let first = first as usize;
    attributes.get(first..first + count as usize).unwrap_or_default()
}

/// An event that holds one number, with attributes in front of it.
#[cold]
fn with(
    to: &mut EventFile,
    at: u64,
    (code, length, number): (u8, Option<usize>, u32),
    attributes: &[Attribute],
) -> Result<(), Error> {
    let mut data = Vec::with_capacity(NUMBER);
    put(&mut data, number.into(), u32::MAX.into());
    to.long_event(at, &[list(attributes), (code, length, data)])
}

/// A list of attributes.
fn list(attributes: &[Attribute]) -> (u8, Option<usize>, Vec<u8>) {
    let mut data = Vec::with_capacity(NUMBER + attributes.len() * (NUMBER + 1 + LONG));
    let mut most = NUMBER;
    put(&mut data, attributes.len() as u64, u32::MAX.into());
    for Attribute { key, value } in attributes {
        let kind = |kind: OTF2_Type_enum| kind as u8;
        let (kind, value, undefined, size) = match *value {
            Value::Unsigned(value) => (kind(OTF2_TYPE_UINT64), value, u64::MAX, LONG),
            Value::Signed(value) => (kind(OTF2_TYPE_INT64), value as u64, u64::MAX, LONG),
            Value::Text(string) => {
                (kind(OTF2_TYPE_STRING), string.into(), u32::MAX.into(), NUMBER)
            }
            Value::Context(context) => {
                (kind(OTF2_TYPE_CALLING_CONTEXT), context.into(), u32::MAX.into(), NUMBER)
            }
        };
        put(&mut data, (*key).into(), u32::MAX.into());
        data.push(kind);
        put(&mut data, value, undefined);
        most += NUMBER + 1 + size;
    }
    (code::ATTRIBUTES, Some(most), data)
}

/// Which OS thread and process does something, by the names that other writers use.
fn who(context: &Context, thread: u32) -> [Attribute; 2] {
    let id = |key: AttributeId, value: u32| Attribute { key, value: Value::Unsigned(value.into()) };
    [id(context.thread_id, thread), id(context.process_id, context.process)]
}

fn begin_program(
    to: &mut EventFile,
    at: u64,
    context: &Context,
    os_thread: u32,
) -> Result<(), Error> {
    let numbers = [context.program, context.arguments.len() as u32];
    let mut data = Vec::new();
    for number in numbers.iter().chain(&context.arguments) {
        put(&mut data, (*number).into(), u32::MAX.into());
    }
    let most = NUMBER * (numbers.len() + context.arguments.len());
    to.long_event(at, &[list(&who(context, os_thread)), (code::PROGRAM_BEGIN, Some(most), data)])
}
