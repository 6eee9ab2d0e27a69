//! The words that the runtime keeps for a tool (`ompt_data_t`): reading and setting ids in them.
//!
//! Only values are trusted, never addresses: runtimes reuse and move them. Every pointer may be null.

use ompt_sys::ompt_data_t;
use ompttrace_recorder::Room;
use ompttrace_recording::Id;

/// A runtime's pointer to a tool's word.
pub(crate) type Data = *mut ompt_data_t;
/// A code address as the runtime gives it.
pub(crate) type Code = *const core::ffi::c_void;

/// The id in a tool's word; [`Id::NONE`] for null.
///
/// # Safety
/// `data` is null or points to a word that the runtime lets the tool use during this callback.
#[inline(always)]
pub(crate) unsafe fn id(data: Data) -> Id {
    if data.is_null() {
        return Id::NONE;
    }
    // SAFETY: not null, so by the caller's promise a readable word; any 64 bits are a value.
    Id(unsafe { (*data).value })
}

/// Keeps an id in a tool's word, unless the pointer is null.
///
/// # Safety
/// As for [`id`].
#[inline(always)]
pub(crate) unsafe fn set_id(data: Data, id: Id) {
    if !data.is_null() {
        // SAFETY: not null, so by the caller's promise a writable word of this tool.
        unsafe { (*data).value = id.0 };
    }
}

/// A new id of its parts, also when the event itself is not recorded; none for a thread that has no
/// memory.
#[inline(always)]
pub(crate) fn new_id(room: Option<&Room>, make: impl FnOnce(u64, u32) -> Id) -> Id {
    let parts = match room {
        Some(room) => Some(room.next_id()),
        None => ompttrace_recorder::next_id(),
    };
    parts.map_or(Id::NONE, |(thread, counter)| make(thread, counter))
}

/// An address as a number.
#[inline(always)]
pub(crate) fn at<T>(address: *const T) -> u64 {
    address.addr() as u64
}

/// A number as an address of code.
#[inline(always)]
pub(crate) fn code_at(address: u64) -> Code {
    core::ptr::without_provenance(address as usize)
}

/// A C int as the 32 bits it is.
#[inline(always)]
pub(crate) fn bits(number: core::ffi::c_int) -> u64 {
    u64::from(number as u32)
}

/// A C int with its sign.
#[inline(always)]
pub(crate) fn signed(number: core::ffi::c_int) -> u64 {
    i64::from(number) as u64
}
