//! Scenes of threads whose slots are full and may not be written: losses are counted to the last record, in every
//! order of steps.

use crate::found::{DONE, Recorded, done};
use crate::scenes::{begin_with, record};
use crate::sync::Ordering;
use crate::{control, pool, primitives, tls};
use loom::thread;
use ompttrace_recording::settings::Overflow;

/// Enough to begin a chunk of a ring three times over.
const COUNT: u64 = 24;

fn begin(overflow: Overflow) {
    begin_with(pool::LARGEST, overflow);
}

/// A single thread: its newest records are there, and the others are reported.
pub(crate) fn ring() {
    begin(Overflow::Ring);
    (0..COUNT).for_each(record);
    let reported = Recorded::after_a_kill();
    reported.assert_exact(COUNT..=COUNT);
    assert!(
        reported.lost > 0 && reported.numbers.iter().copied().eq(reported.lost..COUNT),
        "{reported:?}"
    );
    assert!(control::close(true));
    let reported = Recorded::when_closed();
    assert!(
        reported.lost > 0 && reported.numbers.iter().copied().eq(reported.lost..COUNT),
        "{reported:?}"
    );
}

/// All threads die at once, after any store.
fn kill_anywhere() {
    primitives::behind_every_store(|| {
        let done = DONE.left();
        Recorded::after_a_kill().assert_exact(done..=done + 1);
    });
}

pub(crate) fn ring_kill() {
    begin(Overflow::Ring);
    kill_anywhere();
    (0..COUNT).for_each(record);
}

/// A flush copies the ring into the files while the owner continues.
pub(crate) fn ring_flush() {
    begin(Overflow::Ring);
    (0..COUNT / 2).for_each(record);
    let flusher = thread::spawn(|| {
        let before = done();
        control::flush();
        let newest = Recorded::when_closed().numbers.last().copied();
        assert!(newest.is_some_and(|newest| newest + 1 >= before), "{newest:?} of {before}");
    });
    (COUNT / 2..COUNT).for_each(record);
    flusher.join().expect("the flusher");
    assert!(control::close(true));
    Recorded::when_closed().assert_exact(COUNT..=COUNT);
}

/// A thread that has spent too long on writing, and on waiting for flushes, gives up records instead.
fn begin_without_time(overflow: Overflow) {
    begin(overflow);
    record(0);
    tls::block().private.writing.store(u64::MAX, Ordering::Relaxed);
    (1..COUNT / 2).for_each(record);
}

/// If such a thread may not wait for a flush either, it loses its events one by one.
fn during_a_flush(overflow: Overflow) {
    begin_without_time(overflow);
    kill_anywhere();
    let flusher = thread::spawn(control::flush);
    (COUNT / 2..COUNT).for_each(record);
    flusher.join().expect("the flusher");
    assert!(control::close(true));
    Recorded::when_closed().assert_exact(COUNT..=COUNT);
}

pub(crate) fn dropping() {
    during_a_flush(Overflow::Drop);
}

pub(crate) fn ring_out_of_time() {
    during_a_flush(Overflow::Ring);
}
