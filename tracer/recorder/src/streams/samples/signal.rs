//! The signal and its handler, which puts a sample of the calling thread into its region.
//!
//! The handler takes no lock and no memory, makes no event, and changes nothing that the code finds which it interrupts:
//! not even errno. The program's own use of the signal is not ours to take: where it has a handler, or blocks it, or has a
//! stack for signals that is too small for one, there are no samples.

use super::alternate;
use super::hooks::{self, Interrupted};
use super::known::Samples;
use super::region::{MOST_FRAMES, SampleHead};
use super::{timer, timing};
use crate::blocks::block::IN_USE;
use crate::blocks::{state, tls};
use crate::host::clock;
use crate::host::own_stack::stack as stack_position;
use crate::host::sync::{AtomicPtr, AtomicU64, Ordering};
use crate::streams::of_thread::of;
use ompttrace_recording::events::stack;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering as Plain;

/// Least number of bytes that have to be left of a stack for signals to walk the call stack on it.
const LEAST_STACK: usize = 12 << 10;

/// Bytes that the handler needs if it walks nothing, besides those that the kernel stores.
const SMALLEST_STACK: usize = 4 << 10;

/// The code of signals that the kernel sends for perf events: POLL_IN.
const POLL_IN: libc::c_int = 1;

type Handler = unsafe extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// The samples to which the handler belongs.
static SAMPLES: AtomicPtr<Samples> = AtomicPtr::new(null_mut());

/// Installs the handler of the signal, for these samples; false: the program uses the signal.
pub(super) fn take(signal: libc::c_int, samples: &'static Samples) -> bool {
    let Some(before) = action(signal) else { return false };
    if before != libc::SIG_DFL && !is_ours(before) {
        return false;
    }
    SAMPLES.store((&raw const *samples).cast_mut(), Ordering::Release);
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

/// The receiver of the signal that is sent to the calling thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The tool's handler.
    Ours,
    /// No handler now: the program blocks the signal, or its stack for signals is too small.
    Nobody,
    /// The program, or another library in it.
    Taken,
}

/// The current receiver of the signal.
pub(super) fn reach(signal: libc::c_int) -> Reach {
    if !action(signal).is_some_and(is_ours) {
        return Reach::Taken;
    }
    let mut blocked = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: fills the set, for which all zeros is a value.
    let is_blocked = unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, null(), blocked.as_mut_ptr());
        libc::sigismember(blocked.as_ptr(), signal) != 0
    };
    if is_blocked || !is_stack_enough(&alternate::current()) { Reach::Nobody } else { Reach::Ours }
}

/// The word by which a timer's signal is known to be the tool's.
pub(super) fn mark() -> usize {
    let ours: Handler = sampled;
    ours as usize
}

/// Takes a pending signal of the tool, so that no sigwait of the program finds it. A signal that the program or the
/// kernel sent is sent again as it was.
pub(super) fn take_pending(signal: libc::c_int) {
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a set of our own, which the kernel reads, and a structure that it fills and gets back. errno is kept by
    // whoever calls.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
        libc::sigaddset(&raw mut set, signal);
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed().assume_init();
        let found = libc::sigtimedwait(&raw const set, &raw mut info, &raw const now) == signal;
        if found && ticks(&info).is_none() {
            let (process, thread) = (libc::getpid(), libc::gettid());
            if info.si_code == libc::SI_TKILL {
                let again = libc::SYS_rt_tgsigqueueinfo;
                libc::syscall(again, process, thread, signal, &raw const info);
            } else {
                libc::syscall(libc::SYS_rt_sigqueueinfo, process, signal, &raw const info);
            }
        }
    }
}

/// The number of ticks that came together with a signal of the tool; `None` if the signal is not the tool's.
fn ticks(info: &libc::siginfo_t) -> Option<u64> {
    if info.si_code == POLL_IN { Some(0) } else { timer::overrun(info, mark()) }
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
        match ticks(&*info) {
            Some(more) => sample(&*context.cast(), more),
            None => not_ours(signal),
        }
        *libc::__errno_location() = errno;
    }
}

/// The signal was sent to the program, not by us, and the program has no handler: performs its default action, which
/// for SIGURG is none.
fn not_ours(signal: libc::c_int) {
    const { assert!(timing::SIGNAL == libc::SIGURG, "which nobody notices") };
    if signal == timing::SIGNAL {
        return;
    }
    // SAFETY: plain system calls. The signal is blocked here, and acts when the handler is over.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn sample(context: &libc::ucontext_t, more_ticks: u64) {
    let block = tls::block();
    let is_known = block.private.magic.load(Ordering::Relaxed) == IN_USE;
    let own = &of(block).samples;
    let Some(region) = own.region().filter(|_| is_known) else { return };
    match state::state() {
        state::State::Recording => {}
        state::State::Ended => return own.ticks.close(),
        _ => return,
    }
    region.miss(more_ticks);
    let ticks = clock::ticks();
    let (state, wait_id) = hooks::thread_state();
    let interrupted = registers(context);
    let mut frames = [0; MOST_FRAMES];
    let mut found = hooks::SampledStack::default();
    if has_stack(&context.uc_stack) {
        found = hooks::walk(&interrupted, &mut frames);
        region.set_unknown(found.unknown);
    }
    let alone = [interrupted.pc];
    let (frames, flags) = match frames.get(..found.frames) {
        Some(frames @ [_, ..]) => (frames, found.flags),
        _ => (&alone[..], stack::BROKEN),
    };
    if !region.put(&SampleHead { ticks, state, wait_id, flags }, frames) {
        own.lost.fetch_add(1, Plain::Relaxed);
    }
    // SAFETY: null, or what `take` stored, which stays as long as the program.
    if let Some(samples) = unsafe { SAMPLES.load(Ordering::Acquire).as_ref() } {
        samples.take_turns(block, region, ticks);
    }
    if region.fills() || found.unknown != 0 {
        // The thread's next event empties it, and finds the module.
        block.private.end.store(0, Ordering::SeqCst);
    }
}

/// Returns true if the handler has stack enough to walk: an alternate stack of the program may be small.
fn has_stack(alternate: &libc::stack_t) -> bool {
    let left = (stack_position() as usize).wrapping_sub(alternate.ss_sp.addr());
    let is_on_it = alternate.ss_flags & libc::SS_DISABLE == 0 && left < alternate.ss_size;
    !is_on_it || left >= LEAST_STACK
}

/// Returns true if a handler fits on the alternate stack of the program, or if there is none.
fn is_stack_enough(alternate: &libc::stack_t) -> bool {
    let needed = stored_by_the_kernel() + SMALLEST_STACK;
    alternate.ss_flags & libc::SS_DISABLE != 0 || alternate.ss_size >= needed
}

/// Bytes that the kernel stores on a handler's stack. The C library is asked once: at the process's end its functions are not
/// called any more.
fn stored_by_the_kernel() -> usize {
    static KNOWN: AtomicU64 = AtomicU64::new(0);
    match KNOWN.load(Ordering::Relaxed) as usize {
        0 => {
            // SAFETY: asks for a number; 0 where the kernel does not say what it stores itself.
            let said = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) } as usize;
            let bytes = said.max(libc::MINSIGSTKSZ);
            KNOWN.store(bytes as u64, Ordering::Relaxed);
            bytes
        }
        bytes => bytes,
    }
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
