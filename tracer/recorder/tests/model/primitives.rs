//! Replaces `src/host/primitives.rs`: the atomics of loom, which tries every order of steps and
//! every old value that an ordering allows a load to see.
//!
//! loom takes a sequentially consistent access for one that acquires and releases. Here it has the
//! fence that makes the difference, as compilers give it one: before each, or after each ([`Fences`]).
//! Either is what the accesses promise each other and a little more, for what surrounds them; a
//! store or a load that wants the order and lacks it shows in one of the two.

use crate::tls;
use loom::sync::atomic::{self as checked, fence};
use std::cell::{Cell, UnsafeCell};
pub(crate) use std::sync::atomic::Ordering;
use std::sync::atomic::{AtomicBool as Flag, AtomicU64 as Count, AtomicUsize};

/// The number of the execution under way: what was made in another one is made anew.
static EXECUTION: Count = Count::new(0);

/// Tries after which a waiting thread on its way out of the process continues without; counted down
/// from a second to a step, as the model has no time.
static PATIENCE: AtomicUsize = AtomicUsize::new(0);

/// The position of the fences of sequentially consistent accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fences {
    Before,
    Behind,
}

static BEHIND: Flag = Flag::new(false);

/// Sets the position of the fences in the executions to come.
pub(crate) fn put_fences(fences: Fences) {
    BEHIND.store(fences == Fences::Behind, Ordering::Relaxed);
}

/// The fence of an access of this order, if there is one.
fn fence_of(order: Ordering, side: Fences) {
    if order == Ordering::SeqCst && BEHIND.load(Ordering::Relaxed) == (side == Fences::Behind) {
        fence(Ordering::SeqCst);
    }
}

/// Begins an execution.
pub(crate) fn begin() {
    EXECUTION.fetch_add(1, Ordering::Relaxed);
    PATIENCE.store(0, Ordering::Relaxed);
    WATCH.set(None);
    HANDLER.set(None);
    OUT_OF_REACH.set(false);
}

/// In this execution, a thread that waits at the process's exit waits in vain.
pub(crate) fn no_patience() {
    PATIENCE.store(1, Ordering::Relaxed);
}

