//! Operations on devices, as an OpenMP runtime reports them, for a source that records activities of devices: it is
//! notified of the devices that are used, and of the operation that caused each activity.

use std::sync::atomic::{AtomicPtr, Ordering};

/// The functions of a source that records activities of devices. They are called outside of events.
#[derive(Debug)]
pub struct DeviceSource {
    /// A runtime initialises a device of this type, such as `sm_90`; true: the source records it.
    pub device_begins: fn(&[u8]) -> bool,
    /// The calling thread begins an operation, with our id of it.
    pub operation_begins: fn(u64),
    /// Called when the calling thread ends its latest operation.
    pub operation_ends: fn(),
}

/// The source; null if there is none.
static SOURCE: AtomicPtr<DeviceSource> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the source, which is called until the end of the process.
pub fn set_device_source(source: &'static DeviceSource) {
    SOURCE.store(std::ptr::from_ref(source).cast_mut(), Ordering::Release);
}

/// A runtime initialises a device of this type; true: a source records what it does.
pub fn device_begins(kind: &[u8]) -> bool {
    source().is_some_and(|source| (source.device_begins)(kind))
}

/// Notifies the source that the calling thread begins operation `host_op` of a target construct.
#[inline]
pub fn operation_begins(host_op: u64) {
    if let Some(source) = source() {
        (source.operation_begins)(host_op);
    }
}

/// Notifies the source that the calling thread ends its latest operation.
#[inline]
pub fn operation_ends() {
    if let Some(source) = source() {
        (source.operation_ends)();
    }
}

#[inline]
fn source() -> Option<&'static DeviceSource> {
    // SAFETY: null, or from a reference that lives as long as the process; nobody writes to it.
    unsafe { SOURCE.load(Ordering::Acquire).as_ref() }
}
