//! The functions of libcupti that are used, each as its header declares it.

use core::ffi::{CStr, c_char, c_int, c_void};

/// CUptiResult: 0 is success.
pub(crate) type Answer = c_int;

/// CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED.
pub(crate) const OTHER_SUBSCRIBER: Answer = 39;
/// CUPTI_ACTIVITY_FLAG_FLUSH_FORCED: buffers that are not full come back as well.
pub(crate) const FORCED: u32 = 1;

/// Type of the callback that provides a buffer: pointers to its address, its size in bytes, and its maximum number of
/// records.
pub(crate) type Request = unsafe extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
/// Type of the callback that takes a buffer back: context, stream, buffer, its size, and the number of its bytes that
/// have records.
pub(crate) type Complete = unsafe extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $symbol:literal: $type:ty;)*) => {
        /// All functions of one libcupti.
        #[derive(Clone, Copy)]
        pub(crate) struct Library { $($(#[$doc])* pub(crate) $name: $type,)* }

        impl Library {
            /// The functions of a library; `None` if it lacks one.
            ///
            /// # Safety
            /// `handle` is that of a library which has CUPTI's functions under these names.
            pub(crate) unsafe fn of(handle: *mut c_void) -> Option<Library> {
                Some(Library { $($name: {
                    // SAFETY: a handle and a C string.
                    let found = unsafe { libc::dlsym(handle, $symbol.as_ptr()) };
                    if found.is_null() {
                        return None;
                    }
                    // SAFETY: by the caller's promise the function has the type that CUPTI's header gives this name.
                    unsafe { core::mem::transmute::<*mut c_void, $type>(found) }
                },)* })
            }
        }
    };
}

functions! {
    version = c"cuptiGetVersion": unsafe extern "C" fn(*mut u32) -> Answer;
    /// cuptiSubscribe: pointer to the handle, callback, argument of the callback.
    subscribe = c"cuptiSubscribe": unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *mut c_void) -> Answer;
    /// cuptiEnableCallback: 1, the subscriber, a domain, and the number of a callback in it.
    watch = c"cuptiEnableCallback": unsafe extern "C" fn(u32, *mut c_void, c_int, u32) -> Answer;
    timestamp = c"cuptiGetTimestamp": unsafe extern "C" fn(*mut u64) -> Answer;
    register = c"cuptiActivityRegisterCallbacks": unsafe extern "C" fn(Request, Complete) -> Answer;
    enable = c"cuptiActivityEnable": unsafe extern "C" fn(c_int) -> Answer;
    next = c"cuptiActivityGetNextRecord": unsafe extern "C" fn(*mut u8, usize, *mut *mut u8) -> Answer;
    dropped = c"cuptiActivityGetNumDroppedRecords": unsafe extern "C" fn(*mut c_void, u32, *mut usize) -> Answer;
    flush = c"cuptiActivityFlushAll": unsafe extern "C" fn(u32) -> Answer;
    push = c"cuptiActivityPushExternalCorrelationId": unsafe extern "C" fn(c_int, u64) -> Answer;
    pop = c"cuptiActivityPopExternalCorrelationId": unsafe extern "C" fn(c_int, *mut u64) -> Answer;
    /// cuptiSetThreadIdType: 1 for the system's ids of threads.
    thread_ids = c"cuptiSetThreadIdType": unsafe extern "C" fn(c_int) -> Answer;
    /// cuptiGetCallbackName: domain, number of a function in it, pointer to its name.
    function = c"cuptiGetCallbackName": unsafe extern "C" fn(c_int, u32, *mut *const c_char) -> Answer;
    text = c"cuptiGetResultString": unsafe extern "C" fn(Answer, *mut *const c_char) -> Answer;
    /// cuptiActivityConfigureUnifiedMemoryCounter: configurations and their number.
    configure = c"cuptiActivityConfigureUnifiedMemoryCounter": unsafe extern "C" fn(*const Counter, u32) -> Answer;
}

/// A counter of unified memory to be configured (CUpti_ActivityUnifiedMemoryCounterConfig).
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Counter {
    /// CUpti_ActivityUnifiedMemoryCounterScope, without a meaning since CUDA 7.
    pub scope: c_int,
    /// CUpti_ActivityUnifiedMemoryCounterKind.
    pub kind: c_int,
    /// A device, without a meaning since CUDA 7.
    pub device: u32,
    /// 1: the counter is enabled.
    pub enable: u32,
}

impl Library {
    /// Asks for no records of queries whether a stream or an event is done, of which programs make very many. Libraries before CUPTI
    /// 12.8 cannot be asked.
    pub(crate) fn leave_queries_out(handle: *mut c_void) {
        // SAFETY: a handle and a C string.
        let found = unsafe { libc::dlsym(handle, c"cuptiActivityEnableAllSyncRecords".as_ptr()) };
        if !found.is_null() {
            // SAFETY: CUPTI's header gives this name the type.
            let enable = unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C" fn(u8) -> Answer>(found)
            };
            // SAFETY: CUPTI's function; 0 is false.
            unsafe { enable(0) };
        }
    }

    /// CUPTI's description of an answer.
    pub(crate) fn words(&self, answer: Answer) -> String {
        let mut words = core::ptr::null();
        // SAFETY: the pointer is to storage for the answer, a C string that the library keeps.
        let known = unsafe { (self.text)(answer, &raw mut words) } == 0 && !words.is_null();
        if !known {
            return format!("error {answer}");
        }
        // SAFETY: not null, so a C string of the library.
        unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
    }

    /// The library's version, by its CUPTI_API_VERSION.
    pub(crate) fn version(&self) -> String {
        let mut version = 0;
        // SAFETY: the pointer is to storage for the answer.
        unsafe { (self.version)(&raw mut version) };
        version_of(version)
    }
}

/// The version of a CUPTI_API_VERSION: 130001 is 13.0; up to CUDA 12.9 they were counted, 28 being the last.
fn version_of(number: u32) -> String {
    match number {
        0..10_000 => format!("CUPTI of CUDA 12 or older (interface {number})"),
        _ => format!("CUPTI {}.{}", number / 10_000, number / 100 % 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_cuda_from_13_on() {
        assert_eq!(version_of(130_001), "CUPTI 13.0");
        assert_eq!(version_of(140_200), "CUPTI 14.2");
        assert_eq!(version_of(28), "CUPTI of CUDA 12 or older (interface 28)");
    }

    /// As in CUPTI 12's and 13's headers.
    #[test]
    fn a_counters_configuration_has_four_words() {
        use core::mem::offset_of;
        let offsets = [
            offset_of!(Counter, scope),
            offset_of!(Counter, kind),
            offset_of!(Counter, device),
            offset_of!(Counter, enable),
        ];
        assert_eq!((offsets, size_of::<Counter>()), ([0, 4, 8, 12], 16));
    }
}
