//! Barriers. OMPi's code calls the same function for a `barrier` directive and for the end of a construct; the
//! preceding call distinguishes them.

use crate::entry::entries;
use crate::own;
use crate::report::{kind, waiting};
use core::ffi::c_int;
use ompttrace_recording::Scope;
use ompttrace_recording::events::Flush;

entries! { settled;
    ort_barrier_me () -> c_int |call, real| {
        call.task();
        let closes = own::of(call.thread).is_some_and(|own| own.closes.replace(false));
        let kind = if closes { kind::BARRIER_WORKSHARE } else { kind::BARRIER_EXPLICIT };
        waiting(&call, kind, || real())
    }
    ort_fence () |call, real| {
        call.task();
        crate::report::put(Flush::NUMBER, Scope::None, Flush { code: call.code, kind: 0 });
        real()
    }
}
