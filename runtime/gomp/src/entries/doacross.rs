//! Loops whose iterations wait for others, `ordered depend(sink)` and `depend(source)`: reported as the
//! dependences of iterations that they are, when OMPT has it: a sink after its wait, a source before others
//! may go on. So no source has a later stamp than what waited for it.

use crate::call::Call;
use crate::entry::entries;
use core::ffi::c_long;
use ompttrace_in_front::dependences;
use ompttrace_in_front::dependences::kind::{SINK, SOURCE};

/// Records dependences of an iteration, which is given by one number for each dimension of the loop.
fn iteration(call: &Call, kind: u64, numbers: impl Iterator<Item = u64>) {
    let (task, count) = (call.task_id(), call.task().dimensions.get());
    dependences::put(task, count, numbers.map(|number| (number, kind)));
}

entries! { TABLE;
    // As many numbers as the loop has dimensions; the words behind them are passed on unread. Loops of
    // more dimensions than this are not to be found.
    [GOMP_doacross_wait, GOMP_doacross_ull_wait]
        (a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64, j: u64, k: u64, l: u64)
        |call, real| {
        real(a, b, c, d, e, f, g, h, i, j, k, l);
        iteration(&call, SINK, [a, b, c, d, e, f, g, h, i, j, k, l].into_iter());
    }
    [GOMP_doacross_post, GOMP_doacross_ull_post] (numbers: *mut c_long) |call, real| {
        iteration(&call, SOURCE, (0..).map(|at| *numbers.add(at) as u64));
        real(numbers);
    }
}
