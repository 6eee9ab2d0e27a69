//! Devices that trace themselves (report, section 6): buffers are handed out to them, and the records that come back
//! are written, with pairs of the device's time and ours.
//!
//! All of this runs on threads of the offloading runtime that are no OpenMP threads, and may allocate.

use crate::dialect::Dialect;
use crate::inquiry::{Lookup, text};
use crate::register::rows;
use crate::start::INTERFACE;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use ompttrace_life::put_device_records;
use ompttrace_recorder::{Locked, State, caught};
use ompttrace_recording::device_records::Entry;

/// Size of a buffer in bytes, enough for some thousand records.
const BUFFER: usize = 256 << 10;
/// Maximum number of devices that are traced.
const MOST_DEVICES: c_int = 1024;
/// Number of times that both clocks are read to find the closest pair.
const TRIES: usize = 8;
/// ompt_record_type_t.
const OMPT: c_int = 0;
const NATIVE: c_int = 1;

type Buffer = *mut c_void;
type Cursor = u64;
type Request = unsafe extern "C" fn(c_int, *mut Buffer, *mut usize);
type Complete = unsafe extern "C" fn(c_int, Buffer, usize, Cursor, Cursor);

/// ompt_record_t (appendix A.6).
#[repr(C)]
struct Record {
    event: u32,
    time: u64,
    thread: u64,
    /// Fields of the record, as many as the largest variant of the union has (ompt_record_new_parallel_t).
    fields: [u64; 5],
}

/// The functions of a runtime with such devices.
#[derive(Clone, Copy)]
struct Functions {
    dialect: Dialect,
    devices: c_int,
    time: unsafe extern "C" fn(c_int) -> u64,
    stop: unsafe extern "C" fn(c_int) -> c_int,
    advance: unsafe extern "C" fn(Buffer, Cursor, *mut Cursor) -> c_int,
    kind: unsafe extern "C" fn(Buffer, Cursor) -> c_int,
    record: unsafe extern "C" fn(Buffer, Cursor) -> *const Record,
    native: Option<Native>,
}

/// The functions of a runtime for records in the device's own form.
#[derive(Clone, Copy)]
struct Native {
    get: unsafe extern "C" fn(Buffer, Cursor) -> *mut c_void,
    kind: unsafe extern "C" fn(*mut c_void) -> c_int,
    name: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    time: unsafe extern "C" fn(*mut c_void) -> u64,
    hardware: unsafe extern "C" fn(*mut c_void) -> c_int,
}

static FUNCTIONS: Locked<Option<Functions>> = Locked::new(None);

/// Number of records that came while the recording was paused or had ended.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// Begins to record on every device; returns a note for `info` if there are any devices.
pub(crate) fn begin(lookup: Lookup, dialect: Dialect) -> Option<String> {
    type Count = unsafe extern "C" fn() -> c_int;
    // SAFETY: the type is that of ompt_get_num_devices.
    let count = unsafe { lookup.find::<Count>(c"ompt_get_num_devices") }?;
    // SAFETY: a function of the runtime without arguments.
    let devices = unsafe { count() }.clamp(0, MOST_DEVICES);
    if devices == 0 {
        return None;
    }
    let Some(functions) = find(lookup, dialect, devices) else {
        return Some(format!("{devices} devices, which do not trace themselves"));
    };
    FUNCTIONS.with(|known| *known = Some(functions));
    ompttrace_life::at_last(note_left_out);
    let started = (0..devices).filter(|device| start(lookup, &functions, *device)).count();
    Some(format!("{devices} devices, of which {started} trace themselves"))
}

/// Adds a note on records that were left out to `recording.json`, once.
fn note_left_out() {
    let records = LEFT_OUT.swap(0, Ordering::Relaxed);
    if records > 0 {
        let note = format!(
            "{records} records of devices came while recording was paused or had ended; they are not in it"
        );
        ompttrace_life::note(INTERFACE, &note);
    }
}

fn find(lookup: Lookup, dialect: Dialect, devices: c_int) -> Option<Functions> {
    // SAFETY: the types are those that sections 5.5 and 6 give these names.
    unsafe {
        Some(Functions {
            dialect,
            devices,
            time: lookup.find(c"ompt_get_target_device_time")?,
            stop: lookup.find(c"ompt_recording_stop")?,
            advance: lookup.find(c"ompt_buffer_cursor_advance")?,
            kind: lookup.find(c"ompt_record_get_type")?,
            record: lookup.find(c"ompt_record_get")?,
            native: find_native(lookup),
        })
    }
}