thread_local! {
    static WATCH: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// In this execution, `watch` is called after every store of whatever thread.
pub(crate) fn behind_every_store(watch: fn()) {
    WATCH.set(Some(watch));
}

/// A store was made.
pub(crate) fn stored() {
    stepped();
    if let Some(watch) = WATCH.get() {
        watch();
    }
}

/// A signal to come: the thread that it interrupts, the steps until then, and its handler.
type Signal = (u64, usize, fn());

thread_local! {
    static HANDLER: Cell<Option<Signal>> = const { Cell::new(None) };
    static OUT_OF_REACH: Cell<bool> = const { Cell::new(false) };
}

/// In this execution, `handler` interrupts the calling thread after this many of its loads and stores.
pub(crate) fn interrupt_behind(steps: usize, handler: fn()) {
    HANDLER.set(Some((tls::own_address(), steps, handler)));
}

/// Cancels the signal to come; returns true if it came before.
pub(crate) fn was_interrupted() -> bool {
    HANDLER.take().is_none()
}

/// Does work that no handler interrupts.
pub(crate) fn out_of_reach<R>(work: impl FnOnce() -> R) -> R {
    let before = OUT_OF_REACH.replace(true);
    let result = work();
    OUT_OF_REACH.set(before);
    result
}

/// A load or a store was made.
pub(crate) fn stepped() {
    let Some((thread, steps, handler)) = HANDLER.get() else { return };
    if OUT_OF_REACH.get() || tls::own_address() != thread {
        return;
    }
    match steps.checked_sub(1) {
        Some(left) => HANDLER.set(Some((thread, left, handler))),
        None => {
            HANDLER.set(None);
            handler();
        }
    }
}

/// As in `src/host/primitives.rs`: a handler runs on the stack of the thread that it interrupts.
pub(crate) fn stack() -> u64 {
    let here = 0u8;
    (&raw const here).addr() as u64
}

/// As in `src/host/primitives.rs`, for threads without other stacks.
pub(crate) fn is_left(then: u64, now: u64) -> bool {
    now >= then
}

/// As in `src/host/primitives.rs`: nothing that the checker would look at, but a store after which all may die.
pub(crate) struct Plain(Count);

impl Plain {
    pub(crate) const fn new(value: u64) -> Plain {
        Plain(Count::new(value))
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        self.0.store(value, order);
        stored();
    }
}

/// As in `src/host/primitives.rs`.
pub(crate) const SLEEPS: u32 = 110;

/// As in `src/host/primitives.rs`.
pub(crate) fn wait(tries: &mut u32) {
    if PATIENCE.load(Ordering::Relaxed) > 0 && *tries == 0 {
        *tries = u32::MAX - 1;
    } else {
        loom::thread::yield_now();
    }
}

/// As in `src/host/primitives.rs`: no thread of a model sleeps.
pub(crate) fn wait_for(_lock: &AtomicU64, _is_free: impl Fn() -> bool, tries: &mut u32) {
    wait(tries);
}

pub(crate) fn wake(_lock: &AtomicU64) {}

/// As in `src/host/primitives.rs`; a model's threads end when they are done.
pub(crate) fn thread() -> u64 {
    tls::own_address()
}

pub(crate) fn is_gone(_thread: u64) -> bool {
    false
}

/// The value of a checked atomic: const like std's, so that it can be in a static, and made anew for each execution.
struct Made<T, A> {
    initial: T,
    /// The last value stored, which a kill leaves behind, and the storing thread.
    last: Cell<T>,
    writer: Cell<u64>,
    /// True if nobody else stores to it while its owner does.
    is_owned: Cell<bool>,
    made: UnsafeCell<Option<(u64, A)>>,
}

// SAFETY: the threads of a model are coroutines on one thread of the system, and models run one
// after the other.
unsafe impl<T, A> Sync for Made<T, A> {}
// SAFETY: the threads of a model are coroutines on one thread of the system.
unsafe impl<T, A> Send for Made<T, A> {}

impl<T: Copy, A> Made<T, A> {
    const fn new(initial: T) -> Made<T, A> {
        Made {
            initial,
            last: Cell::new(initial),
            writer: Cell::new(0),
            is_owned: Cell::new(false),
            made: UnsafeCell::new(None),
        }
    }

    fn get(&self, make: impl FnOnce(T) -> A) -> &A {
        let execution = EXECUTION.load(Ordering::Relaxed);
        // SAFETY: nothing else is at it, see above; what is replaced is of an execution that is over,
        // and so are the references to it.
        let made = unsafe { &mut *self.made.get() };
        if made.as_ref().is_none_or(|(when, _)| *when != execution) {
            self.last.set(self.initial);
            self.writer.set(0);
            self.is_owned.set(false);
            *made = Some((execution, make(self.initial)));
        }
        match made {
            Some((_, atomic)) => atomic,
            None => unreachable!("made above"),
        }
    }
}

macro_rules! atomic {
    ($name:ident $(<$t:ident>)?, $value:ty) => {
        #[repr(transparent)]
        pub(crate) struct $name $(<$t>)? (Made<$value, checked::$name $(<$t>)?>);

        impl $(<$t>)? std::fmt::Debug for $name $(<$t>)? {
            fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str(stringify!($name))
            }
        }

        impl $(<$t>)? $name $(<$t>)? {
            pub(crate) const fn new(value: $value) -> Self {
                $name(Made::new(value))
            }

            fn get(&self) -> &checked::$name $(<$t>)? {
                self.0.get(checked::$name::new)
            }

            /// Makes it, before there are other threads.
            pub(crate) fn touch(&self) -> &Self {
                self.get();
                self
            }

            /// [`touch`](Self::touch) for a word that only the thread that owns it stores: what it stored
            /// itself it knows without the checker. Of an owner's store the checker would look at no step
            /// before the owner's own last load, and never try a load of another thread's on its far side.
            pub(crate) fn touch_owned(&self) {
                self.touch().0.is_owned.set(true);
            }

            /// The last value stored, to be read when all threads are dead.
            pub(crate) fn left(&self) -> $value {
                self.touch().0.last.get()
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                fence_of(order, Fences::Before);
                let checked = self.get();
                let own = self.0.is_owned.get() && self.0.writer.get() == tls::own_address();
                let value = if own { self.0.last.get() } else { checked.load(order) };
                fence_of(order, Fences::Behind);
                stepped();
                value
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                fence_of(order, Fences::Before);
                self.get().store(value, order);
                self.0.last.set(value);
                self.0.writer.set(tls::own_address());
                stored();
                fence_of(order, Fences::Behind);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                let old = self.get().swap(value, order);
                self.0.last.set(value);
                stored();
                old
            }

            pub(crate) fn compare_exchange(
                &self,
                old: $value,
                new: $value,
                order: Ordering,
                otherwise: Ordering,
            ) -> Result<$value, $value> {
                fence_of(order, Fences::Before);
                let result = self.get().compare_exchange(old, new, order, otherwise);
                if result.is_ok() {
                    self.0.last.set(new);
                    stored();
                    fence_of(order, Fences::Behind);
                }
                result
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicI32, i32);
atomic!(AtomicU32, u32);
atomic!(AtomicU64, u64);
atomic!(AtomicPtr<T>, *mut T);

impl AtomicU32 {
    pub(crate) fn fetch_add(&self, value: u32, order: Ordering) -> u32 {
        let old = self.get().fetch_add(value, order);
        self.0.last.set(old.wrapping_add(value));
        stored();
        old
    }
}

impl AtomicU64 {
    pub(crate) fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        let old = self.get().fetch_add(value, order);
        self.0.last.set(old.wrapping_add(value));
        stored();
        old
    }
}
