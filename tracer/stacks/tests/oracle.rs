//! The walk against the C++ runtime's own unwinder, which finds frames in another way: the same return addresses, on
//! the main thread's kind of stack and on others, through recursion, with walks that are remembered and walks that
//! must not be; and against words that a broken runtime could pass.

#[path = "maps/mod.rs"]
mod maps;

use core::ffi::{c_int, c_void};
use maps::mapped;
use ompttrace_stacks::{End, MAX_DEPTH, Request, set_find_module, walk};
use std::hint::black_box;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        each: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        to: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

extern "C" fn note(context: *mut c_void, to: *mut c_void) -> c_int {
    // SAFETY: `to` is the vector of `unwound`, and the context is the unwinder's for this call.
    unsafe { (*to.cast::<Vec<u64>>()).push(_Unwind_GetIP(context) as u64) };
    0
}

/// Return addresses of the callers of this, innermost first.
#[inline(never)]
fn unwound() -> Vec<u64> {
    let mut found: Vec<u64> = Vec::new();
    // SAFETY: the function has the type that the unwinder wants, and the vector outlives the call.
    unsafe { _Unwind_Backtrace(note, (&raw mut found).cast()) };
    found.retain(|address| *address != 0);
    found
}

#[inline(never)]
fn deeper(depth: usize, bottom: &mut dyn FnMut()) -> usize {
    // Frames of different sizes.
    let room = vec![depth; depth % 7];
    if depth == 0 {
        bottom();
    } else {
        deeper(depth - 1, bottom);
    }
    black_box(room.len())
}

fn compare(depth: usize) {
    set_find_module(mapped);
    let mut addresses = [0; MAX_DEPTH];
    let mut compared = 0;
    deeper(depth, &mut || {
        // The second time it is remembered.
        let mut first = [0; MAX_DEPTH];
        let mut walked = None;
        for addresses in [&mut first, &mut addresses] {
            walked = Some(walk(&Request::default(), addresses));
        }
        let walked = walked.expect("a walk");
        assert_eq!(first, addresses);
        let other = unwound();
        assert_eq!(walked.end, End::Whole, "{walked:?}");
        // Both were called here, from two lines; what is around is the same. The unwinder reports
        // the function that asked it as well.
        let found = &addresses[1..walked.frames];
        let at = other.iter().position(|address| *address == found[0]).expect("a common caller");
        assert_eq!(found, &other[at..], "depth {depth}");
        compared = found.len();
    });
    assert!(compared > depth, "{compared} frames at depth {depth}");
}

#[test]
fn the_same_frames_as_the_unwinders() {
    for depth in [0, 1, 5, 40] {
        compare(depth);
        std::thread::spawn(move || compare(depth)).join().expect("a thread");
    }
}

/// Calls `bottom` from one of two call sites.
#[inline(never)]
fn from_two_call_sites(second: bool, bottom: &mut dyn FnMut()) {
    if second {
        bottom();
        black_box(1);
    } else {
        bottom();
        black_box(2);
    }
}

/// A remembered walk is invalid if the stack has changed above the same position.
#[test]
fn a_walk_from_the_same_call_site_sees_that_its_callers_differ() {
    set_find_module(mapped);
    let mut stacks = Vec::new();
    for second in [false, true, true, false, true] {
        let mut frames = [0; MAX_DEPTH];
        let mut count = 0;
        from_two_call_sites(second, &mut || count = walk(&Request::default(), &mut frames).frames);
        stacks.push((second, frames[..count].to_vec()));
    }
    for (one, other) in stacks.iter().flat_map(|one| stacks.iter().map(move |other| (one, other))) {
        assert_eq!(one.0 == other.0, one.1 == other.1);
    }
}

#[test]
fn depth_is_bounded_and_what_is_missing_is_said() {
    set_find_module(mapped);
    let mut addresses = [0; 4];
    let mut end = End::Whole;
    deeper(10, &mut || end = walk(&Request::default(), &mut addresses).end);
    assert_eq!(end, End::Cut);
    assert!(addresses.iter().all(|address| *address != 0));
}

#[test]
fn words_that_are_wrong_do_no_harm() {
    set_find_module(mapped);
    let here = black_box(&0u64) as *const u64 as u64;
    for enter in [1, here, here + 1, here + 4096, u64::MAX, u64::MAX - 8, 1 << 62] {
        for exit in [0, 1, here, here + 64, u64::MAX] {
            for code in [0, 1, here, u64::MAX] {
                let mut addresses = [0; MAX_DEPTH];
                let walked = walk(&Request { code, enter, exit }, &mut addresses);
                assert!(walked.frames <= MAX_DEPTH);
            }
        }
    }
}
