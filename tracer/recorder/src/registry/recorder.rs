//! The recorder of this process: it gives blocks to threads and takes them back.

use crate::blocks::block::{Block, IN_USE};
use crate::blocks::state::{self, State};
use crate::blocks::{ledger, tls};
use crate::files::output::Output;
use crate::host::clock;
use crate::host::message::say;
use crate::host::sync::{AtomicBool, AtomicPtr, AtomicU32, Lock, Ordering};
use crate::registry::attention;
use crate::registry::parker::Parker;
use crate::registry::pool::Pool;
use crate::registry::waits::Waits;
use crate::registry::{losses, resumed};
use ompttrace_recording::ledger::{CODES, code_at, counter_index};
use ompttrace_recording::pool::{control, header};
use ompttrace_recording::settings::Overflow;
use ompttrace_recording::{EventCode, Id};
use std::any::Any;
use std::io;

/// The streams that threads have beside their events. The recorder is given them when it is armed, and knows no more of them;
/// what they know of a thread is in [`Private::streams`](crate::blocks::block::Private::streams).
pub(crate) trait FurtherStreams: Any + Send + Sync {
    /// Makes a block ready for its next owner, also [`Private::reach`](crate::blocks::block::Private::reach).
    fn reset(&self, block: &Block);

    /// Looks after an event of the calling thread, which came at `now`, or after work of ours for it without one, and sets when
    /// to look again.
    fn look(&self, recorder: &Recorder, block: &'static Block, event: Option<EventCode>, now: u64);

    /// Writes everything that there is. The caller, any thread, holds the block's lock.
    fn flush(&self, recorder: &Recorder, block: &Block);

    /// Ends what they have of the calling thread, which holds its block's lock.
    fn finish(&self, recorder: &Recorder, block: &Block);
}

pub(crate) struct Recorder {
    pub(crate) pool: Pool,
    pub(crate) output: Output,
    pub(crate) session: u32,
    pub(crate) overflow: Overflow,
    /// Time that threads spent in drains.
    pub(crate) waits: Waits,
    pub(crate) streams: Box<dyn FurtherStreams>,
    /// The thread that parks the others.
    pub(crate) parker: Parker,
    registry: Lock,
    claimed: AtomicU32,
    first_free: AtomicU32,
    threads: AtomicU32,
    complained: AtomicBool,
    dropping: AtomicBool,
    starved: AtomicBool,
}

static CURRENT: AtomicPtr<Recorder> = AtomicPtr::new(std::ptr::null_mut());

/// The recorder, once armed; also in a forked child, whose own it is not.
pub(crate) fn current() -> Option<&'static Recorder> {
    let recorder = CURRENT.load(Ordering::Acquire);
    // SAFETY: either null or a leaked box, which is never freed or changed but through atomics.
    unsafe { recorder.as_ref() }
}

/// The recorder of this very process, not one that a forked child inherited.
pub(crate) fn own() -> Option<&'static Recorder> {
    current().filter(|recorder| recorder.is_ours())
}

/// Notes in the pool that the process is alive: after a kill this shows until when it lived.
pub fn sign_of_life() {
    if let Some(recorder) = own() {
        recorder.sign_of_life(clock::monotonic());
    }
}

/// Makes this the recorder of the process, which begins in this state.
pub(crate) fn begin(recorder: Recorder, state: State) {
    let recorder: &'static Recorder = Box::leak(Box::new(recorder));
    CURRENT.store(std::ptr::from_ref(recorder).cast_mut(), Ordering::Release);
    attention::set(Some(recorder.pool.header(header::ATTENTION)));
    state::set_state(state);
}

/// Forgets the recorder: that of a forked child is its parent's.
pub(crate) fn forget() {
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
    attention::set(None);
}

impl Recorder {
    /// A recorder without threads.
    pub(crate) fn new(
        (pool, output): (Pool, Output),
        session: u32,
        overflow: Overflow,
        streams: Box<dyn FurtherStreams>,
    ) -> Recorder {
        Recorder {
            pool,
            output,
            session,
            overflow,
            waits: Waits::new(),
            streams,
            parker: Parker::new(),
            registry: Lock::new(),
            claimed: AtomicU32::new(0),
            first_free: AtomicU32::new(0),
            threads: AtomicU32::new(0),
            complained: AtomicBool::new(false),
            dropping: AtomicBool::new(false),
            starved: AtomicBool::new(false),
        }
    }

    /// Returns true in the process that armed the recorder, false in a forked child.
    pub(crate) fn is_ours(&self) -> bool {
        self.pool.token().load(Ordering::Relaxed) != 0
    }

    /// As [`sign_of_life`], with the time. Off the fast path only. Of two threads at a time the earlier one's time may
    /// stay, which is true as well.
    pub(crate) fn sign_of_life(&self, monotonic: u64) {
        self.pool.header(header::SEEN).store(monotonic, Ordering::Relaxed);
    }

