//! The work of the threads of each model, and the assertions that hold in whatever order they do it.

use crate::around::EmptyStreams;
use crate::blocks::growing;
use crate::events::definitions;
use crate::found::{self, DONE, assert_from_0};
use crate::recorder::{self, Recorder};
use crate::state::{self, State};
use crate::sync::{AtomicU32, Lock, Ordering};
use crate::{control, losses, output, park, pool, primitives, record_slot, room, slow, tls};
use loom::cell::UnsafeCell;
use loom::thread;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Event, Flush, Scope, next_record};
use ompttrace_recording::settings::Overflow;
use ompttrace_recording::words::At;

const FLUSH: EventCode = EventCode::new(Flush::NUMBER, Scope::None);

/// Arms the recorder with slots of this many bytes; the calling thread gets its block.
fn begin(slot_bytes: usize) {
    begin_with(slot_bytes, Overflow::Wait);
}

/// Arms the recorder as [`begin`] does, with a policy for full slots.
pub(crate) fn begin_with(slot_bytes: usize, overflow: Overflow) {
    primitives::begin();
    record_slot::begin();
    pool::touch(&tls::DUMMY);
    DONE.touch();
    losses::any();
    let path = std::path::PathBuf::new();
    let pool = pool::Pool::create(&path, &pool::PoolPlan { slot_bytes }).expect("a pool");
    let output = output::Output::new();
    let recorder = Recorder::new((pool, output), 1, overflow, Box::new(EmptyStreams));
    recorder::begin(recorder, State::Recording);
}

/// Records a flush whose code address is `number`, as a callback does, and counts it.
pub(crate) fn record(number: u64) {
    put(number);
    DONE.store(number + 1, Ordering::Release);
}

/// Handlers interrupt the slow path only: what interrupts the fast path is lost, and nobody knows.
pub(crate) fn put(number: u64) {
    let event = Flush { code: number, kind: 0 };
    let fast = || room::room().map(|room| room.put(FLUSH, event.words()));
    match primitives::out_of_reach(fast) {
        Some(()) => {}
        None => slow::slow(FLUSH, |room| {
            if let Some(room) = room {
                room.put(FLUSH, event.words());
            }
        }),
    }
}

/// A reader that acquires the cursor may read all words below it.
pub(crate) fn reader() {
    // Where the first record leaves room for the second.
    begin(pool::LARGEST);
    record(0);
    let own = tls::block();
    let start = own.control.slot_at(own.control.slot_of(own.control.cursor().left()));
    let reader = thread::spawn(move || {
        let done = found::done();
        let cursor = own.control.cursor().load(Ordering::Acquire);
        if own.control.slot_of(cursor) != own.control.slot_of(start) {
            return;
        }
        let words = record_slot::read(start, (cursor - start) / 8);
        let mut words = words.as_slice();
        let mut numbers = Vec::new();
        while let Some(record) = next_record(&mut words, 0) {
            if let Event::Flush(flush) = record.event() {
                numbers.push(flush.code);
            }
        }
        assert!(words.is_empty(), "half a record");
        assert!(numbers.len() as u64 >= done, "{numbers:?} of {done}");
    });
    record(1);
    reader.join().expect("the reader");
}

fn flusher() -> thread::JoinHandle<()> {
    thread::spawn(|| {
        let before = found::done();
        control::flush();
        assert_from_0(found::in_files().get(&0), before);
    })
}

/// Everything recorded is in the files, once and in order.
fn assert_all_in_files(count: u64) {
    assert!(control::close(true));
    control::remove_pool();
    assert!(!pool::is_named());
    assert_from_0(found::in_files().get(&0), count);
}

/// The owner fills its slots and changes between them while another thread flushes.
pub(crate) fn flush() {
    begin(pool::SLOT);
    record(0);
    let flusher = flusher();
    (1..6).for_each(record);
    flusher.join().expect("the flusher");
    assert_all_in_files(6);
}

/// A flush and a slot into which the owner may change without the lock, with more preemptions: during the flush, and
/// during the change.
pub(crate) fn flush_during() {
    begin(pool::SLOT);
    record(0);
    control::flush();
    record(1);
    let flusher = flusher();
    record(2);
    flusher.join().expect("the flusher");
    assert_all_in_files(3);
}

/// A flush when the slot that is full is in the file already, so that the owner may take it again without the lock,
/// but not while a flush uses it that knows it from before.
pub(crate) fn flush_again() {
    begin(pool::SLOT);
    record(0);
    record(1);
    control::flush();
    let flusher = thread::spawn(|| {
        control::flush();
        control::flush();
    });
    (2..5).for_each(record);
    flusher.join().expect("the flusher");
    assert_all_in_files(5);
}

pub(crate) fn two_flushes() {
    begin(pool::SLOT);
    record(0);
    let flushers = [flusher(), flusher()];
    (1..3).for_each(record);
    flushers.into_iter().for_each(|flusher| flusher.join().expect("a flusher"));
    assert_all_in_files(3);
}

/// An event of a run of equal ones: counted in the last record, if that may grow, else in a new record with the count 1.
fn grow() {
    let count = growing::growing().map(|run| {
        let (count, kind) = At::unpack(run.word(1));
        run.change(1, At::pack(count + 1, kind));
    });
    if count.is_none() {
        let one = Flush { code: 1, kind: 0 };
        slow::put_group(FLUSH, |group| group.add(FLUSH, one.words()).commit_growing());
    }
}

