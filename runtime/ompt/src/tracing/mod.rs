//! Devices that trace themselves (OpenMP 5.2, 19.5.2.23 and 19.6): buffers are handed out, and what comes back in them is written down,
//! with the device's clock beside ours. No part of it runs in an event.

mod buffers;
mod clock;
mod entry_points;
mod operation;
mod records;

use crate::inquiry::Lookup;
use core::ffi::{c_int, c_uint};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use entry_points::EntryPoints;
use ompt_sys::ompt_device_t;
use ompttrace_life::{Origin, note, put_device_records};
use ompttrace_recorder::{Locked, State, caught};
use ompttrace_recording::device_records::Entry;
use std::time::Duration;

/// The interface as `recording.json` names it.
const INTERFACE: &str = "ompt";
/// Devices that a runtime is believed to have.
const MOST_DEVICES: usize = 64;
/// Time that a runtime may take to give back what its device has.
const LONGEST: Duration = Duration::from_secs(5);

/// A device that traces itself.
#[derive(Debug)]
pub(crate) struct Device {
    number: c_int,
    handle: *mut ompt_device_t,
    functions: EntryPoints,
    /// The process: a forked child has none of its parent's devices.
    owner: u32,
    /// True once it was stopped.
    is_over: AtomicBool,
}

// SAFETY: the handle is only passed to the runtime's functions, which any thread may call.
unsafe impl Send for Device {}
// SAFETY: as above; the other fields are not written to but for the flag.
unsafe impl Sync for Device {}

/// Devices by their numbers.
static DEVICES: [AtomicPtr<Device>; MOST_DEVICES] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; MOST_DEVICES];

/// True while records are kept.
static KEEPS: AtomicBool = AtomicBool::new(false);
/// Records that came while the recording was paused or had ended.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);
/// True once commands and the end are listened to.
static LISTENS: Locked<bool> = Locked::new(false);

/// The slot of the device with this number.
fn slot(number: c_int) -> Option<&'static AtomicPtr<Device>> {
    DEVICES.get(usize::try_from(number).ok()?)
}

/// The device with this number, if it traces itself.
fn device(number: c_int) -> Option<&'static Device> {
    // SAFETY: null, or from a box that is leaked.
    unsafe { slot(number)?.load(Ordering::Acquire).as_ref() }
}

/// All of this process.
fn devices() -> impl Iterator<Item = &'static Device> {
    let own = std::process::id();
    (0..MOST_DEVICES as c_int).filter_map(device).filter(move |device| device.owner == own)
}

/// A runtime has initialised a device of this type; `lookup` finds its entry points.
pub(crate) fn begin(number: c_int, kind: &[u8], handle: *mut ompt_device_t, lookup: Lookup) {
    // What follows takes a stack of its own, and a device without look-up needs none.
    if lookup.0.is_none() {
        return;
    }
    let _ = caught(|| {
        let Some(functions) = entry_points::find(lookup) else { return };
        if let Err(why) = start(number, kind, handle, functions) {
            slot(number)
                .into_iter()
                .for_each(|slot| slot.store(core::ptr::null_mut(), Ordering::Release));
            note(INTERFACE, &format!("device {number} does not trace itself: {why}"));
        }
    });
}

fn start(
    number: c_int,
    kind: &[u8],
    handle: *mut ompt_device_t,
    functions: EntryPoints,
) -> Result<(), String> {
    let slot = slot(number).ok_or_else(|| format!("only devices 0 to {} are", MOST_DEVICES - 1))?;
    let (owner, is_over) = (std::process::id(), AtomicBool::new(false));
    let device = Device { number, handle, functions, owner, is_over };
    let device: &'static Device = Box::leak(Box::new(device));
    slot.store(core::ptr::from_ref(device).cast_mut(), Ordering::Release);
    keep(ompttrace_recorder::state());
    let mut words = Vec::new();
    let name = String::from_utf8_lossy(kind).into_owned();
    Entry::Device { device: device.number(), name }.put(&mut words);
    clock::put(device, &mut words);
    put_device_records(&words, 0);
    let traces = device.select();
    if !traces {
        return Err("its runtime offers none of its records".to_owned());
    }
    // SAFETY: the runtime's function with its handle, and functions that are never unloaded while it calls them.
    let started =
        unsafe { (functions.start_trace)(handle, Some(buffers::request), Some(buffers::complete)) };
    if started == 0 {
        return Err("its runtime refuses to start".to_owned());
    }
    listen();
    Ok(())
}

