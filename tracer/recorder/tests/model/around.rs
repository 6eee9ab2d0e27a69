//! Replaces what surrounds the concurrent core: clock, thread-local pointer, host thread,
//! sites, call stacks, waits, forks. They do as little as the core lets them.

use crate::blocks::block::Block;
use crate::host::primitives;
use crate::registry::recorder::{FurtherStreams, Recorder};
use crate::slots::chunk;
use ompttrace_recording::EventCode;

/// Counts up with every question.
pub(crate) mod clock {
    use ompttrace_recording::facts::ClockPair;
    use std::cell::Cell;

    thread_local! {
        static NOW: Cell<u64> = const { Cell::new(1) };
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ClockSource {
        Counter,
    }

    pub fn counter() -> u64 {
        NOW.replace(NOW.get() + 1)
    }

    pub fn ticks() -> u64 {
        counter()
    }

    pub fn clock_source() -> ClockSource {
        ClockSource::Counter
    }

    pub(crate) fn choose(_force_quanta: bool) -> ClockSource {
        ClockSource::Counter
    }

    /// No time passes, so that `drop` writes as long as nothing took time.
    pub(crate) fn monotonic() -> u64 {
        0
    }

    pub fn clock_pair() -> ClockPair {
        ClockPair::default()
    }
}

pub(crate) mod tls {
    use crate::blocks::block::Block;
    use crate::host::primitives;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU64, Ordering};

    pub(crate) static STARVED: Block = Block::empty();
    pub(crate) static DUMMY: Block = Block::empty();

    /// Never given twice: the system gives a dead thread's address to one that knows of the death,
    /// which a model's threads do not.
    static NUMBERS: AtomicU64 = AtomicU64::new(8);

    loom::thread_local! {
        static OWN: Cell<&'static Block> = Cell::new(&DUMMY);
        static NUMBER: u64 = NUMBERS.fetch_add(8, Ordering::Relaxed);
        static INSIDE: Cell<u64> = Cell::new(0);
    }

    pub(crate) fn block() -> &'static Block {
        OWN.with(|own| own.get())
    }

    pub(crate) fn set_block(block: &'static Block) {
        OWN.with(|own| own.set(block));
    }

    pub(crate) fn inside() -> u64 {
        INSIDE.with(|inside| inside.get())
    }

    /// A handler may come before it and after it.
    pub(crate) fn set_inside(word: u64) {
        primitives::stepped();
        INSIDE.with(|inside| inside.set(word));
        primitives::stepped();
    }

    pub(crate) fn own_address() -> u64 {
        NUMBER.with(|number| *number)
    }

    pub(crate) fn has_block() -> bool {
        block().private.magic.load(primitives::Ordering::Relaxed) == crate::blocks::block::IN_USE
    }

    pub(crate) fn is_starved(block: &Block) -> bool {
        std::ptr::eq(block, &raw const STARVED)
    }
}

/// The null address only.
pub(crate) mod sites {
    use ompttrace_recording::events::CodeSite;

    pub fn site_of(_address: u64) -> Option<u64> {
        Some(0)
    }
    pub(crate) fn add(_address: u64, _put: impl FnOnce(CodeSite) -> bool) -> u64 {
        0
    }
    pub(crate) fn set_unreported() {}
    pub(crate) fn report_all(_put: impl Fn(CodeSite) -> bool) {}
    pub(crate) fn report_unreported(_put: impl Fn(CodeSite) -> bool) {}
}

/// No source that could be asked for its tasks.
pub(crate) mod resumed {
    pub(crate) fn set_time(_ticks: u64) {}
    pub(crate) fn at_claim() -> u64 {
        0
    }
    pub(crate) fn time() -> u64 {
        0
    }
    pub(crate) fn ask_once(_block: &crate::blocks::block::Block, _ticks: u64) -> bool {
        false
    }
}

/// No call stacks.
pub(crate) mod contexts {
    use ompttrace_recording::events::CallFrame;

    pub(crate) fn set_unreported() {}
    pub(crate) fn report_all(_put: impl Fn(CallFrame) -> bool) {}
    pub(crate) fn report_unreported(_put: impl Fn(CallFrame) -> bool) {}
}

pub(crate) mod phase_names {
    use ompttrace_recording::events::PhaseName;

    pub(crate) fn set_unreported() {}
    pub(crate) fn report_all(_put: impl Fn(PhaseName) -> bool) {}
    pub(crate) fn report_kept(_put: impl Fn(PhaseName) -> bool) {}
    pub(crate) fn report_unreported(_put: impl Fn(PhaseName) -> bool) {}
}

pub(crate) mod waits {
    use ompttrace_recording::facts::Drains;

    pub(crate) struct Waits;

    impl Waits {
        pub(crate) const fn new() -> Waits {
            Waits
        }
        pub(crate) fn add(&self, _ticks: u64) {}
        pub(crate) fn drains(&self, _nanoseconds_per_tick: f64) -> Drains {
            Drains::default()
        }
    }
}

/// Streams that look after each event, as `src/streams` does, and find nothing.
pub(crate) struct EmptyStreams;

impl FurtherStreams for EmptyStreams {
    fn reset(&self, block: &Block) {
        block.private.reach.store(u32::MAX, primitives::Ordering::Relaxed);
    }

    fn look(
        &self,
        recorder: &Recorder,
        block: &'static Block,
        _event: Option<EventCode>,
        _now: u64,
    ) {
        let cursor = block.control.cursor().load(primitives::Ordering::Relaxed);
        if block.has_room_for_handlers(cursor) {
            chunk::empty_full_slot(recorder, block);
            chunk::report_wait();
        }
    }

    fn flush(&self, _recorder: &Recorder, _block: &Block) {}
    fn finish(&self, _recorder: &Recorder, _block: &Block) {}
}

/// Every thread has a core all the time.
pub(crate) mod accounts {
    pub(crate) fn run_delay() -> u64 {
        0
    }
}

/// The recorder says a thing only when something is wrong, or as a scene wants it.
pub(crate) mod message {
    pub fn say(text: std::fmt::Arguments<'_>) {
        let text = text.to_string();
        assert!(text.starts_with("the disk does not follow"), "{text}");
    }
}

/// A panic in a model is one of the model's findings.
pub(crate) mod panics {
    pub fn caught_here<T>(work: impl FnOnce() -> T) -> Option<T> {
        Some(work())
    }
}

/// The models' threads have stacks of their own kind.
pub(crate) mod own_stack {
    pub(crate) enum Signals {
        Blocked,
    }

    pub(crate) fn on_own_stack<T, W: FnOnce() -> T>(_: Signals, work: W) -> T {
        work()
    }
}

/// There are no forks in the models.
pub(crate) mod fork {
    use crate::blocks::block::Block;
    use crate::blocks::room::Room;
    use ompttrace_recording::EventCode;

    pub(crate) enum ChildEvent {
        #[allow(dead_code, reason = "there are no children")]
        Deferred(Room),
        #[allow(dead_code, reason = "there are no children")]
        Armed,
        Off,
    }

    pub(crate) fn forked_child() {}
    pub(crate) fn child_event(_code: EventCode, _ticks: u64) -> ChildEvent {
        ChildEvent::Off
    }
    pub(crate) fn take_over(_block: &'static Block) -> bool {
        false
    }
}

/// No disk of a model hangs.
pub(crate) mod hung_disk {
    pub fn hangs() -> bool {
        false
    }

    pub fn unless_it_hangs(work: fn() -> bool) -> Option<bool> {
        Some(work())
    }

    pub(crate) fn came_back() {}

    pub(crate) fn exiting() -> u64 {
        crate::host::sync::me()
    }
}