fn find_native(lookup: Lookup) -> Option<Native> {
    // SAFETY: the types are those of section 6.5.
    unsafe {
        Some(Native {
            get: lookup.find(c"ompt_record_native_get")?,
            kind: lookup.find(c"ompt_record_native_get_kind")?,
            name: lookup.find(c"ompt_record_native_get_type")?,
            time: lookup.find(c"ompt_record_native_get_time")?,
            hardware: lookup.find(c"ompt_record_native_get_hwid")?,
        })
    }
}

fn start(lookup: Lookup, functions: &Functions, device: c_int) -> bool {
    type Info = unsafe extern "C" fn(c_int, *mut *const c_char, *mut *mut c_void) -> c_int;
    type Set = unsafe extern "C" fn(c_int, c_int, c_int) -> c_int;
    type SetNative = unsafe extern "C" fn(c_int, c_int, *mut c_void, *mut *mut c_void) -> c_int;
    type Start = unsafe extern "C" fn(c_int, Request, Complete) -> c_int;
    // SAFETY: the types are those of sections 5.5, 6.1, 6.2 and 6.3.
    let (info, set, native, start) = unsafe {
        (
            lookup.find::<Info>(c"ompt_get_device_info"),
            lookup.find::<Set>(c"ompt_record_set"),
            lookup.find::<SetNative>(c"ompt_record_native_set"),
            lookup.find::<Start>(c"ompt_recording_start"),
        )
    };
    let Some(start) = start else { return false };
    let (mut kind, mut device_lookup) = (core::ptr::null(), core::ptr::null_mut());
    // SAFETY: the arguments are a device's number and pointers for the functions' results; the type is
    // a C string or null where the answer is 0.
    let kind = unsafe {
        let reported =
            info.map(|info| info(device, &raw mut kind, &raw mut device_lookup)) == Some(0);
        if reported { text(kind) } else { String::new() }
    };
    write(&Entry::Device { device: device as u32, name: one_line(&kind) });
    let mut status = core::ptr::null_mut();
    // SAFETY: the arguments are a device's number and numbers of its own; event 0 means all, and nothing says what a
    // request for native records holds.
    unsafe {
        if let Some(set) = set {
            set(device, 1, 0);
        }
        if let Some(native) = native.filter(|_| functions.native.is_some()) {
            native(device, 1, core::ptr::null_mut(), &raw mut status);
        }
    }
    log_clock(functions, device);
    // SAFETY: the functions have the types of section 6.3 and live as long as the program.
    unsafe { start(device, request, complete) != 0 }
}

/// Logs the closest of some pairs of the two clocks.
fn log_clock(functions: &Functions, device: c_int) {
    let pair = || {
        let before = ompttrace_recorder::ticks();
        // SAFETY: the runtime's function with the number of a device that it has.
        let time = unsafe { (functions.time)(device) };
        let after = ompttrace_recorder::ticks();
        (after.saturating_sub(before), before + after.saturating_sub(before) / 2, time)
    };
    if let Some((_, ticks, time)) = (0..TRIES).map(|_| pair()).min() {
        write(&Entry::DeviceClock { device: device as u32, ticks, time });
    }
}

unsafe extern "C" fn request(_device: c_int, buffer: *mut Buffer, bytes: *mut usize) {
    if buffer.is_null() || bytes.is_null() {
        return;
    }
    // SAFETY: malloc of a constant; both pointers are the runtime's for our answer.
    unsafe {
        *buffer = libc::malloc(BUFFER);
        *bytes = if (*buffer).is_null() { 0 } else { BUFFER };
    }
}

