//! The call stack at which a thread makes its next region or task, as a record.

use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::events::slow::{guarded, inside_event, make_room, put_frame};
use crate::host::clock;
use crate::tables::contexts;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{CallContext, Scope, stack};

/// True if a context would be recorded now.
#[inline]
pub fn wants_contexts() -> bool {
    !matches!(state(), State::Paused | State::Ended | State::Off)
}

/// Records the context of the next region or task that the calling thread makes. `walk`, called even if nothing is recorded (see
/// [`wants_contexts`]), gives the return addresses, outermost first, and flags of [`stack`].
pub fn put_context<'f>(walk: impl FnOnce() -> (&'f [u64], u64)) {
    guarded(|| {
        let began = clock::ticks();
        let (frames, flags) = walk();
        inside_event(|ticks| put(frames, flags, began, ticks));
    });
}

fn put(frames: &[u64], mut flags: u64, began: u64, ticks: u64) {
    let node = contexts::number(frames, |frame| put_frame(ticks, frame));
    if node.is_none() {
        flags |= stack::FULL;
    }
    flags |= stack::with_took(clock::ticks().saturating_sub(began));
    let code = EventCode::new(CallContext::NUMBER, Scope::None);
    // A thread without a block gets one here.
    let Some(room) = make_room(code, ticks) else { return };
    let counter = tls::block().next_counter();
    room.put(code, CallContext { counter, flags, node: node.unwrap_or(0) });
}
