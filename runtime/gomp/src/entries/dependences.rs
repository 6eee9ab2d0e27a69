//! What tasks and waits depend on, as libgomp's lists have it.

use crate::tell;
use core::ffi::c_void;
use ompttrace_recording::events::{Dependence, Dependences};
use ompttrace_recording::{EventCode, Id, Scope};

/// ompt_dependence_type_t.
const IN: u64 = 1;
const OUT: u64 = 2;
const INOUT: u64 = 3;
const MUTEXINOUTSET: u64 = 4;
const INOUTSET: u64 = 7;

/// Tells a list of dependences in either of libgomp's layouts: counts first, then addresses.
///
/// # Safety
/// The list that the program gave to libgomp.
pub(crate) unsafe fn put(task: Id, list: *mut *mut c_void) {
    if !tell::wants(Dependences::NUMBER) {
        return;
    }
    // SAFETY: the counts stand before what they count.
    let word = |at: usize| unsafe { list.add(at).read().addr() };
    let (old, count) = if word(0) != 0 { (true, word(0)) } else { (false, word(1)) };
    let event = Dependences { task: task.0, count: count as u64 };
    tell::put(Dependences::NUMBER, Scope::None, event);
    for item in 0..count {
        let (variable, kind) = if old {
            (word(2 + item) as u64, if item < word(1) { INOUT } else { IN })
        } else {
            // SAFETY: the counts that stand in front say that there is an item at this place.
            unsafe { item_of(&word, item) }
        };
        let code = EventCode::new(Dependence::NUMBER, Scope::None);
        ompttrace_recorder::put_more(code, Dependence { variable, kind }.words());
    }
}

/// An entry of the newer layout: `out`, then `mutexinoutset`, then `in`, then objects that say more.
///
/// # Safety
/// The entry is one of the list's, and an object's address that of an omp_depend_t.
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