unsafe extern "C" fn complete(
    device: c_int,
    buffer: Buffer,
    bytes: usize,
    begin: Cursor,
    end: Cursor,
) {
    let _ = caught(|| {
        let Some(functions) = FUNCTIONS.with(|known| *known).flatten() else { return };
        if buffer.is_null() {
            return;
        }
        let records = Records { functions: &functions, buffer, bytes, begin, end };
        if ompttrace_recorder::state() == State::Recording {
            log_clock(&functions, device);
            let mut words = Vec::new();
            let count = records.each(|kind, at| put(&functions, device, kind, at, &mut words));
            put_device_records(&words, count);
        } else {
            LEFT_OUT.fetch_add(records.each(|_, _| ()), Ordering::Relaxed);
        }
    });
    // SAFETY: null, or one that `request` allocated, which nothing else uses from now on (6.3).
    unsafe { libc::free(buffer) };
}

/// Records in a buffer that a device has returned. They are valid until `complete` returns: buffer and cursors are the
/// runtime's.
struct Records<'f> {
    functions: &'f Functions,
    buffer: Buffer,
    bytes: usize,
    begin: Cursor,
    end: Cursor,
}

impl Records<'_> {
    /// Passes every record's type and address to `visit`; returns how many there are.
    fn each(&self, mut visit: impl FnMut(c_int, (Buffer, Cursor))) -> u64 {
        let (mut count, mut now) = (0, self.begin);
        // No record takes less than a byte.
        while now != self.end && count < self.bytes as u64 {
            // SAFETY: the cursor is one that the runtime gave, before the end.
            visit(unsafe { (self.functions.kind)(self.buffer, now) }, (self.buffer, now));
            count += 1;
            let mut next = now;
            // SAFETY: the cursor is one that the runtime gave, before the end; the next one has storage.
            let failed = unsafe { (self.functions.advance)(self.buffer, now, &raw mut next) } != 0;
            if failed || next == now {
                break;
            }
            now = next;
        }
        count
    }
}

/// Formats the record at an address from [`Records::each`] as a line.
fn put(
    functions: &Functions,
    device: c_int,
    kind: c_int,
    (buffer, now): (Buffer, Cursor),
    to: &mut Vec<u64>,
) {
    // SAFETY: the cursor is one that the runtime gave, and the record of this type.
    unsafe {
        match kind {
            OMPT => put_event(functions, device, (functions.record)(buffer, now), to),
            NATIVE => put_native(functions, device, (buffer, now), to),
            _ => {}
        }
    }
}

/// # Safety
/// `record` is null or one that the runtime just gave.
unsafe fn put_event(
    functions: &Functions,
    device: c_int,
    record: *const Record,
    to: &mut Vec<u64>,
) {
    // SAFETY: by the caller's promise; what stands after a shorter member's fields is the union's.
    let Some(record) = (unsafe { record.as_ref() }) else { return };
    let row = rows(functions.dialect).find(|row| row.number == record.event);
    let Some(make) = row.and_then(|row| row.record) else { return };
    let [first, second, third, fourth, fifth] = record.fields;
    let (code, words) = make(&[first, second, third, fourth, fifth, 0]);
    let Record { time, thread, .. } = record;
    let device = device as u32;
    Entry::Event { device, thread: *thread, time: *time, code, payload: words.to_vec() }.put(to);
}

/// # Safety
/// The cursor stands on a native record of the buffer.
unsafe fn put_native(
    functions: &Functions,
    device: c_int,
    (buffer, now): (Buffer, Cursor),
    to: &mut Vec<u64>,
) {
    let Some(native) = functions.native else { return };
    // SAFETY: the record is used before another is asked for.
    unsafe {
        let record = (native.get)(buffer, now);
        if record.is_null() {
            return;
        }
        let (time, hardware) = ((native.time)(record), (native.hardware)(record));
        let (kind, name) = ((native.kind)(record), text((native.name)(record)));
        let (device, hardware, kind) = (device as u32, hardware.into(), kind as u64);
        Entry::Native { device, hardware, time, kind, text: one_line(&name) }.put(to);
    }
}

/// Writes down an entry without a record of the device.
fn write(entry: &Entry) {
    let mut words = Vec::new();
    entry.put(&mut words);
    put_device_records(&words, 0);
}

fn one_line(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(200).collect()
}

/// Stops all devices before the runtime ends, at which they return their last records.
pub(crate) fn end() {
    let Some(functions) = FUNCTIONS.with(|known| *known).flatten() else { return };
    for device in 0..functions.devices {
        // SAFETY: the runtime's function with the number of a device that it has.
        unsafe { (functions.stop)(device) };
    }
    FUNCTIONS.with(|known| *known = None);
}
