//! `single`, which all threads leave, and the waits around the data that it copies to the other threads.

use crate::entry::{entries, passed_on};
use crate::own;
use crate::report::{kind, work};
use crate::thread;
use core::ffi::c_int;
use core::sync::atomic::Ordering;
use ompttrace_recording::Scope;

entries! { settled;
    ort_mysingle (nowait: c_int) -> c_int |call, real| {
        let mine = real(nowait);
        let task = call.task();
        task.nowait.store(nowait != 0, Ordering::Relaxed);
        let kind = if mine != 0 { kind::SINGLE } else { kind::SINGLE_OTHER };
        task.work.set(kind);
        work(Scope::Begin, kind, call.code, task.id.get(), 1);
        if mine == 0 {
            work(Scope::End, kind, call.code, task.id.get(), 1);
        }
        mine
    }
    ort_leaving_single () |call, real| {
        real();
        let task = call.task();
        if task.work.get() == kind::SINGLE {
            work(Scope::End, kind::SINGLE, call.code, task.id.get(), 1);
        }
        task.work.set(0);
        if let Some(own) = own::of(call.thread) {
            own.closes.set(!task.nowait.load(Ordering::Relaxed));
        }
    }
}

passed_on! {
    /// ort_copy_private, between the two barriers of a `single` with `copyprivate`. Addresses and sizes follow.
    ort_copy_private, copies
}

/// Notes that the barrier that follows ends the construct.
fn copies(_code: u64) {
    if let Some(own) = own::of(thread::current()) {
        own.closes.set(true);
    }
}
