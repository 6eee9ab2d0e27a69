//! Loops whose iterations wait for others, `ordered depend(sink)` and `depend(source)`: told as the
//! dependences of iterations that they are, when OMPT has it: a sink after its wait, a source before others
//! may go on. So no source has a later stamp than what waited for it.

use crate::call::Call;
use crate::entry::entries;
use crate::tell;
use core::ffi::c_long;
use ompttrace_recording::events::{Dependence, Dependences};
use ompttrace_recording::{EventCode, Scope};

/// ompt_dependence_type_t.
const SOURCE: u64 = 5;
const SINK: u64 = 6;

/// One number for each dimension of the loop.
fn iteration(call: &Call, kind: u64, numbers: impl Iterator<Item = u64>) {
    if !tell::wants(Dependences::NUMBER) {
        return;
    }
    let (task, count) = (call.task_id(), call.task().dimensions.get());
    tell::put(Dependences::NUMBER, Scope::None, Dependences { task, count });
    for variable in numbers.take(count as usize) {
        let code = EventCode::new(Dependence::NUMBER, Scope::None);
        ompttrace_recorder::put_more(code, Dependence { variable, kind }.words());
    }
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
