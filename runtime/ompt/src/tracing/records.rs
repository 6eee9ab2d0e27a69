//! Records of a device become activities: kernels, data operations, target constructs, and what it says in its own form.
#![allow(non_upper_case_globals, reason = "the names are those of omp-tools.h")]

use super::Device;
use core::ffi::CStr;
use ompt_sys::*;
use ompttrace_life::device_name;
use ompttrace_recorder::Locked;
use ompttrace_recording::device_records::{Activity, Entry, REGIONS, kind};
use std::collections::HashMap;

/// Target constructs of which one record is still to come; more are forgotten, all of them.
const MOST_OPEN: usize = 1 << 16;
/// Copies by direction, as CUPTI numbers them.
const TO_DEVICE: u32 = 1;
const FROM_DEVICE: u32 = 2;

/// A target construct: its device, and its id there.
type Construct = (u32, u64);
/// A record of one: true at its begin, and the device's time.
type Endpoint = (bool, u64);

/// Target constructs of which one record came.
static OPEN: Locked<Option<HashMap<Construct, Endpoint>>> = Locked::new(None);

/// The activities of one buffer.
pub(super) struct Batch<'d> {
    device: &'d Device,
    /// Names of activities. They are written even where the activities are left out, as later buffers refer to them.
    words: Vec<u64>,
    activities: Vec<Activity>,
    count: u64,
}

impl<'d> Batch<'d> {
    pub(super) fn new(device: &'d Device) -> Batch<'d> {
        Batch { device, words: Vec::new(), activities: Vec::new(), count: 0 }
    }

    /// Number of records that were taken.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Removes the activities, but not their names.
    pub(super) fn leave_out(&mut self) {
        self.activities.clear();
    }

    /// All words: names before the activities that have them.
    pub(super) fn finish(mut self) -> Vec<u64> {
        for activity in self.activities {
            Entry::Activity(activity).put(&mut self.words);
        }
        self.words
    }

    /// Takes the record at a cursor.
    ///
    /// # Safety
    /// The cursor is one that the runtime gave for this buffer.
    pub(super) unsafe fn take(&mut self, buffer: *mut ompt_buffer_t, at: ompt_buffer_cursor_t) {
        let functions = &self.device.functions;
        // SAFETY: the runtime's function; the cursor is sound by the caller's promise.
        let form =
            functions.get_record_type.map_or(ompt_record_ompt, |form| unsafe { form(buffer, at) });
        match form {
            ompt_record_ompt => {
                // SAFETY: as above. The record is read before another is asked for.
                let record = unsafe { (functions.get_record_ompt)(buffer, at).as_ref() };
                record.into_iter().for_each(|record| self.take_ompt(record));
            }
            // SAFETY: as above.
            ompt_record_native => unsafe { self.take_native(buffer, at) },
            _ => {}
        }
    }

    fn take_ompt(&mut self, record: &ompt_record_ompt_t) {
        self.count += 1;
        let stream = record.thread_id as u32;
        let from = Activity { stream, begin: record.time, ..self.activity() };
        // SAFETY: the type says which member of the union the runtime has written.
        unsafe {
            match record.type_ {
                ompt_callback_target | ompt_callback_target_emi => {
                    self.region(from, record.target_id, &record.record.target);
                }
                ompt_callback_target_data_op | ompt_callback_target_data_op_emi => {
                    self.data_op(from, &record.record.target_data_op);
                }
                ompt_callback_target_submit | ompt_callback_target_submit_emi => {
                    let ompt_record_target_kernel_t { host_op_id, end_time, .. } =
                        record.record.target_kernel;
                    let kernel = Activity { kind: kind::KERNEL, end: end_time, ..from };
                    self.put(Activity { host_op: host_op_id, ..kernel });
                }
                _ => {}
            }
        }
    }

    /// A copy, or something else that is done to memory.
    fn data_op(&mut self, from: Activity, record: &ompt_record_target_data_op_t) {
        let operation = record.optype;
        let from = Activity { end: record.end_time, host_op: record.host_op_id, ..from };
        let copy =
            |detail| Activity { kind: kind::COPY, detail, what: record.bytes as u64, ..from };
        let other = match operation {
            ompt_target_data_transfer_to_device | ompt_target_data_transfer_to_device_async => {
                return self.put(copy(TO_DEVICE));
            }
            ompt_target_data_transfer_from_device | ompt_target_data_transfer_from_device_async => {
                return self.put(copy(FROM_DEVICE));
            }
            ompt_target_data_alloc | ompt_target_data_alloc_async => "alloc",
            ompt_target_data_delete | ompt_target_data_delete_async => "delete",
            ompt_target_data_associate => "associate",
            ompt_target_data_disassociate => "disassociate",
            _ => "data operation",
        };
        let what = device_name(other, &mut self.words);
        self.put(Activity { kind: kind::OTHER, what, ..from });
    }

    /// A construct begins or ends: one activity is made of both.
    fn region(&mut self, from: Activity, target: u64, record: &ompt_record_target_t) {
        let id = if target == 0 { record.target_id } else { target };
        let key = (self.device.number(), id);
        let begins = record.endpoint == ompt_scope_begin;
        // Records may come in any order.
        let other = OPEN.with(|open| {
            let open = open.get_or_insert_default();
            if open.len() >= MOST_OPEN {
                open.clear();
            }
            match open.remove(&key) {
                Some((began, time)) if began != begins => Some(time),
                _ => {
                    open.insert(key, (begins, from.begin));
                    None
                }
            }
        });
        let Some(other) = other.flatten() else { return };
        let (begin, end) = if begins { (from.begin, other) } else { (other, from.begin) };
        let region = Activity { kind: kind::REGION, context: REGIONS, stream: 0, ..from };
        self.put(Activity { begin, end, detail: record.kind, what: id, ..region });
    }

    /// # Safety
    /// As for [`Batch::take`], of a record in the device's own form.
    unsafe fn take_native(&mut self, buffer: *mut ompt_buffer_t, at: ompt_buffer_cursor_t) {
        let functions = &self.device.functions;
        let (Some(get), Some(read)) = (functions.get_record_native, functions.get_record_abstract)
        else {
            return;
        };
        self.count += 1;
        let mut host_op = 0;
        // SAFETY: the runtime's functions, with a sound cursor by the caller's promise and storage for the id. The record is read
        // before another is asked for.
        let record = unsafe {
            let record = get(buffer, at, &raw mut host_op);
            if record.is_null() {
                return;
            }
            read(record).as_ref()
        };
        let Some(record) = record else { return };
        // SAFETY: null or a C string that is there as long as the record.
        let name = (!record.type_.is_null()).then(|| unsafe { CStr::from_ptr(record.type_) });
        let name = name.map_or_else(|| "record".into(), |name| name.to_string_lossy());
        let what = device_name(&name, &mut self.words);
        let (begin, end) = (record.start_time, record.end_time.max(record.start_time));
        let native = Activity { kind: kind::OTHER, begin, end, what, host_op, ..self.activity() };
        // They say again what others say: a stream of their own for each part of the device.
        self.put(Activity { context: 1, stream: record.hwid as u32, ..native });
    }

    fn activity(&self) -> Activity {
        Activity { device: self.device.number(), ..Activity::default() }
    }

    fn put(&mut self, activity: Activity) {
        let end = activity.end.max(activity.begin);
        self.activities.push(Activity { end, ..activity });
    }
}
