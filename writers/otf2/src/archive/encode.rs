//! Events as OTF2's records: the codes, and what each holds. One function for each kind of record.

use otf2_sys::OTF2_TYPE_INT64;

use super::define::{INTERRUPT_GENERATOR, OPENMP};
use super::event_file::{EventFile, SHORT};
use super::lists::{EncodedList, List, PART, most, write_list};
use super::names::OwnTaskName;
use super::number::{LONG, NUMBER, Number};
use super::pipe::Context;
use super::record::Record;
use crate::Error;

/// Codes of the types of records in files (`otf2_events_int.h` of libotf2).
pub(super) mod code {
    pub const BUFFER_FLUSH: u8 = 10;
    pub const MEASUREMENT_ON_OFF: u8 = 11;
    pub const ENTER: u8 = 12;
    pub const LEAVE: u8 = 13;
    pub const MPI_SEND: u8 = 14;
    pub const MPI_ISEND: u8 = 15;
    pub const MPI_ISEND_COMPLETE: u8 = 16;
    pub const MPI_IRECV_REQUEST: u8 = 17;
    pub const MPI_RECV: u8 = 18;
    pub const MPI_IRECV: u8 = 19;
    pub const MPI_REQUEST_TEST: u8 = 20;
    pub const MPI_REQUEST_CANCELLED: u8 = 21;
    pub const MPI_COLLECTIVE_BEGIN: u8 = 22;
    pub const MPI_COLLECTIVE_END: u8 = 23;
    pub const METRIC: u8 = 31;
    pub const PARAMETER_STRING: u8 = 32;
    pub const PARAMETER_UNSIGNED_INT: u8 = 34;
    pub const RMA_WIN_CREATE: u8 = 35;
    pub const RMA_WIN_DESTROY: u8 = 36;
    pub const RMA_COLLECTIVE_BEGIN: u8 = 37;
    pub const RMA_COLLECTIVE_END: u8 = 38;
    pub const RMA_ACQUIRE_LOCK: u8 = 41;
    pub const RMA_RELEASE_LOCK: u8 = 43;
    pub const RMA_SYNC: u8 = 44;
    pub const RMA_WAIT_CHANGE: u8 = 45;
    pub const RMA_PUT: u8 = 46;
    pub const RMA_GET: u8 = 47;
    pub const RMA_ATOMIC: u8 = 48;
    pub const RMA_OP_COMPLETE_BLOCKING: u8 = 49;
    pub const RMA_OP_COMPLETE_NON_BLOCKING: u8 = 50;
    pub const RMA_OP_TEST: u8 = 51;
    pub const RMA_OP_COMPLETE_REMOTE: u8 = 52;
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
    pub const IO_CREATE_HANDLE: u8 = 69;
    pub const IO_DESTROY_HANDLE: u8 = 70;
    pub const IO_OPERATION_BEGIN: u8 = 75;
    pub const IO_OPERATION_TEST: u8 = 76;
    pub const IO_OPERATION_ISSUED: u8 = 77;
    pub const IO_OPERATION_COMPLETE: u8 = 78;
    pub const IO_OPERATION_CANCELLED: u8 = 79;
    pub const PROGRAM_BEGIN: u8 = 83;
    pub const PROGRAM_END: u8 = 84;
    pub const NON_BLOCKING_COLLECTIVE_REQUEST: u8 = 85;
    pub const NON_BLOCKING_COLLECTIVE_COMPLETE: u8 = 86;
}

/// The rank of a device in the communicator of its window: see `define.rs`.
pub(super) const DEVICE: u32 = 0;
/// That of the process's first thread.
pub(super) const HOST: u32 = 1;
/// The unwind distance and the exit status that are not known.
const UNKNOWN_DISTANCE: u32 = u32::MAX;
const UNKNOWN_STATUS: u64 = i64::MIN as u64;
const MEASUREMENT_ON: u8 = 1;
const MEASUREMENT_OFF: u8 = 2;
/// Writes records into a file. Errors are returned at the end of a batch, by [`Encoder::check`].
#[derive(Debug)]
pub(super) struct Encoder {
    to: EventFile,
}

impl Encoder {
    pub(super) fn new(to: EventFile) -> Encoder {
        Encoder { to }
    }

    /// Time of the last record, in nanoseconds.
    #[inline]
    pub(super) fn last(&self) -> u64 {
        self.to.last()
    }

    /// Returns an error if a record could not be written since the last call.
    pub(super) fn check(&mut self) -> Result<(), Error> {
        self.to.check()
    }

    /// Ends the file; returns its number of records.
    pub(super) fn close(self) -> Result<u64, Error> {
        self.to.close()
    }

