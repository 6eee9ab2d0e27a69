//! Dependences of tasks and waits, read from libgomp's lists.

use core::ffi::c_void;
use ompttrace_in_front::dependences;
use ompttrace_in_front::dependences::kind::{IN, INOUT, INOUTSET, MUTEXINOUTSET, OUT};
use ompttrace_recording::Id;

/// Records a list of dependences in either of libgomp's layouts: counts first, then addresses.
///
/// # Safety
/// `list` is the list that the program gave to libgomp.
pub(crate) unsafe fn put(task: Id, list: *mut *mut c_void) {
    // SAFETY: the counts stand before what they count.
    let word = |at: usize| unsafe { list.add(at).read().addr() };
    let (old, count) = if word(0) != 0 { (true, word(0)) } else { (false, word(1)) };
    let item = |item: usize| {
        if old {
            return (word(2 + item) as u64, if item < word(1) { INOUT } else { IN });
        }
        // SAFETY: the counts that stand in front say that there is an item at this index.
        unsafe { item_of(&word, item) }
    };
    dependences::put(task.0, count as u64, (0..count).map(item));
}

/// Variable and kind of an entry of the newer layout: first those of `out`, then `mutexinoutset`, then `in`, then
/// depend objects, which have a kind of their own.
///
/// # Safety
/// The entry is one of the list's, and an object's address is that of an omp_depend_t.
unsafe fn item_of(word: &impl Fn(usize) -> usize, item: usize) -> (u64, u64) {
    let (out, mutex, input) = (word(2), word(3), word(4));
    let address = word(5 + item);
    let kind = match item {
        _ if item < out => INOUT,
        _ if item < out + mutex => MUTEXINOUTSET,
        _ if item < out + mutex + input => IN,
        _ => {
            let object = core::ptr::with_exposed_provenance::<usize>(address);
            // SAFETY: by the caller's promise: an address, and libgomp's number of the kind.
            let (variable, kind) = unsafe { (object.read(), object.add(1).read()) };
            let kind = match kind {
                1 => IN,
                2 => OUT,
                3 => INOUT,
                4 => MUTEXINOUTSET,
                5 => INOUTSET,
                other => other as u64,
            };
            return (variable as u64, kind);
        }
    };
    (address as u64, kind)
}
