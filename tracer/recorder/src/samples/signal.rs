//! The signal and its handler: what the calling thread does at this instant goes into its region.
//!
//! The handler takes no lock and no memory, makes no event, and changes nothing that the code finds which it interrupts:
//! not even errno. The program's own use of the signal is not ours to take: where it has a handler, or blocks it, there
//! are no samples.

use super::hooks::{self, Interrupted};
use super::region::{MOST_FRAMES, Said};
use crate::block::IN_USE;
use crate::sync::Ordering;
use crate::{clock, state, tls};
use ompttrace_recording::events::stack;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// Of a stack for signals less than this is left: nothing is walked on it.
const LEAST_STACK: usize = 12 << 10;

/// What the kernel sends for perf events: POLL_IN.
const POLL_IN: libc::c_int = 1;

type Handler = unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Makes the signal ours; false: the program uses it.
pub(super) fn take(signal: libc::c_int) -> bool {
    let Some(before) = action(signal) else { return false };
    if before != libc::SIG_DFL && !is_ours(before) {
        return false;
    }
    let handler: Handler = sampled;
    // SAFETY: an all-zero action is one; the handler has the signature that SA_SIGINFO wants.
    unsafe {
        let mut ours = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        ours.sa_sigaction = handler as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(signal, &raw const ours, null_mut()) == 0
    }
}

fn is_ours(handler: libc::sighandler_t) -> bool {
    let ours: Handler = sampled;
    handler == ours as usize
}

fn action(signal: libc::c_int) -> Option<libc::sighandler_t> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: fills the action, for which all zeros is a value.
    unsafe {
        let known = libc::sigaction(signal, null(), action.as_mut_ptr()) == 0;
        known.then(|| action.assume_init().sa_sigaction)
    }
}

/// Whether the signal reaches our handler on the calling thread: the program has neither blocked it nor taken it.
pub(super) fn arrives(signal: libc::c_int) -> bool {
    let mut blocked = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: fills the set, for which all zeros is a value.
    let is_blocked = unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, null(), blocked.as_mut_ptr());
        libc::sigismember(blocked.as_ptr(), signal) != 0
    };
    !is_blocked && action(signal).is_some_and(is_ours)
}

/// Takes one that waits to be let through, so that no sigwait of the program finds it.
pub(super) fn take_pending(signal: libc::c_int) {
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a set of our own, which the kernel reads; errno is kept by whoever calls.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
        libc::sigaddset(&raw mut set, signal);
        while libc::sigtimedwait(&raw const set, null_mut(), &raw const now) == signal {}
    }
}

unsafe extern "C" fn sampled(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel hands both over as SA_SIGINFO says, for as long as the handler runs; errno is the calling
    // thread's own word.
    unsafe {
        let errno = *libc::__errno_location();
        if (*info).si_code == POLL_IN {
            sample(&registers(&*context.cast()));
        } else {
            not_ours(signal);
        }
        *libc::__errno_location() = errno;
    }
}

/// Somebody sent the signal who means the program, which has no handler: what it does without us happens now.
fn not_ours(signal: libc::c_int) {
    // SAFETY: plain system calls. The signal is blocked here, and acts when the handler is over.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn sample(interrupted: &Interrupted) {
    let block = tls::block();
    let is_known = block.private.magic.load(Ordering::Relaxed) == IN_USE;
    let recording = state::state() == state::State::Recording;
    let Some(region) = block.private.samples.region().filter(|_| is_known && recording) else {
        return;
    };
    let ticks = clock::ticks();
    let (state, wait_id) = hooks::thread_state();
    let mut frames = [0; MOST_FRAMES];
    let mut found = hooks::Found::default();
    if has_stack() {
        found = hooks::walk(interrupted, &mut frames);
        region.set_unknown(found.unknown);
    }
    let alone = [interrupted.pc];
    let (frames, flags) = match frames.get(..found.frames) {
        Some(frames @ [_, ..]) => (frames, found.flags),
        _ => (&alone[..], stack::BROKEN),
    };
    region.put(&Said { ticks, state, wait_id, flags }, frames);
    if region.fills() {
        // The thread's next event empties it.
        block.private.end.store(0, Ordering::SeqCst);
    }
}

/// Whether the handler has stack enough to walk: one that the program gave for signals may be small.
fn has_stack() -> bool {
    let mut alternate = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: fills the structure, for which all zeros is a value.
    let alternate = unsafe {
        libc::sigaltstack(null(), alternate.as_mut_ptr());
        alternate.assume_init()
    };
    let here = crate::primitives::stack() as usize;
    alternate.ss_flags & libc::SS_ONSTACK == 0
        || here.saturating_sub(alternate.ss_sp.addr()) >= LEAST_STACK
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> Interrupted {
    let register = |number: libc::c_int| {
        context.uc_mcontext.gregs.get(number as usize).map_or(0, |value| *value as u64)
    };
    Interrupted {
        pc: register(libc::REG_RIP),
        sp: register(libc::REG_RSP),
        fp: register(libc::REG_RBP),
        lr: 0,
    }
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> Interrupted {
    let all = &context.uc_mcontext;
    let register = |number: usize| all.regs.get(number).copied().unwrap_or(0);
    Interrupted { pc: all.pc, sp: all.sp, fp: register(29), lr: register(30) }
}