    /// Writes a record that is a code and one number without a length, as OTF2 has it for some types.
    pub(super) fn number_event(&mut self, at: u64, code: u8, number: u64) {
        self.to.record(at, 1 + LONG, |record| {
            record.byte(code);
            record.long(number);
        });
    }

    /// Writes a record without attributes.
    pub(super) fn event(&mut self, at: u64, code: u8, data: impl FnOnce(&mut Record<'_>)) {
        self.to.event(at, code, data);
    }

    #[inline(always)]
    pub(super) fn enter(&mut self, at: u64, region: Number) {
        self.region(at, code::ENTER, region)
    }

    #[inline(always)]
    pub(super) fn leave(&mut self, at: u64, region: Number) {
        self.region(at, code::LEAVE, region)
    }

    #[inline(always)]
    fn region(&mut self, at: u64, code: u8, region: Number) {
        self.to.short(at, |to| {
            put(to, 0, u64::from(code) | region.word() << 8);
            1 + region.size()
        })
    }

    pub(super) fn enter_with(&mut self, at: u64, region: Number, list: impl List) {
        self.with(at, list, |record| record.short_part(code::ENTER, region));
    }

    pub(super) fn leave_with(&mut self, at: u64, region: Number, list: impl List) {
        self.with(at, list, |record| record.short_part(code::LEAVE, region));
    }

    /// Enters a region with attributes that many events have.
    #[inline(always)]
    pub(super) fn enter_listed(&mut self, at: u64, region: Number, list: &EncodedList) {
        let most = list.most() + NUMBER + 2 * PART;
        match list.short() {
            Some((bytes, size)) => self.to.short_of(at, most, |to| {
                if let Some(begin) = to.first_chunk_mut() {
                    *begin = *bytes;
                }
                put(to, size, u64::from(code::ENTER) | region.word() << 8);
                size + 1 + region.size()
            }),
            None => self.to.record(at, most, |record| {
                record.bytes(list.bytes());
                record.short_part(code::ENTER, region);
            }),
        }
    }

    #[inline(always)]
    pub(super) fn create_task(&mut self, at: u64, name: OwnTaskName) {
        self.task(at, code::THREAD_TASK_CREATE, name)
    }

    #[inline(always)]
    pub(super) fn switch_task(&mut self, at: u64, name: OwnTaskName) {
        self.task(at, code::THREAD_TASK_SWITCH, name)
    }

    #[inline(always)]
    pub(super) fn complete_task(&mut self, at: u64, name: OwnTaskName) {
        self.task(at, code::THREAD_TASK_COMPLETE, name)
    }

    #[inline(always)]
    fn task(&mut self, at: u64, code: u8, OwnTaskName { comm, rank, generation }: OwnTaskName) {
        self.to.short(at, |to| {
            let generation = Number::new(generation);
            let (first, second) = (comm.size(), comm.size() + rank.size());
            let size = second + generation.size();
            put(to, 0, u64::from(code) | (size as u64) << 8 | comm.word() << 16);
            put(to, 2 + first, rank.word());
            put(to, 2 + second, generation.word());
            2 + size
        })
    }

    #[inline(always)]
    pub(super) fn acquire_lock(&mut self, at: u64, lock: Number, order: u32) {
        self.lock(at, code::THREAD_ACQUIRE_LOCK, lock, order)
    }

    #[inline(always)]
    pub(super) fn release_lock(&mut self, at: u64, lock: Number, order: u32) {
        self.lock(at, code::THREAD_RELEASE_LOCK, lock, order)
    }

    #[inline(always)]
    fn lock(&mut self, at: u64, code: u8, lock: Number, order: u32) {
        self.to.short(at, |to| {
            let order = Number::new(order);
            let size = 1 + lock.size() + order.size();
            let begin = u64::from(code) | (size as u64) << 8 | u64::from(OPENMP) << 16;
            put(to, 0, begin | lock.word() << 24);
            put(to, 3 + lock.size(), order.word());
            2 + size
        })
    }

    #[inline(always)]
    pub(super) fn string(&mut self, at: u64, parameter: u32, string: u32) {
        self.to.short(at, |to| {
            let [parameter, string] = [parameter, string].map(Number::new);
            let size = parameter.size() + string.size();
            let begin = u64::from(code::PARAMETER_STRING) | (size as u64) << 8;
            put(to, 0, begin | parameter.word() << 16);
            put(to, 2 + parameter.size(), string.word());
            2 + size
        })
    }

    #[inline(always)]
    pub(super) fn unsigned(&mut self, at: u64, parameter: u32, value: u64) {
        let write = |record: &mut Record<'_>| {
            record.part(code::PARAMETER_UNSIGNED_INT, 0, |record| {
                record.number(parameter);
                record.long(value);
            })
        };
        self.to.short(at, |to| Record::written(to, write))
    }

