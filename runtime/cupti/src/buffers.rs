//! Buffers that CUPTI fills, and the processing of the records in them.
//!
//! CUPTI calls from a thread of its own, or from one that flushes or begins to record: outside of events, so memory may be allocated.

use crate::activity::{Raw, Record};
use crate::library::{FORCED, Library};
use crate::operation::at_work;
use crate::unified::Unified;
use crate::{calls, clock, events};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use ompttrace_life::Origin;
use ompttrace_recorder::{Locked, State, caught};
use ompttrace_recording::device_records::{Activity, Entry};
use std::alloc::{Layout, alloc, dealloc};
use std::collections::{HashMap, VecDeque};

/// Size of a buffer in bytes: enough for some thousand records, and so small that a kill loses few.
const BYTES: usize = 256 << 10;
/// Alignment of a buffer in bytes; CUPTI requires 8, and this is a cache line.
const ALIGNMENT: usize = 64;
/// Calls whose operation is known at a time; of older ones no activity is expected.
const MOST_CAUSES: usize = 1 << 17;

/// Number of activities in buffers that came back while the recording was paused or had ended.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// True while activities are kept.
static KEEPS: AtomicBool = AtomicBool::new(false);

static CAUSES: Locked<Option<Causes>> = Locked::new(None);

fn layout() -> Option<Layout> {
    Layout::from_size_align(BYTES, ALIGNMENT).ok()
}

pub(crate) unsafe extern "C" fn request(buffer: *mut *mut u8, bytes: *mut usize, most: *mut usize) {
    let Some(layout) = layout() else { return };
    // SAFETY: the layout is not empty; the pointers are CUPTI's for the answers, 0 for as many records as fit.
    unsafe {
        *buffer = alloc(layout);
        *bytes = if (*buffer).is_null() { 0 } else { BYTES };
        *most = 0;
    }
}

pub(crate) unsafe extern "C" fn complete(
    context: *mut c_void,
    stream: u32,
    buffer: *mut u8,
    _bytes: usize,
    valid: usize,
) {
    if buffer.is_null() {
        return;
    }
    let _ = caught(|| {
        if let Some(library) = at_work() {
            take(library, (context, stream), (buffer, valid));
        }
    });
    if let Some(layout) = layout() {
        // SAFETY: CUPTI returns what `request` has allocated, by that layout, and uses it no more.
        unsafe { dealloc(buffer, layout) };
    }
}

/// Writes the records of a buffer into the recording.
fn take(
    library: &Library,
    (context, stream): (*mut c_void, u32),
    (buffer, valid): (*mut u8, usize),
) {
    let mut batch = Batch::default();
    let mut record = core::ptr::null_mut();
    // SAFETY: the buffer is CUPTI's as it came back, and `record` null or the one before.
    while unsafe { (library.next)(buffer, valid, &raw mut record) } == 0 && !record.is_null() {
        // SAFETY: the record lies in the buffer, which is given back after this.
        batch.take(library, unsafe { Raw::new(record) });
    }
    let mut dropped = 0;
    // SAFETY: context and stream are those that CUPTI named; the pointer is to storage for the answer.
    let answer = unsafe { (library.dropped)(context, stream, &raw mut dropped) };
    if answer == 0 && dropped > 0 {
        Entry::Lost { count: dropped as u64 }.put(&mut batch.words);
    }
    let activities = batch.activities.len() as u64 + batch.unified.count();
    if !KEEPS.load(Ordering::Acquire) {
        LEFT_OUT.fetch_add(activities, Ordering::Relaxed);
        batch.leave_out();
    }
    if let Some(pair) = clock::pair(library) {
        pair.put(&mut batch.words);
    }
    ompttrace_life::put_device_records(&batch.finish(), activities);
}

/// The entries of one buffer.
#[derive(Default)]
struct Batch {
    words: Vec<u64>,
    activities: Vec<Activity>,
    /// Calls on the host, and of these those that synchronise.
    calls: Vec<Activity>,
    synchronized: Vec<Activity>,
    unified: Unified,
}

/// The tool's ids of operations by the driver's number of a call. An activity whose call is reported in a later buffer
/// has no operation.
#[derive(Default)]
struct Causes {
    operations: HashMap<u32, u64>,
    /// Numbers of the calls, oldest first.
    calls: VecDeque<u32>,
}

impl Causes {
    fn add(&mut self, correlation: u32, host_op: u64) {
        if self.operations.insert(correlation, host_op).is_none() {
            self.calls.push_back(correlation);
        }
        if self.calls.len() > MOST_CAUSES
            && let Some(oldest) = self.calls.pop_front()
        {
            self.operations.remove(&oldest);
        }
    }
}

impl Batch {
    fn take(&mut self, library: &Library, record: Raw) {
        match record.read() {
            Record::Device(device, name) => {
                let name = name.to_string_lossy().into_owned();
                Entry::Device { device, name }.put(&mut self.words);
            }
            Record::Activity(mut activity, name) => {
                if let Some(name) = name {
                    let name = String::from_utf8_lossy(name);
                    activity.what = ompttrace_life::device_name(&name, &mut self.words);
                }
                self.activities.push(activity);
            }
            Record::Call(call, function) => {
                let named = calls::name(library, function, &mut self.words);
                self.calls.extend(named.map(|what| Activity { what, ..call }));
            }
            Record::Unified(counted) => self.unified.take(&counted),
            Record::Synchronized(call) => self.synchronized.push(call),
            Record::Recorded(event) => events::recorded(event),
            Record::Caused { correlation, host_op } => {
                CAUSES.with(|causes| causes.get_or_insert_default().add(correlation, host_op));
            }
            Record::Other => {}
        }
    }

    fn leave_out(&mut self) {
        self.activities.clear();
        self.calls.clear();
        self.synchronized.clear();
        self.unified = Unified::default();
    }

    /// All words: names before what has them.
    fn finish(mut self) -> Vec<u64> {
        let cause = |activity: &Activity| {
            let of = |causes: &mut Option<Causes>| {
                causes.as_ref()?.operations.get(&activity.correlation).copied()
            };
            CAUSES.with(of).flatten().unwrap_or(0)
        };
        for mut activity in self.activities {
            activity.host_op = cause(&activity);
            Entry::Activity(activity).put(&mut self.words);
        }
        let unified = self.unified.finish();
        for activity in self.calls.into_iter().chain(unified) {
            Entry::Activity(activity).put(&mut self.words);
        }
        for call in self.synchronized {
            Entry::Activity(call).put(&mut self.words);
            if let Some(recorded) = events::waited_for(&call) {
                Entry::Activity(recorded).put(&mut self.words);
            }
        }
        self.words
    }
}

/// Makes CUPTI return all buffers, also those that are not full.
pub(crate) fn flush() {
    if let Some(library) = at_work() {
        // SAFETY: CUPTI's function; it calls `complete`.
        unsafe { (library.flush)(FORCED) };
    }
}

/// Handles a change of the recording's state: activities before it are kept or left out according to the old state. A command from outside
/// may come amid CUDA's locks: then what CUPTI has still to give is treated according to the new state.
pub(crate) fn on_command(state: State, origin: Origin) {
    if origin != Origin::Outside {
        flush();
    }
    keep(state);
}

/// Sets whether activities are kept from now on: only while `state` is recording.
pub(crate) fn keep(state: State) {
    KEEPS.store(state == State::Recording, Ordering::Release);
}

/// Returns the number of activities that were left out, and resets it.
pub(crate) fn left_out() -> u64 {
    LEFT_OUT.swap(0, Ordering::Relaxed)
}
