//! Functions of other crates that the handler calls: the stack walker, and the query of the thread's state.

use crate::host::own_stack::{Signals, on_own_stack};
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The registers of code that was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The address of the next instruction.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer.
    pub fp: u64,
    /// The link register, on processors that have one.
    pub lr: u64,
}

/// The result of a walk of an interrupted thread's stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampledStack {
    /// Number of addresses stored, innermost first.
    pub frames: usize,
    /// The end of the walk: flags of [`ompttrace_recording::events::stack`].
    pub flags: u64,
    /// A code address that is in no known module; 0: none.
    pub unknown: u64,
}

/// The stack walker. `walk` is called in signal handlers: it takes no lock and no memory.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    /// Prepares for walks of the calling thread, and for code at an address, unless that is 0.
    pub prepare: fn(u64),
    /// Stores the addresses of the calling thread's call stack from there on.
    pub walk: fn(&Interrupted, &mut [u64]) -> SampledStack,
}

static PREPARE: AtomicPtr<()> = AtomicPtr::new(null_mut());
static WALK: AtomicPtr<()> = AtomicPtr::new(null_mut());
static STATE: AtomicPtr<()> = AtomicPtr::new(null_mut());

/// Sets the stack walker, before the recording begins.
pub fn set_walker(walker: Walker) {
    PREPARE.store(walker.prepare as *mut (), Ordering::Release);
    WALK.store(walker.walk as *mut (), Ordering::Release);
}

/// Sets the query of the calling thread's state, an ompt_state_t, and its wait id; it is called in signal handlers.
pub fn set_thread_state(ask: fn() -> (u64, u64)) {
    STATE.store(ask as *mut (), Ordering::Release);
}

/// Removes the state query, unless another one was set since: its runtime is being unloaded.
pub fn forget_thread_state(ask: fn() -> (u64, u64)) {
    let _ = STATE.compare_exchange(ask as *mut (), null_mut(), Ordering::AcqRel, Ordering::Relaxed);
}

pub(super) fn prepare(address: u64) {
    let hook = PREPARE.load(Ordering::Acquire);
    if !hook.is_null() {
        // SAFETY: the only value ever stored is such a function, by `set_walker`.
        let prepare: fn(u64) = unsafe { transmute(hook) };
        // Unwinding takes 15 KB of stack.
        on_own_stack(Signals::Blocked, || prepare(address));
    }
}

pub(super) fn walk(interrupted: &Interrupted, frames: &mut [u64]) -> SampledStack {
    let hook = WALK.load(Ordering::Acquire);
    if hook.is_null() {
        return SampledStack::default();
    }
    // SAFETY: as above.
    let walk: fn(&Interrupted, &mut [u64]) -> SampledStack = unsafe { transmute(hook) };
    walk(interrupted, frames)
}

pub(super) fn thread_state() -> (u64, u64) {
    let hook = STATE.load(Ordering::Acquire);
    if hook.is_null() {
        return (0, 0);
    }
    // SAFETY: the only values ever stored are such functions, by `set_thread_state`.
    let ask: fn() -> (u64, u64) = unsafe { transmute(hook) };
    ask()
}