    /// Gives the calling thread a block of its own; `None` when there is no memory for one.
    pub(crate) fn claim(&self) -> Option<&'static Block> {
        let block = {
            let _guard = self.registry.lock()?;
            self.free_block().or_else(|| self.new_block())?
        };
        let thread = u64::from(self.threads.fetch_add(1, Ordering::Relaxed));
        self.prepare(block, thread);
        tls::set_block(block);
        Some(block)
    }

    fn free_block(&self) -> Option<&'static Block> {
        let index = self.first_free.load(Ordering::Relaxed).checked_sub(1)?;
        let block = self.pool.block(index as usize);
        let next = block.private.next_free.load(Ordering::Relaxed);
        self.first_free.store(next, Ordering::Relaxed);
        Some(block)
    }

    fn new_block(&self) -> Option<&'static Block> {
        let index = self.claimed.load(Ordering::Relaxed);
        let block = self.pool.map_block(index as usize).ok()?;
        block.private.index.store(index, Ordering::Relaxed);
        self.claimed.store(index + 1, Ordering::SeqCst);
        self.pool.header(header::CLAIMED).store(u64::from(index) + 1, Ordering::Release);
        Some(block)
    }

    /// Makes a free block the thread's. Under its lock: a flush that saw the last owner may still come.
    fn prepare(&self, block: &Block, thread: u64) {
        let _guard = block.control.lock.lock();
        if losses::any() {
            ledger::settle(&block.control);
        }
        let set = |index, value| block.control.word(index).store(value, Ordering::Relaxed);
        let slots_at = self.pool.slots_at(block);
        let pair = clock::clock_pair();
        set(control::THREAD, thread);
        set(control::OS_THREAD, os_thread());
        set(control::SLOTS_AT, slots_at as u64);
        set(control::CURSOR, slots_at as u64);
        set(control::CHUNK[0], 1);
        set(control::CHUNK[1], 0);
        set(control::FILLED[0], 0);
        set(control::FILLED[1], 0);
        set(control::TICKS, pair.ticks);
        set(control::MONOTONIC, pair.monotonic);
        self.sign_of_life(pair.monotonic);
        for flushed in &block.control.flushed {
            flushed.store(0, Ordering::Relaxed);
        }
        let private = &block.private;
        private.end.store(0, Ordering::Relaxed);
        private.counter.store(0, Ordering::Relaxed);
        private.wait_ticks.store(0, Ordering::Relaxed);
        private.latest.store(0, Ordering::Relaxed);
        private.writing.store(0, Ordering::Relaxed);
        private.kept.store(0, Ordering::Relaxed);
        private.phases.reset();
        private.asked_at.store(resumed::at_claim(), Ordering::Relaxed);
        private.switched_in.store(0, Ordering::Relaxed);
        private.makes_space.store(0, Ordering::Relaxed);
        private.handled.store(0, Ordering::Relaxed);
        private.thread_part.store(Id::thread_part(thread), Ordering::Relaxed);
        self.streams.reset(block);
        block.set_task_site(0, 0);
        private.creator.store(0, Ordering::Relaxed);
        private.magic.store(IN_USE, Ordering::Relaxed);
        block.control.word(control::MAGIC).store(IN_USE, Ordering::Release);
    }

    /// The calling thread gets no memory: its events are only counted.
    pub(crate) fn starve(&self) {
        losses::expect();
        tls::set_block(&tls::STARVED);
        if !self.starved.swap(true, Ordering::Relaxed) {
            say(format_args!(
                "no memory for another thread's buffers; its events are lost and counted"
            ));
        }
    }

    /// Takes a drained block back; the caller holds its lock and is its owner.
    pub(crate) fn release(&self, block: &'static Block) {
        tls::set_block(&tls::DUMMY);
        block.control.word(control::MAGIC).store(0, Ordering::Release);
        block.private.magic.store(0, Ordering::Relaxed);
        block.private.end.store(0, Ordering::Relaxed);
        // Without the registry, in a signal handler that interrupted it, the block stays unused.
        let Some(_guard) = self.registry.lock() else { return };
        let next = self.first_free.load(Ordering::Relaxed);
        block.private.next_free.store(next, Ordering::Relaxed);
        self.first_free.store(block.private.index.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Threads that got a block until now; they are numbered from 0.
    pub(crate) fn threads(&self) -> u64 {
        self.threads.load(Ordering::Relaxed).into()
    }

    /// Every block that a thread owns now.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &'static Block> {
        self.all_blocks().filter(|block| block.is_owned())
    }

    /// Every block that a thread ever owned. Sequentially consistent: a thread that has just changed the state finds
    /// the blocks of all threads that have not seen that.
    pub(crate) fn all_blocks(&self) -> impl Iterator<Item = &'static Block> {
        let claimed = self.claimed.load(Ordering::SeqCst) as usize;
        (0..claimed).map(|index| self.pool.block(index))
    }

    /// Reports once that the disk does not follow.
    pub(crate) fn dropped(&self) {
        if !self.dropping.swap(true, Ordering::Relaxed) {
            say(format_args!(
                "the disk does not follow; records are dropped and counted (OMPTTRACE_OVERFLOW)"
            ));
        }
    }

    /// Reports once that the file system refuses events.
    pub(crate) fn refused(&self, error: &io::Error) {
        losses::complain_once(&self.complained, ("events", "records"), error);
    }

    /// Counts an event of a thread that has no block, or is in the midst of a drain of its own.
    pub(crate) fn lose_one(&self, code: EventCode) {
        self.pool.header(header::LOST + counter_index(code)).fetch_add(1, Ordering::Relaxed);
    }

    /// Records that were lost and are reported in no thread's records until now, by code byte.
    pub(crate) fn lost_outside_threads(&self) -> Vec<(EventCode, u64)> {
        let one_by_one = (0..CODES).map(|index| {
            let count = self.pool.header(header::LOST + index).load(Ordering::Relaxed);
            (code_at(index), count)
        });
        let in_ledgers = self.all_blocks().flat_map(|block| ledger::unreported(&block.control));
        one_by_one.filter(|(_, count)| *count > 0).chain(in_ledgers).collect()
    }
}

/// The kernel's id of the calling thread.
fn os_thread() -> u64 {
    // SAFETY: a system call without arguments that cannot fail.
    unsafe { libc::gettid() as u64 }
}
