//! Commands from outside the process (`ompttrace control`): a request in the pool's header is taken by the first thread that notices
//! it on the slow path, carried out there, and answered in the header.
//!
//! No thread of ours waits for requests, so a command takes effect at the program's next event that takes the slow path.

use crate::blocks::state::{State, state};
use crate::host::clock;
use crate::host::sync::{self, AtomicPtr, AtomicU64, Ordering};
use crate::registry::attention;
use crate::registry::inside::{self, Work};
use crate::registry::recorder::{self, Recorder};
use ompttrace_recording::outside::{Answer, Request};
use ompttrace_recording::pool::header;

/// A function that carries out a command, by its number.
type Carry = fn(u64);

static CARRY: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Has commands from outside carried out by `carry`, which must not allocate: the thread may be anywhere in the program.
pub fn set_outside_commands(carry: Carry) {
    CARRY.store(carry as *mut (), Ordering::Release);
}

/// Carries out a command from outside, if there is one. Sources call it that do not report their events while nothing is recorded.
#[inline(always)]
pub fn take_outside_command() {
    if attention::is_wanted() {
        take();
    }
}

/// Takes and carries out a request, if there is one. Not amid the tool's own work, which a signal handler's event interrupts, and not
/// while another is carried out: a later event takes it then.
#[cold]
#[inline(never)]
pub(crate) fn take() {
    let Some(recorder) = recorder::own().filter(|_| inside::work() == Work::None) else { return };
    if !begins() {
        return;
    }
    if let Some(request) = pending(recorder) {
        recorder.pool.header(header::TAKEN).store(request, Ordering::SeqCst);
        carry_out(recorder, request);
    }
    CARRIER.store(0, Ordering::SeqCst);
    settle(recorder);
}

/// The thread that carries out a command, by its lock id; 0 if none does. Commands one after the other have one order for all, and the
/// answer to the last one is the last one.
static CARRIER: AtomicU64 = AtomicU64::new(0);

/// Makes the calling thread the one that carries out commands, unless there is one: itself, or another that has not ended amid it.
fn begins() -> bool {
    let carrier = CARRIER.load(Ordering::SeqCst);
    let is_free = carrier == 0 || carrier != sync::me() && sync::is_gone(carrier);
    let exchange =
        || CARRIER.compare_exchange(carrier, sync::me(), Ordering::SeqCst, Ordering::Relaxed);
    is_free && exchange().is_ok()
}

/// Notes that there is nothing more to do, unless there is.
pub(crate) fn settle(recorder: &Recorder) {
    attention::clear();
    if recorder.parker.is_set() || pending(recorder).is_some() {
        attention::ask();
    }
}

/// A request that nobody has taken.
fn pending(recorder: &Recorder) -> Option<u64> {
    let taken = recorder.pool.header(header::TAKEN).load(Ordering::SeqCst);
    let request = recorder.pool.header(header::REQUEST).load(Ordering::SeqCst);
    (request != taken).then_some(request)
}

fn carry_out(recorder: &Recorder, word: u64) {
    let request = Request::from_word(word);
    let (before, taken_at) = (state(), clock::monotonic());
    let carry = CARRY.load(Ordering::Acquire);
    if !carry.is_null() {
        // SAFETY: the only values ever stored are of this type, by `set_outside_commands`.
        let carry: Carry = unsafe { std::mem::transmute(carry) };
        carry(request.command.into());
    }
    let number = |state: State| state as u8;
    let answer = Answer { request, before: number(before), after: number(state()) };
    let header = |index| recorder.pool.header(index);
    header(header::TAKEN_AT).store(taken_at, Ordering::Relaxed);
    header(header::ANSWERED_AT).store(clock::monotonic(), Ordering::Relaxed);
    header(header::ANSWER).store(answer.to_word(), Ordering::Release);
}
