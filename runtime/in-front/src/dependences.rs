//! Dependences, of tasks and of a loop's iterations.

use crate::report;
use ompttrace_recording::events::{Dependence, Dependences};
use ompttrace_recording::{EventCode, Scope};

/// Enumerators of ompt_dependence_type_t.
#[allow(missing_docs, reason = "they have OMPT's names")]
pub mod kind {
    pub const IN: u64 = 1;
    pub const OUT: u64 = 2;
    pub const INOUT: u64 = 3;
    pub const MUTEXINOUTSET: u64 = 4;
    pub const SOURCE: u64 = 5;
    pub const SINK: u64 = 6;
    pub const INOUTSET: u64 = 7;
}

/// Records the `count` dependences of a task: the address of the variable and the kind of each.
#[inline(always)]
pub fn put(task: u64, count: u64, all: impl Iterator<Item = (u64, u64)>) {
    if !report::wants(Dependences::NUMBER) {
        return;
    }
    report::put(Dependences::NUMBER, Scope::None, Dependences { task, count });
    for (variable, kind) in all.take(count as usize) {
        let code = EventCode::new(Dependence::NUMBER, Scope::None);
        ompttrace_recorder::put_more(code, Dependence { variable, kind }.words());
    }
}
