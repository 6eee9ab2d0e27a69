//! Requests to the runtime: one function for each, on entries that lie on the caller's stack.

use crate::mapping;
use collector_sys::entry::{Answer, Layout, Message};
use collector_sys::{Api, Callback, ErrorCode, Event, Request, State};
use core::sync::atomic::{AtomicPtr, Ordering};

static API: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Sets the runtime to ask.
pub(crate) fn set_api(api: Api) {
    API.store(api as *mut (), Ordering::Release);
}

fn api() -> Option<Api> {
    let api = API.load(Ordering::Acquire);
    // SAFETY: the only values ever stored are null and an `Api`, by `set_api`.
    (!api.is_null()).then(|| unsafe { core::mem::transmute::<*mut (), Api>(api) })
}

/// Asks for something that takes no parameters: start, stop, pause, resume.
pub(crate) fn simple(request: Request) -> Option<ErrorCode> {
    let mut message = Message::new();
    let sent = message.add(request, 0)?;
    send(&mut message);
    message.answer(sent).code
}

/// Asks for an event. The paper does not say whether the callback is right after the event's
/// number or where a C struct would have it: a runtime to which the first is too small gets the other.
pub(crate) fn register(event: Event, callback: Callback) -> Option<ErrorCode> {
    match register_as(Layout::Packed, event, callback) {
        Some(ErrorCode::Error | ErrorCode::MemTooSmall) => {
            register_as(Layout::Padded, event, callback)
        }
        answer => answer,
    }
}

fn register_as(layout: Layout, event: Event, callback: Callback) -> Option<ErrorCode> {
    let mut message = Message::new();
    let sent = message.add(Request::Register, layout.pair())?;
    message.set_int(sent, 0, event as i32);
    message.set_word(sent, layout.second(), callback as usize as u64);
    send(&mut message);
    message.answer(sent).code
}

/// The calling thread's region; 0: none, or the runtime does not say.
#[inline]
pub(crate) fn region() -> u64 {
    region_by(Request::CurrentPrid)
}

/// The region around it, for the thread that forked it.
#[inline]
pub(crate) fn outer_region() -> u64 {
    region_by(Request::ParentPrid)
}

#[inline]
fn region_by(request: Request) -> u64 {
    let mut message = Message::new();
    let Some(sent) = message.add(request, 8) else { return 0 };
    send(&mut message);
    if is_answered(message.answer(sent), 8) { message.word(sent, 0) } else { 0 }
}

/// Id of the barrier or mutex that the calling thread waits for; 0 if there is none, or the runtime does not report
/// it.
#[inline]
pub(crate) fn wait_id() -> u64 {
    state().1
}

/// State of the calling thread, as an ompt_state_t (0 if the runtime does not report it), and the id of the barrier or
/// mutex that it waits for. Signal handlers may call it, since the paper declares this request safe there.
pub(crate) fn state() -> (u64, u64) {
    let mut message = Message::new();
    let Some(sent) = message.add(Request::State, Layout::Padded.pair()) else { return (0, 0) };
    send(&mut message);
    let answer = message.answer(sent);
    let layouts = [Layout::Packed, Layout::Padded];
    let layout = layouts.into_iter().find(|layout| is_answered(answer, layout.pair()));
    // A state without a wait id is a number alone.
    let is_number = layout.is_some() || is_answered(answer, size_of::<i32>());
    let state = State::from_number(message.int(sent, 0)).filter(|_| is_number);
    let wait_id = layout.map_or(0, |layout| message.word(sent, layout.second()));
    (state.map_or(0, mapping::state), wait_id)
}

/// A real runtime sets the size of this answer but no error code.
#[inline]
fn is_answered(answer: Answer, bytes: usize) -> bool {
    answer.bytes == bytes as i32 && matches!(answer.code, Some(ErrorCode::Ok) | None)
}

#[inline]
fn send(message: &mut Message) {
    if let Some(api) = api() {
        // SAFETY: `set_api` was given the function behind the interface's symbol.
        unsafe { message.send(api) };
    }
}