/// Has commands and the end reported, once.
fn listen() {
    let is_first = LISTENS.with(|listens| !std::mem::replace(listens, true));
    if is_first == Some(true) {
        ompttrace_life::on_command(on_command);
        ompttrace_life::at_last(end);
    }
}

impl Device {
    fn number(&self) -> u32 {
        self.number as u32
    }

    /// Asks for records; true if there will be some.
    fn select(&self) -> bool {
        use ompt_sys::*;
        let mut traces = false;
        if let Some(set) = self.functions.set_trace_ompt {
            let pairs = [
                (ompt_callback_target_emi, ompt_callback_target),
                (ompt_callback_target_data_op_emi, ompt_callback_target_data_op),
                (ompt_callback_target_submit_emi, ompt_callback_target_submit),
            ];
            // SAFETY: the runtime's function with its handle and a number of an event.
            let is_set =
                |event: c_uint| unsafe { set(self.handle, 1, event) } >= ompt_set_sometimes;
            for (with_data, without) in pairs {
                traces |= is_set(with_data as c_uint) || is_set(without as c_uint);
            }
        }
        if let Some(set) = self.functions.set_trace_native.filter(|_| self.functions.has_native()) {
            let wanted = ompt_native_kernel_execution | ompt_native_data_motion_explicit;
            // SAFETY: the runtime's function with its handle and its flags.
            traces |= unsafe { set(self.handle, 1, wanted as c_int) } >= ompt_set_sometimes;
        }
        traces
    }
}

/// Keeps records from now on, or leaves them out.
fn keep(state: State) {
    KEEPS.store(state == State::Recording, Ordering::Release);
}

/// A command has changed the recording's state: records of what came before it are kept or left out as was right then. A command from
/// outside may come amid the runtime's locks: devices are not asked then, and what they have still to give is treated
/// according to the new state.
fn on_command(state: State, origin: Origin) {
    if origin == Origin::Outside {
        return keep(state);
    }
    for device in devices().filter(|device| !device.is_over.load(Ordering::Acquire)) {
        let pauses = state != State::Recording;
        let done = operation::within(LONGEST, device, move |device| {
            device.flush();
            device.pause(pauses);
        });
        // One that hangs is not asked again.
        device.is_over.fetch_or(!done, Ordering::AcqRel);
    }
    keep(state);
}

impl Device {
    fn flush(&self) {
        if let Some(flush) = self.functions.flush_trace {
            // SAFETY: the runtime's function with its handle; it calls `complete`.
            unsafe { flush(self.handle) };
        }
    }

    fn pause(&self, pauses: bool) {
        if let Some(pause) = self.functions.pause_trace {
            // SAFETY: the runtime's function with its handle.
            unsafe { pause(self.handle, c_int::from(pauses)) };
        }
    }

    /// Has the device give back what it has, and stops it.
    fn stop(&'static self) {
        if self.is_over.swap(true, Ordering::AcqRel) {
            return;
        }
        operation::within(LONGEST, self, |device| {
            device.flush();
            if let Some(stop) = device.functions.stop_trace {
                // SAFETY: the runtime's function with its handle.
                unsafe { stop(device.handle) };
            }
        });
        let mut words = Vec::new();
        clock::put(self, &mut words);
        put_device_records(&words, 0);
    }
}

/// The runtime is about to end a device.
pub(crate) fn device_ends(number: c_int) {
    if let Some(device) = device(number) {
        let _ = caught(|| device.stop());
    }
}

/// The runtime, or the process, ends.
pub(crate) fn end() {
    let _ = caught(|| {
        devices().for_each(Device::stop);
        let left_out = LEFT_OUT.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            let words = "records of devices are not recorded: recording was paused, or had ended";
            note(INTERFACE, &format!("{left_out} {words}"));
        }
    });
}
