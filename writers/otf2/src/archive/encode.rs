//! Our events as calls of libotf2, one writer per location.

use std::ptr::{NonNull, null_mut};

use otf2_sys::*;

use super::Archive;
use super::define::{INTERRUPT_GENERATOR, OPENMP};
use super::failure::{NO_HANDLE, check, check_closed, reason};
use super::pipe::Context;
use crate::Error;
use crate::ids::AttributeId;
use crate::op::{Attribute, Batch, ListRef, Op, TaskName, Value, What};

/// libotf2's calls about a task: writer, attributes, time, team, creating thread, generation number.
type TaskCall = unsafe extern "C" fn(
    *mut OTF2_EvtWriter,
    *mut OTF2_AttributeList,
    OTF2_TimeStamp,
    OTF2_CommRef,
    u32,
    u32,
) -> OTF2_ErrorCode;

/// The writer of one location's events, and a list of attributes to fill for the next of them.
#[derive(Debug)]
pub(super) struct Events {
    writer: NonNull<OTF2_EvtWriter>,
    list: NonNull<OTF2_AttributeList>,
}

// SAFETY: a writer may be used by any thread, one at a time, which `&mut self` ensures.
unsafe impl Send for Events {}

impl Events {
    pub(super) fn open(archive: &Archive, location: u64) -> Result<Events, Error> {
        // SAFETY: the archive is open and its event files are.
        let writer = unsafe { OTF2_Archive_GetEvtWriter(archive.handle.as_ptr(), location) };
        // SAFETY: gives a list or null.
        let list = unsafe { OTF2_AttributeList_New() };
        match (NonNull::new(writer), NonNull::new(list)) {
            (Some(writer), Some(list)) => Ok(Events { writer, list }),
            _ => Err(Error::Write(reason(NO_HANDLE))),
        }
    }

    /// Ends the location's file; returns how many events it holds.
    pub(super) fn close(self, archive: &Archive) -> Result<u64, Error> {
        let mut count = 0;
        // SAFETY: the writer and the list are open, and given up here.
        unsafe {
            OTF2_AttributeList_Delete(self.list.as_ptr());
            check(OTF2_EvtWriter_GetNumberOfEvents(self.writer.as_ptr(), &mut count))?;
            check_closed(OTF2_Archive_CloseEvtWriter(
                archive.handle.as_ptr(),
                self.writer.as_ptr(),
            ))?;
        }
        Ok(count)
    }

    pub(super) fn write(&mut self, batch: &Batch, context: &Context) -> Result<(), Error> {
        for op in &batch.ops {
            self.write_one(op, &batch.attributes, context)?;
        }
        Ok(())
    }

    #[inline]
    fn write_one(
        &mut self,
        op: &Op,
        attributes: &[Attribute],
        context: &Context,
    ) -> Result<(), Error> {
        let (to, none, at) = (self.writer.as_ptr(), null_mut(), op.at);
        let task = |call: TaskCall, TaskName { team, thread, generation }| {
            // SAFETY: the writer is open.
            unsafe { call(to, none, at, team.number(), thread, generation) }
        };
        // SAFETY: the writer is open; lists that are given are ours and live.
        let code = unsafe {
            match op.what {
                What::Enter(region) => OTF2_EvtWriter_Enter(to, none, at, region),
                What::Leave(region) => OTF2_EvtWriter_Leave(to, none, at, region),
                What::EnterWith(region, list) => {
                    OTF2_EvtWriter_Enter(to, self.fill(attributes, list)?, at, region)
                }
                What::LeaveWith(region, list) => {
                    OTF2_EvtWriter_Leave(to, self.fill(attributes, list)?, at, region)
                }
                What::ThreadTaskCreate(of) => task(OTF2_EvtWriter_ThreadTaskCreate, of),
                What::ThreadTaskSwitch(of) => task(OTF2_EvtWriter_ThreadTaskSwitch, of),
                What::ThreadTaskComplete(of) => task(OTF2_EvtWriter_ThreadTaskComplete, of),
                What::ThreadAcquireLock { lock, order } => {
                    OTF2_EvtWriter_ThreadAcquireLock(to, none, at, OPENMP, lock, order)
                }
                What::ThreadReleaseLock { lock, order } => {
                    OTF2_EvtWriter_ThreadReleaseLock(to, none, at, OPENMP, lock, order)
                }
                What::ParameterString(parameter, string) => {
                    OTF2_EvtWriter_ParameterString(to, none, at, parameter, string)
                }
                What::ParameterUnsigned(parameter, value) => {
                    OTF2_EvtWriter_ParameterUnsignedInt(to, none, at, parameter, value)
                }
                _ => return self.write_rare(op, context),
            }
        };
        check(code)
    }

