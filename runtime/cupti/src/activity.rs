//! Records of activities as CUPTI writes them (cupti_activity.h). A record grows at its end from version to version; what is read here
//! is at the same offsets in all of them that CUPTI 13's headers have (kernels: CUpti_ActivityKernel4 to 10).

use crate::calls::Function;
use crate::events::Recorded;
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
pub(crate) const UNIFIED_MEMORY: c_int = 25;
pub(crate) const EVENT: c_int = 36;
pub(crate) const SYNCHRONIZATION: c_int = 38;
pub(crate) const EXTERNAL_CORRELATION: c_int = 39;

/// Kinds of activities to request, each with its name in messages. CUPTI reports the operation of a call only if calls
/// are requested, too.
pub(crate) const WANTED: [(c_int, &str); 10] = [
    (DEVICE, "devices"),
    (CONCURRENT_KERNEL, "kernels"),
    (COPY, "copies"),
    (COPY_BETWEEN_DEVICES, "copies between devices"),
    (SET, "memsets"),
    (DRIVER, "calls of the driver"),
    (RUNTIME, "calls of CUDA's runtime"),
    (EXTERNAL_CORRELATION, "the operations that caused them"),
    (EVENT, "events of streams"),
    (SYNCHRONIZATION, "waits for events and streams"),
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
    /// A counter of unified memory.
    Unified(Counted),
    /// A call that synchronises.
    Synchronized(Activity),
    /// An event is recorded in a stream.
    Recorded(Recorded),
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

/// A counter of unified memory (CUpti_ActivityUnifiedMemoryCounter2, to which 3 adds processors at its end).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The counter.
    pub counter: u32,
    /// Its value.
    pub value: u64,
    /// Times of its begin and end.
    pub times: (u64, u64),
    /// Address of the memory.
    pub address: u64,
    /// The devices from which and to which something goes.
    pub devices: (u32, u32),
    /// Causes, accesses or processors, by counter.
    pub flags: u32,
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
            UNIFIED_MEMORY => Record::Unified(self.counted()),
            SYNCHRONIZATION => Record::Synchronized(self.synchronized()),
            EVENT => Record::Recorded(Recorded {
                correlation: self.field(4),
                context: self.field(8),
                stream: self.field(12),
                event: self.field(16),
            }),
            _ => Record::Other,
        }
    }

    fn counted(self) -> Counted {
        Counted {
            counter: self.field(4),
            value: self.field(8),
            times: (self.field(16), self.field(24)),
            address: self.field(32),
            devices: (self.field(40), self.field(44)),
            flags: self.field(56),
        }
    }

    /// A call that synchronises (CUpti_ActivitySynchronization).
    fn synchronized(self) -> Activity {
        Activity {
            kind: kind::SYNC,
            device: HOST,
            detail: self.field(4),
            begin: self.field(8),
            end: self.field(16),
            correlation: self.field(24),
            context: self.field(28),
            stream: self.field(32),
            what: self.field::<u32>(36).into(),
            ..Activity::default()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A record whose words are numbered, but for the kind.
    fn numbered(kind: u32) -> Vec<u32> {
        (0..16).map(|word| if word == 0 { kind } else { word }).collect()
    }

    fn read(words: &[u32]) -> Record<'_> {
        // SAFETY: the words are longer than any record that is read here, and none of its fields is a pointer.
        unsafe { Raw::new(words.as_ptr().cast()) }.read()
    }

    /// The 64-bit field that begins with this word.
    fn wide(word: u64) -> u64 {
        (word + 1) << 32 | word
    }

    /// Offsets of CUPTI 12's and 13's headers, divided by 4.
    #[test]
    fn fields_are_where_the_headers_have_them() {
        let Record::Unified(counted) = read(&numbered(25)) else { panic!("no counter") };
        let expected = Counted {
            counter: 1,
            value: wide(2),
            times: (wide(4), wide(6)),
            address: wide(8),
            devices: (10, 11),
            flags: 14,
        };
        assert_eq!(counted, expected);
        let Record::Synchronized(sync) = read(&numbered(38)) else { panic!("no synchronisation") };
        assert_eq!((sync.detail, sync.begin, sync.end), (1, wide(2), wide(4)));
        assert_eq!((sync.correlation, sync.context, sync.stream, sync.what), (6, 7, 8, 9));
        let Record::Recorded(event) = read(&numbered(36)) else { panic!("no event") };
        assert_eq!(event, Recorded { correlation: 1, context: 2, stream: 3, event: 4 });
    }
}
