//! Records of activities as CUPTI writes them (cupti_activity.h). A record grows at its end from version to version; what is read here
//! is at the same offsets in all of them that CUPTI 13's headers have (kernels: CUpti_ActivityKernel4 to 10).

use crate::calls::Function;
use core::ffi::{CStr, c_char, c_int};
use ompttrace_recording::device_records::{Activity, HOST, kind};

/// CUpti_ActivityKind.
pub(crate) const COPY: c_int = 1;
pub(crate) const SET: c_int = 2;
pub(crate) const DRIVER: c_int = 4;
pub(crate) const RUNTIME: c_int = 5;
pub(crate) const DEVICE: c_int = 8;
pub(crate) const CONCURRENT_KERNEL: c_int = 10;
pub(crate) const COPY_BETWEEN_DEVICES: c_int = 22;
pub(crate) const EXTERNAL_CORRELATION: c_int = 39;

/// Kinds of activities to request, each with its name in messages. CUPTI reports the operation of a call only if calls
/// are requested, too.
pub(crate) const WANTED: [(c_int, &str); 8] = [
    (DEVICE, "devices"),
    (CONCURRENT_KERNEL, "kernels"),
    (COPY, "copies"),
    (COPY_BETWEEN_DEVICES, "copies between devices"),
    (SET, "memsets"),
    (DRIVER, "calls of the driver"),
    (RUNTIME, "calls of CUDA's runtime"),
    (EXTERNAL_CORRELATION, "the operations that caused them"),
];

/// The longest name of a kernel that is kept, in bytes.
const LONGEST: usize = ompttrace_recording::device_records::MOST_TEXT;

/// A record of CUPTI's, by its use for the recording.
pub(crate) enum Record<'r> {
    /// A device: its number and its name.
    Device(u32, &'r CStr),
    /// An activity without its cause; for a kernel its name, whose number is not known yet.
    Activity(Activity, Option<&'r [u8]>),
    /// A call on the host, without the number of its function's name.
    Call(Activity, Function),
    /// The calls with this correlation number were made in operation `host_op`.
    Caused {
        /// The driver's number of a call.
        correlation: u32,
        /// Our number.
        host_op: u64,
    },
    /// A record that is not used.
    Other,
}

/// A record in one of CUPTI's buffers.
#[derive(Clone, Copy)]
pub(crate) struct Raw(*const u8);

impl Raw {
    /// # Safety
    /// `record` is one that cuptiActivityGetNextRecord gave, in a buffer that is not given back while the result is used.
    pub(crate) unsafe fn new(record: *const u8) -> Raw {
        Raw(record)
    }

    /// The field at an offset.
    fn field<T: Copy>(self, offset: usize) -> T {
        // SAFETY: the record is whole, by the promise of `new`, and each kind has the fields that `read` asks for. They may
        // be unaligned: the records are packed.
        unsafe { self.0.add(offset).cast::<T>().read_unaligned() }
    }

    /// The C string that a field points to; empty for null.
    fn text<'r>(self, offset: usize) -> &'r CStr {
        let text: *const c_char = self.field(offset);
        // SAFETY: null or a C string that CUPTI keeps as long as its module or device is there, which is longer than the buffer.
        if text.is_null() { c"" } else { unsafe { CStr::from_ptr(text) } }
    }

    /// Decodes the record.
    pub(crate) fn read<'r>(self) -> Record<'r> {
        match self.field::<c_int>(0) {
            DEVICE => Record::Device(self.field(112), self.text(136)),
            CONCURRENT_KERNEL => {
                let name = self.text(104).to_bytes();
                let name = name.get(..LONGEST).unwrap_or(name);
                Record::Activity(self.kernel(), Some(name))
            }
            COPY => Record::Activity(self.copy(44), None),
            COPY_BETWEEN_DEVICES => Record::Activity(self.copy(60), None),
            SET => Record::Activity(self.set(), None),
            DRIVER => self.call(Function { domain: Function::DRIVER, number: self.field(4) }),
            RUNTIME => self.call(Function { domain: Function::RUNTIME, number: self.field(4) }),
            EXTERNAL_CORRELATION if self.field::<c_int>(4) == crate::operation::OURS => {
                Record::Caused { correlation: self.field(16), host_op: self.field(8) }
            }
            _ => Record::Other,
        }
    }

    /// A call (CUpti_ActivityAPI).
    fn call<'r>(self, function: Function) -> Record<'r> {
        let call = Activity {
            kind: kind::CALL,
            device: HOST,
            begin: self.field(8),
            end: self.field(16),
            context: self.field(28),
            correlation: self.field(32),
            detail: self.field(36),
            ..Activity::default()
        };
        Record::Call(call, function)
    }

    fn kernel(self) -> Activity {
        Activity {
            kind: kind::KERNEL,
            begin: self.field(16),
            end: self.field(24),
            device: self.field(40),
            context: self.field(44),
            stream: self.field(48),
            correlation: self.field(92),
            ..Activity::default()
        }
    }

    /// A copy, whose correlation number is at this offset.
    fn copy(self, correlation: usize) -> Activity {
        let direction = self.field::<u8>(4).into();
        let activity = Activity { kind: kind::COPY, detail: direction, ..self.memory() };
        Activity { correlation: self.field(correlation), ..activity }
    }

    fn set(self) -> Activity {
        let activity = Activity { kind: kind::SET, detail: self.field(4), ..self.memory() };
        Activity { correlation: self.field(44), ..activity }
    }

    /// The fields that copies and memsets share.
    fn memory(self) -> Activity {
        Activity {
            what: self.field(8),
            begin: self.field(16),
            end: self.field(24),
            device: self.field(32),
            context: self.field(36),
            stream: self.field(40),
            ..Activity::default()
        }
    }
}
