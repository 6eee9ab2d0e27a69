//! Scenes of signal handlers that record: each is run once for every step of the slow path that a handler can
//! interrupt, and all that was recorded is found, once and in order, or counted as lost.

use crate::events::definitions;
use crate::found::Recorded;
use crate::scenes::{begin_with, put};
use crate::{control, pool, primitives, slow, tls};
use loom::thread;
use ompttrace_recording::settings::Overflow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// For each model its name, its number of preemptions, and the function that its threads run.
pub(crate) const MODELS: [(&str, usize, fn()); 7] = [
    ("a_handler_at_every_step", 0, wait),
    ("a_handler_that_fills_the_slots", 0, wait_for_many),
    ("a_handler_during_a_ring", 0, ring),
    ("a_handler_that_fills_a_ring", 0, ring_for_many),
    ("a_handler_where_writing_takes_too_long", 0, drop_late),
    ("a_handler_at_a_thread's_end", 0, end),
    ("a_handler_during_a_flush", 1, flush),
];

/// The step at which the current models are interrupted, and true if any of their executions has reached it so far.
static STEP: AtomicUsize = AtomicUsize::new(0);
static REACHED: AtomicBool = AtomicBool::new(false);

/// Runs a model for one step after the other, until there are no more.
pub(crate) fn at_every_step(name: &str, check: impl Fn(&str)) {
    for step in 0.. {
        STEP.store(step, Ordering::Relaxed);
        REACHED.store(false, Ordering::Relaxed);
        check(&format!("{name}, step {step}"));
        if !REACHED.load(Ordering::Relaxed) {
            return assert!(step > 50, "only {step} steps");
        }
    }
}

/// The handlers' numbers begin here.
const HANDLERS: u64 = 1000;
const FEW: u64 = 2;
const MANY: u64 = 16;

fn few() {
    (HANDLERS..HANDLERS + FEW).for_each(put);
}

fn many() {
    (HANDLERS..HANDLERS + MANY).for_each(put);
}

/// Does the work on the calling thread, with one interruption after this many steps, if it takes so many; returns
/// true if it was interrupted.
fn interrupted(handler: fn(), work: impl FnOnce()) -> bool {
    primitives::interrupt_behind(STEP.load(Ordering::Relaxed), handler);
    work();
    let came = primitives::was_interrupted();
    REACHED.fetch_or(came, Ordering::Relaxed);
    came
}

/// Asserts that this many events of the thread's own, and this many of its handler, are in the files or counted as lost.
fn assert_exact(own: u64, of_handler: u64) -> Recorded {
    assert!(control::close(true));
    let reported = Recorded::when_closed();
    let (theirs, ours): (Vec<u64>, Vec<u64>) =
        reported.numbers.iter().partition(|n| **n >= HANDLERS);
    let is_in_order = |numbers: &[u64]| numbers.is_sorted_by(|one, next| one < next);
    assert!(is_in_order(&ours) && is_in_order(&theirs), "{reported:?}");
    assert_eq!(reported.numbers.len() as u64 + reported.lost, own + of_handler, "{reported:?}");
    reported
}

fn waits(handler: fn(), count: u64) {
    begin_with(pool::SLOT, Overflow::Wait);
    let came = interrupted(handler, || (0..12).for_each(put));
    let reported = assert_exact(12, if came { count } else { 0 });
    assert!(reported.numbers.iter().filter(|n| **n < HANDLERS).count() == 12, "{reported:?}");
}

fn wait() {
    waits(few, FEW);
}

fn wait_for_many() {
    waits(many, MANY);
}

fn rings(handler: fn(), count: u64) {
    begin_with(pool::LARGEST, Overflow::Ring);
    let came = interrupted(handler, || (0..24).for_each(put));
    assert_exact(24, if came { count } else { 0 });
}

fn ring() {
    rings(few, FEW);
}

fn ring_for_many() {
    rings(many, MANY);
}

fn drop_late() {
    begin_with(pool::LARGEST, Overflow::Drop);
    put(0);
    tls::block().private.writing.store(u64::MAX, crate::sync::Ordering::Relaxed);
    let came = interrupted(few, || (1..24).for_each(put));
    assert_exact(24, if came { FEW } else { 0 });
}

/// A reader finds the records that a handler makes after its thread's end as those of another thread.
fn end() {
    begin_with(pool::SLOT, Overflow::Wait);
    (0..2).for_each(put);
    let came = interrupted(few, definitions::thread_ended);
    assert_exact(2, if came { FEW } else { 0 });
}

fn flush() {
    begin_with(pool::SLOT, Overflow::Wait);
    put(0);
    let flusher = thread::spawn(control::flush);
    let came = interrupted(few, || (1..4).for_each(put));
    flusher.join().expect("the flusher");
    assert_exact(4, if came { FEW } else { 0 });
}
