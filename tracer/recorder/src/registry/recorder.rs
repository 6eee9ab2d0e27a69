//! The recorder of this process: arming it, giving blocks to threads, taking them back.

use crate::blocks::block::{Block, IN_USE};
use crate::blocks::state::{self, State};
use crate::blocks::{ledger, tls};
use crate::events::resumed;
use crate::files::output::Output;
use crate::host::clock::{self, ClockSource};
use crate::host::sync::{AtomicBool, AtomicPtr, AtomicU32, Lock, Ordering};
use crate::registry::losses;
use crate::registry::losses::Refused;
use crate::registry::park::Parker;
use crate::registry::pool::Pool;
use crate::registry::waits::Waits;
use crate::streams::cores;
use crate::streams::counters::Counters;
use crate::streams::samples::Samples;
use ompttrace_recording::Id;
use ompttrace_recording::pool::{control, header};
use ompttrace_recording::settings::{CoresMode, CounterKind, Overflow, Sampling};
use std::io;
use std::path::PathBuf;

/// Why recording cannot begin.
#[derive(Debug)]
pub enum ArmError {
    /// No location for the pool: each path that was tried and the system's error.
    Pool(Vec<(PathBuf, io::Error)>),
}

pub(crate) struct Recorder {
    pub(crate) pool: Pool,
    pub(crate) output: Output,
    pub(crate) session: u32,
    pub(crate) overflow: Overflow,
    /// What drains cost the threads.
    pub(crate) waits: Waits,
    /// For how many threads it is known when they had a core.
    pub(crate) cores: cores::Counts,
    pub(crate) samples: Samples,
    /// What is counted of threads.
    pub(crate) counters: Counters,
    /// The thread that parks the others.
    pub(crate) parker: Parker,
    registry: Lock,
    claimed: AtomicU32,
    first_free: AtomicU32,
    threads: AtomicU32,
    /// Of events, of samples.
    complained: [AtomicBool; 2],
    dropping: AtomicBool,
    starved: AtomicBool,
}

static CURRENT: AtomicPtr<Recorder> = AtomicPtr::new(std::ptr::null_mut());
static ARM_IN_CHILD: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

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

/// How to record.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The folders for the pool; the first one that works is used.
    pub pool_files: Vec<PathBuf>,
    /// The run folder's absolute path.
    pub run: PathBuf,
    /// Bytes of each of a thread's two slots: a multiple of [`crate::page_bytes`].
    pub slot_bytes: usize,
    /// What a thread does whose slots are both full.
    pub overflow: Overflow,
    /// How it is recorded which threads have a core.
    pub cores: CoresMode,
    /// What is counted of threads.
    pub counters: Vec<&'static CounterKind>,
    /// How often threads are sampled.
    pub sampling: Option<Sampling>,
    /// Number of this recording in its run folder.
    pub session: u32,
    /// Take quanta's clock even where the processor's counter is sound.
    pub force_quanta: bool,
    /// [`State::Recording`] or [`State::Paused`].
    pub begin: State,
}

/// Begins to record into `output`; returns the pool's file and the clock.
pub fn arm(output: Output, plan: &Plan) -> Result<(PathBuf, ClockSource), ArmError> {
    let Plan { session, begin, overflow, .. } = *plan;
    let pool = create_pool(plan)?;
    let source = clock::choose(plan.force_quanta);
    let path = pool.path.clone();
    let recorder = Box::new(Recorder {
        pool,
        output,
        session,
        overflow,
        waits: Waits::new(),
        cores: cores::Counts::new(plan.cores),
        samples: Samples::new(plan.sampling),
        counters: Counters::new(&plan.counters),
        parker: Parker::new(),
        registry: Lock::new(),
        claimed: AtomicU32::new(0),
        first_free: AtomicU32::new(0),
        threads: AtomicU32::new(0),
        complained: [AtomicBool::new(false), AtomicBool::new(false)],
        dropping: AtomicBool::new(false),
        starved: AtomicBool::new(false),
    });
    CURRENT.store(Box::into_raw(recorder), Ordering::Release);
    state::set_state(begin);
    Ok((path, source))
}

fn create_pool(plan: &Plan) -> Result<Pool, ArmError> {
    let mut tried = Vec::new();
    for file in &plan.pool_files {
        match Pool::create(file, plan) {
            Ok(pool) => return Ok(pool),
            Err(error) => tried.push((file.clone(), error)),
        }
    }
    Err(ArmError::Pool(tried))
}

/// Says in the pool that the process is alive: after a kill this says until when it lived.
pub fn sign_of_life() {
    if let Some(recorder) = own() {
        recorder.sign_of_life(clock::monotonic());
    }
}

/// Says what arms a forked child at its first real event; the function answers whether it did.
pub fn set_arm_in_child(arm: fn() -> bool) {
    ARM_IN_CHILD.store(arm as *mut (), Ordering::Release);
}

pub(crate) fn arm_in_child() -> bool {
    let hook = ARM_IN_CHILD.load(Ordering::Acquire);
    if hook.is_null() {
        return false;
    }
    // SAFETY: the only value ever stored is a `fn() -> bool`, by `set_arm_in_child`.
    let hook: fn() -> bool = unsafe { std::mem::transmute(hook) };
    hook()
}

pub(crate) fn forget() {
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
}

impl Recorder {
    /// Whether this is the process that armed it, not a forked child.
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
        private.asked_at.store(resumed::at_claim(), Ordering::Relaxed);
        private.switched_in.store(0, Ordering::Relaxed);
        private.makes_space.store(0, Ordering::Relaxed);
        private.handled.store(0, Ordering::Relaxed);
        private.thread_part.store(Id::thread_part(thread), Ordering::Relaxed);
        private.cores.reset(&self.cores);
        private.counters.reset(!self.counters.are_none());
        if private.samples.reset(self.samples.sampling().is_some()) {
            self.samples.forget();
        }
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
            crate::host::message::say(format_args!(
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

    /// Says once that the disk does not follow.
    pub(crate) fn dropped(&self) {
        if !self.dropping.swap(true, Ordering::Relaxed) {
            crate::host::message::say(format_args!(
                "the disk does not follow; records are dropped and counted (OMPTTRACE_OVERFLOW)"
            ));
        }
    }

    /// Says once for each kind of stream that the file system refuses its records.
    pub(crate) fn refused(&self, refused: Refused, error: &io::Error) {
        let complained = match refused {
            Refused::Events => &self.complained[0],
            Refused::Samples => &self.complained[1],
        };
        if !complained.swap(true, Ordering::Relaxed) {
            let code = error.raw_os_error().unwrap_or(0);
            crate::registry::losses::complain(refused, code);
        }
    }
}

/// The kernel's id of the calling thread.
fn os_thread() -> u64 {
    // SAFETY: a system call without arguments that cannot fail.
    unsafe { libc::gettid() as u64 }
}
