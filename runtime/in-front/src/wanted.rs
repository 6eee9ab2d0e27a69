//! Events that are wanted: the settings that follow from them, and their description in `recording.json`.

use crate::report;
use ompttrace_life::Selection;
use ompttrace_recording::events::{
    Cancel, Dependences, Dispatch, ImplicitTask, LockDestroy, LockInit, MutexAcquire,
    MutexAcquired, MutexReleased, NestLock, ParallelBegin, ParallelEnd, SyncRegion, SyncRegionWait,
    TargetEmi, TaskCreate, TaskSchedule, ThreadBegin, ThreadEnd, Work,
};
use std::collections::BTreeMap;

/// Events that adapters of this kind, functions in front of a runtime's, report for any runtime.
pub const DELIVERED: &[u16] = &[
    ThreadBegin::NUMBER,
    ThreadEnd::NUMBER,
    ParallelBegin::NUMBER,
    ParallelEnd::NUMBER,
    ImplicitTask::NUMBER,
    TaskCreate::NUMBER,
    TaskSchedule::NUMBER,
    Dependences::NUMBER,
    Work::NUMBER,
    Dispatch::NUMBER,
    SyncRegion::NUMBER,
    SyncRegionWait::NUMBER,
    MutexAcquire::NUMBER,
    MutexAcquired::NUMBER,
    MutexReleased::NUMBER,
    LockInit::NUMBER,
    LockDestroy::NUMBER,
    NestLock::NUMBER,
    Cancel::NUMBER,
    TargetEmi::NUMBER,
];

/// For each event by name whether it is recorded: `never`, `not wanted` or `always`.
pub fn answers(selection: &Selection, delivers: impl Fn(u16) -> bool) -> BTreeMap<String, String> {
    let answer = |event, wanted| match (delivers(event), wanted) {
        (false, _) => "never",
        (true, false) => "not wanted",
        (true, true) => "always",
    };
    let events = selection.events();
    events
        .map(|(event, name, wanted)| (name.to_owned(), answer(event, wanted).to_owned()))
        .collect()
}

/// Sets the events and the call stacks that are recorded of a runtime; `code` is an address in its code.
pub fn begin(selection: &Selection, code: u64) {
    let wanted = selection.events().filter(|(.., wanted)| *wanted);
    report::want(wanted.fold(0, |bits, (number, ..)| bits | 1 << number));
    if selection.stack_depth > 0 {
        ompttrace_stacks::set_runtime(code);
        ompttrace_stacks::set_depth(selection.stack_depth);
    }
}