/// The sum of the counts in some records.
fn counted(numbers: Option<&Vec<u64>>) -> u64 {
    numbers.into_iter().flatten().sum()
}

/// Records that grow, while another thread flushes: each event is counted once in the files, and a kill never finds a word that
/// a file has as it was before.
pub(crate) fn growth() {
    begin(pool::LARGEST);
    grow();
    let flusher = thread::spawn(|| {
        control::flush();
        assert!(counted(found::after_a_kill().get(&0)) > 0);
    });
    grow();
    put(10);
    (0..3).for_each(|_| grow());
    flusher.join().expect("the flusher");
    assert!(control::close(true));
    assert_eq!(counted(found::in_files().get(&0)), 5 + 10);
}

/// A flush by the thread itself: records that it has written do not grow.
pub(crate) fn growth_and_own_flush() {
    begin(pool::LARGEST);
    grow();
    control::flush();
    grow();
    grow();
    assert_eq!(counted(found::after_a_kill().get(&0)), 3);
    assert!(control::close(true));
    assert_eq!(found::in_files().get(&0), Some(&vec![1, 2]));
}

/// All threads die at once: files and pool hold what was done.
pub(crate) fn kill() {
    begin(pool::SLOT);
    record(0);
    let killer = thread::spawn(|| assert_from_0(found::after_a_kill().get(&0), DONE.left()));
    let flusher = thread::spawn(control::flush);
    (1..6).for_each(record);
    killer.join().expect("the killer");
    flusher.join().expect("the flusher");
}

/// A thread leaves the process and waits for nobody's lock for ever, while the owner drains.
pub(crate) fn exit() {
    begin(pool::SLOT);
    primitives::no_patience();
    record(0);
    let leaving = thread::spawn(|| {
        let before = found::done();
        let closed = control::close(true);
        if closed {
            // What the files lack would be found nowhere any more.
            control::remove_pool();
        }
        assert_from_0(found::after_a_kill().get(&0), before);
    });
    (1..5).for_each(put);
    leaving.join().expect("the leaving thread");
    assert_from_0(found::after_a_kill().get(&0), 1);
}

/// A thread ends and its block goes to the next, while a flush that knew the first is under way.
pub(crate) fn reuse() {
    begin(pool::SLOT);
    record(0);
    let flusher = thread::spawn(control::flush);
    definitions::thread_ended();
    put(0);
    put(1);
    flusher.join().expect("the flusher");
    assert!(control::close(true));
    let found = found::in_files();
    assert_from_0(found.get(&0), 1);
    assert_from_0(found.get(&1), 2);
}

/// Once a pause has returned and the owner had one more event, the owner's fast path is closed.
pub(crate) fn pause() {
    closed_by(control::pause, State::Paused);
}

/// Once the program's own end of the recording has returned and the owner had one more event, the owner's fast path
/// is closed.
pub(crate) fn end() {
    closed_by(control::end, State::Ended);
}

fn closed_by(command: fn(), state: State) {
    begin(pool::SLOT);
    record(0);
    let commanding = thread::spawn(command);
    put(1);
    put(2);
    commanding.join().expect("the commanding thread");
    assert_eq!(state::state(), state);
    let end = tls::block().private.end.load(Ordering::Relaxed);
    assert_eq!(end, 0, "the fast path is open");
}

/// Once a pause has returned during which the owner had its first event, the owner's fast path is closed.
pub(crate) fn pause_at_first() {
    begin(pool::SLOT);
    // Their count is made before there are other threads.
    assert_eq!(recorder::own().map(|recorder| recorder.all_blocks().count()), Some(0));
    let pausing = thread::spawn(control::pause);
    put(0);
    put(1);
    pausing.join().expect("the pausing thread");
    let end = tls::block().private.end.load(Ordering::Relaxed);
    assert_eq!(end, 0, "the fast path is open");
}

/// An event that begins when the others are parked ends when they are released, and none is lost.
pub(crate) fn park() {
    static PARKED: AtomicU32 = AtomicU32::new(0);
    static RELEASED: AtomicU32 = AtomicU32::new(0);
    begin(pool::SLOT);
    PARKED.touch();
    RELEASED.touch();
    record(0);
    let parker = thread::spawn(|| {
        let parked = park::park_others();
        PARKED.store(1, Ordering::SeqCst);
        RELEASED.store(1, Ordering::SeqCst);
        drop(parked);
    });
    for number in 1..5 {
        let was_parked = PARKED.load(Ordering::SeqCst) == 1;
        record(number);
        assert!(!was_parked || RELEASED.load(Ordering::SeqCst) == 1, "{number} while parked");
    }
    parker.join().expect("the parking thread");
    assert_all_in_files(5);
}

/// The next holder of a lock sees the stores of the last one, with nothing but the lock between them.
pub(crate) fn lock() {
    static LOCK: Lock = Lock::new();
    primitives::begin();
    pool::touch(&tls::DUMMY);
    drop(LOCK.try_lock());
    let count = loom::sync::Arc::new(UnsafeCell::new(0));
    let more = |count: &UnsafeCell<u64>| {
        let _guard = LOCK.lock().expect("nobody interrupts");
        // SAFETY: the cell checks that nothing else is at it.
        count.with_mut(|count| unsafe { *count += 1 });
    };
    let other = count.clone();
    let other = thread::spawn(move || more(&other));
    more(&count);
    other.join().expect("the other");
    // SAFETY: the cell checks that nothing else is at it.
    assert_eq!(count.with(|count| unsafe { *count }), 2);
}
