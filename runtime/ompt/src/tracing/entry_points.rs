//! The entry points of a device that traces itself, as its look-up function finds them.

use crate::inquiry::Lookup;
use core::ffi::{c_int, c_uint, c_void};
use ompt_sys::{
    ompt_buffer_cursor_t, ompt_buffer_t, ompt_callback_buffer_complete_t,
    ompt_callback_buffer_request_t, ompt_device_t, ompt_device_time_t, ompt_id_t,
    ompt_record_abstract_t, ompt_record_ompt_t, ompt_record_t, ompt_set_result_t,
};

type Handle = *mut ompt_device_t;
type Buffer = *mut ompt_buffer_t;
type Cursor = ompt_buffer_cursor_t;

macro_rules! entry_points {
    (needed { $($needed:ident = $needed_name:literal: $needed_type:ty;)* } optional { $($optional:ident = $name:literal: $type:ty;)* }) => {
        /// The functions of one device.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct EntryPoints {
            $(pub(super) $needed: $needed_type,)*
            $(pub(super) $optional: Option<$type>,)*
        }

        /// Looks all of them up; `None`: the device does not trace itself.
        pub(super) fn find(lookup: Lookup) -> Option<EntryPoints> {
            // SAFETY: the types are those that omp-tools.h gives these names.
            unsafe {
                Some(EntryPoints {
                    $($needed: lookup.find::<Option<$needed_type>>($needed_name).flatten()?,)*
                    $($optional: lookup.find::<Option<$type>>($name).flatten(),)*
                })
            }
        }
    };
}

entry_points! {
    needed {
        get_device_time = c"ompt_get_device_time": unsafe extern "C" fn(Handle) -> ompt_device_time_t;
        start_trace = c"ompt_start_trace": unsafe extern "C" fn(Handle, ompt_callback_buffer_request_t, ompt_callback_buffer_complete_t) -> c_int;
        advance_buffer_cursor = c"ompt_advance_buffer_cursor": unsafe extern "C" fn(Handle, Buffer, usize, Cursor, *mut Cursor) -> c_int;
        get_record_ompt = c"ompt_get_record_ompt": unsafe extern "C" fn(Buffer, Cursor) -> *mut ompt_record_ompt_t;
    }
    optional {
        set_trace_ompt = c"ompt_set_trace_ompt": unsafe extern "C" fn(Handle, c_uint, c_uint) -> ompt_set_result_t;
        set_trace_native = c"ompt_set_trace_native": unsafe extern "C" fn(Handle, c_int, c_int) -> ompt_set_result_t;
        pause_trace = c"ompt_pause_trace": unsafe extern "C" fn(Handle, c_int) -> c_int;
        flush_trace = c"ompt_flush_trace": unsafe extern "C" fn(Handle) -> c_int;
        stop_trace = c"ompt_stop_trace": unsafe extern "C" fn(Handle) -> c_int;
        get_record_type = c"ompt_get_record_type": unsafe extern "C" fn(Buffer, Cursor) -> ompt_record_t;
        get_record_native = c"ompt_get_record_native": unsafe extern "C" fn(Buffer, Cursor, *mut ompt_id_t) -> *mut c_void;
        get_record_abstract = c"ompt_get_record_abstract": unsafe extern "C" fn(*mut c_void) -> *mut ompt_record_abstract_t;
    }
}

impl EntryPoints {
    /// True if records in the device's own form can be read.
    pub(super) fn has_native(&self) -> bool {
        self.get_record_type.is_some()
            && self.get_record_native.is_some()
            && self.get_record_abstract.is_some()
    }
}