    pub(super) fn fork(&mut self, at: u64, requested: u32) {
        self.to.event(at, code::THREAD_FORK, |record| {
            record.byte(OPENMP);
            record.number(requested);
        })
    }

    pub(super) fn join(&mut self, at: u64) {
        self.to.event(at, code::THREAD_JOIN, |record| record.byte(OPENMP))
    }

    pub(super) fn begin_team(&mut self, at: u64, comm: u32, list: impl List) {
        self.with(at, list, |record| {
            record.part(code::THREAD_TEAM_BEGIN, NUMBER, |record| record.number(comm));
        })
    }

    pub(super) fn end_team(&mut self, at: u64, comm: u32) {
        self.to.event(at, code::THREAD_TEAM_END, |record| record.number(comm))
    }

    pub(super) fn metric(&mut self, at: u64, metric: u32, value: i64) {
        self.to.event(at, code::METRIC, |record| {
            record.number(metric);
            record.byte(1);
            record.byte(OTF2_TYPE_INT64 as u8);
            record.long(value as u64);
        })
    }

    pub(super) fn sample(&mut self, at: u64, context: u32) {
        self.to.event(at, code::CALLING_CONTEXT_SAMPLE, |record| {
            record.number(context);
            record.number(UNKNOWN_DISTANCE);
            record.number(INTERRUPT_GENERATOR);
        })
    }

    pub(super) fn measurement(&mut self, at: u64, on: bool) {
        self.to.event(at, code::MEASUREMENT_ON_OFF, |record| {
            record.byte(if on { MEASUREMENT_ON } else { MEASUREMENT_OFF });
        })
    }

    pub(super) fn flush(&mut self, at: u64, until: u64) {
        self.to.event(at, code::BUFFER_FLUSH, |record| record.full(until))
    }

    pub(super) fn begin_program(&mut self, at: u64, context: &Context, list: impl List) {
        let Context { program, arguments, .. } = context;
        let (in_list, in_data) = (most(list.len()), NUMBER * (2 + arguments.len()));
        self.to.record(at, in_list + in_data + 2 * PART, |record| {
            write_list(record, in_list, list);
            record.part(code::PROGRAM_BEGIN, in_data, |record| {
                record.number(*program);
                record.number(arguments.len() as u32);
                arguments.iter().for_each(|argument| record.number(*argument));
            });
        })
    }

    pub(super) fn end_program(&mut self, at: u64) {
        self.to.event(at, code::PROGRAM_END, |record| record.long(UNKNOWN_STATUS))
    }

    pub(super) fn create_window(&mut self, at: u64, win: u32) {
        self.to.event(at, code::RMA_WIN_CREATE, |record| record.number(win))
    }

    pub(super) fn destroy_window(&mut self, at: u64, win: u32) {
        self.to.event(at, code::RMA_WIN_DESTROY, |record| record.number(win))
    }

    pub(super) fn put(&mut self, at: u64, to: (u32, u32), bytes: u64, transfer: u64) {
        self.transfer(at, code::RMA_PUT, to, (bytes, transfer))
    }

    pub(super) fn get(&mut self, at: u64, from: (u32, u32), bytes: u64, transfer: u64) {
        self.transfer(at, code::RMA_GET, from, (bytes, transfer))
    }

    fn transfer(
        &mut self,
        at: u64,
        code: u8,
        (win, remote): (u32, u32),
        (bytes, transfer): (u64, u64),
    ) {
        self.to.event(at, code, |record| {
            record.number(win);
            record.number(remote);
            record.long(bytes);
            record.long(transfer);
        })
    }

    pub(super) fn complete_transfer(&mut self, at: u64, win: u32, transfer: u64) {
        self.to.event(at, code::RMA_OP_COMPLETE_BLOCKING, |record| {
            record.number(win);
            record.long(transfer);
        })
    }

    /// Writes a short event, preceded by its attributes.
    fn with(&mut self, at: u64, list: impl List, event: impl FnOnce(&mut Record<'_>)) {
        let in_list = most(list.len());
        self.to.record(at, in_list + NUMBER + 2 * PART, |record| {
            write_list(record, in_list, list);
            event(record);
        })
    }
}

/// Writes a word into the array of a record.
#[inline(always)]
fn put(to: &mut [u8; SHORT], at: usize, word: u64) {
    if let Some(slot) = to.get_mut(at..at + size_of::<u64>()) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
}