    #[cold]
    fn write_rare(&mut self, op: &Op, context: &Context) -> Result<(), Error> {
        let (to, none, at) = (self.writer.as_ptr(), null_mut(), op.at);
        // SAFETY: the writer is open; lists and arrays that are given are ours and live through their calls.
        let code = unsafe {
            match op.what {
                What::ThreadFork { requested } => {
                    OTF2_EvtWriter_ThreadFork(to, none, at, OPENMP, requested)
                }
                What::ThreadJoin => OTF2_EvtWriter_ThreadJoin(to, none, at, OPENMP),
                What::ThreadTeamBegin { team, os_thread } => {
                    let list = self.who(context, os_thread)?;
                    OTF2_EvtWriter_ThreadTeamBegin(to, list, at, team.number())
                }
                What::ThreadTeamEnd { team } => {
                    OTF2_EvtWriter_ThreadTeamEnd(to, none, at, team.number())
                }
                What::Metric { metric, value } => {
                    let values = [OTF2_MetricValue { signed_int: value }];
                    let types = [OTF2_TYPE_INT64 as OTF2_Type];
                    let (types, values) = (types.as_ptr(), values.as_ptr());
                    OTF2_EvtWriter_Metric(to, none, at, metric, 1, types, values)
                }
                What::CallingContextSample { context } => OTF2_EvtWriter_CallingContextSample(
                    to,
                    none,
                    at,
                    context,
                    OTF2_UNDEFINED_UINT32,
                    INTERRUPT_GENERATOR,
                ),
                What::MeasurementOnOff(on) => {
                    let mode = if on { OTF2_MEASUREMENT_ON } else { OTF2_MEASUREMENT_OFF };
                    OTF2_EvtWriter_MeasurementOnOff(to, none, at, mode as OTF2_MeasurementMode)
                }
                What::BufferFlush { until } => OTF2_EvtWriter_BufferFlush(to, none, at, until),
                What::ProgramBegin { os_thread } => {
                    let list = self.who(context, os_thread)?;
                    let (count, arguments) = (context.arguments.len(), context.arguments.as_ptr());
                    let program = context.program;
                    OTF2_EvtWriter_ProgramBegin(to, list, at, program, count as u32, arguments)
                }
                What::ProgramEnd => OTF2_EvtWriter_ProgramEnd(to, none, at, OTF2_UNDEFINED_INT64),
                What::RmaWinCreate { win } => OTF2_EvtWriter_RmaWinCreate(to, none, at, win),
                What::RmaWinDestroy { win } => OTF2_EvtWriter_RmaWinDestroy(to, none, at, win),
                What::RmaPut { win, transfer, bytes } => {
                    OTF2_EvtWriter_RmaPut(to, none, at, win, DEVICE, bytes, transfer.into())
                }
                What::RmaGet { win, transfer, bytes } => {
                    OTF2_EvtWriter_RmaGet(to, none, at, win, DEVICE, bytes, transfer.into())
                }
                What::RmaComplete { win, transfer } => {
                    OTF2_EvtWriter_RmaOpCompleteBlocking(to, none, at, win, transfer.into())
                }
                _ => return Ok(()),
            }
        };
        check(code)
    }

    /// The attributes of one event; the library empties the list as it writes it.
    #[cold]
    fn fill(
        &mut self,
        attributes: &[Attribute],
        ListRef { first, count }: ListRef,
    ) -> Result<*mut OTF2_AttributeList, Error> {
        let list = self.list.as_ptr();
        let wanted = attributes.iter().skip(first as usize).take(count as usize);
        for &Attribute { key, value } in wanted {
            // SAFETY: the list is open.
            check(unsafe {
                match value {
                    Value::Unsigned(value) => OTF2_AttributeList_AddUint64(list, key, value),
                    Value::Signed(value) => OTF2_AttributeList_AddInt64(list, key, value),
                    Value::Text(value) => OTF2_AttributeList_AddStringRef(list, key, value),
                    Value::Context(value) => {
                        OTF2_AttributeList_AddCallingContextRef(list, key, value)
                    }
                }
            })?;
        }
        Ok(list)
    }

    /// Which OS thread and process does this, by the names that other writers use.
    fn who(&mut self, context: &Context, thread: u32) -> Result<*mut OTF2_AttributeList, Error> {
        let id =
            |key: AttributeId, value: u32| Attribute { key, value: Value::Unsigned(value.into()) };
        let both = [id(context.thread_id, thread), id(context.process_id, context.process)];
        self.fill(&both, ListRef { first: 0, count: 2 })
    }
}

/// The rank of a device in the communicator of its window: see `define.rs`.
const DEVICE: u32 = 0;
