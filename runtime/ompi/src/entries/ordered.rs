//! Ordered sections of a loop, and iterations that depend on each other: a sink after its wait, a source before others
//! may go on, so that no source has a later time than what waited for it.

use crate::call::Call;
use crate::entry::entries;
use crate::report::{acquire, acquired, kind, released};
use core::ffi::{c_int, c_long};
use ompttrace_in_front::dependences;
use ompttrace_in_front::dependences::kind::{SINK, SOURCE};

/// A loop of a nest: first value, step, iterations.
type Dimension = [c_long; 3];

/// The wait id of all ordered sections of a region, since its loops cannot be distinguished.
fn wait_id(call: &Call) -> u64 {
    call.task().region.get()
}

/// Records dependences of an iteration, which is given by one number for each dimension of the loop.
///
/// # Safety
/// `numbers` points to as many numbers as the loop has dimensions.
unsafe fn iteration(call: &Call, kind: u64, numbers: *const c_long) {
    let (task, count) = (call.task_id(), call.task().dimensions.get());
    // SAFETY: the caller's promise.
    let numbers = (0..count as usize).map(|at| (unsafe { *numbers.add(at) } as u64, kind));
    dependences::put(task, count, numbers);
}

entries! { settled;
    ort_ordered_begin () |call, real| {
        let id = wait_id(&call);
        acquire(&call, kind::ORDERED, id);
        real();
        acquired(&call, kind::ORDERED, id);
    }
    ort_ordered_end () |call, real| {
        real();
        released(&call, kind::ORDERED, wait_id(&call));
    }
    ort_doacross_wait (nest: *const Dimension, count: c_int, iterations: *const c_long) |call, real| {
        real(nest, count, iterations);
        let dimensions = call.task().dimensions.get() as usize;
        for at in 0..count.max(0) as usize {
            iteration(&call, SINK, iterations.add(at * dimensions));
        }
    }
    ort_doacross_post (nest: *const Dimension, numbers: *const c_long) |call, real| {
        iteration(&call, SOURCE, numbers);
        real(nest, numbers)
    }
}
