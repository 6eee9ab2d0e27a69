//! Work on a stack of our own: the host thread's may have no more than 16 KiB (PTHREAD_STACK_MIN), of which the program has used
//! as much as it likes.
//!
//! It is for what is rare: the begin and the end of a recording, a thread's first event, a command, a file that is opened. The way there is a call
//! with another stack pointer, which the frame keeps for debuggers and unwinders; where no memory can be had the work is done on
//! the host's stack.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the stack: settings are parsed and JSON is written on it, and the program's signal handlers may run on it.
const BYTES: usize = 192 << 10;
/// Bytes below it that nothing may touch: a multiple of every page size.
const GUARD: usize = 64 << 10;
/// Bytes of stack and guard together.
const SIZE: usize = GUARD + BYTES;

/// Signals that an instruction causes.
const OF_INSTRUCTIONS: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Start addresses of the tool's stacks that are in use.
static IN_USE: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
/// Stacks for the next ones that need some: threads begin together, and each mapping made and undone stops all of them.
static SPARE: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// Position of the calling thread's stack pointer, approximately. Stacks grow down on all supported systems.
#[inline(always)]
pub(crate) fn stack() -> u64 {
    let here = 0u8;
    (&raw const here).addr() as u64
}

/// Returns true for an address on a stack of the tool.
pub(crate) fn is_on_one(address: u64) -> bool {
    let starts = IN_USE.iter().map(|slot| slot.load(Ordering::Relaxed));
    starts.filter(|start| *start != 0).any(|start| (start..start + SIZE as u64).contains(&address))
}

/// The thread's signals during the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// The signals are as before: the work may take long.
    Kept,
    /// All signals are blocked but those of an instruction itself (a fault, a step), which kill where they are
    /// blocked: an event's work goes on here, which handlers' events have to find complete.
    Blocked,
}

/// Every signal that can be blocked without killing a thread: those of an instruction itself kill where they are blocked.
pub(crate) fn maskable() -> libc::sigset_t {
    // SAFETY: all zeros is a set; the functions change the one on this stack.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        for signal in OF_INSTRUCTIONS {
            libc::sigdelset(&raw mut all, signal);
        }
        all
    }
}

/// Does the work on a stack of the tool, unless the calling thread is on one already: a program that locks all its
/// memory pays for each stack. The work must not unwind.
pub(crate) fn on_own_stack<T, W: FnOnce() -> T>(signals: Signals, work: W) -> T {
    let is_there = is_on_one(stack());
    let stack = if is_there { None } else { Stack::take() };
    if !is_there && stack.is_none() {
        return work();
    }
    let mut job = Job { signals, work: Some(work), result: None };
    let argument = (&raw mut job).cast();
    // SAFETY: a new stack is this call's alone, and the job stays until the call has returned.
    unsafe {
        match &stack {
            Some(stack) => ompttrace_on_stack(stack.top(), enter::<T, W>, argument),
            None => enter::<T, W>(argument),
        }
    }
    match job.result {
        Some(result) => result,
        // Work that has been done leaves its result.
        None => std::process::abort(),
    }
}

struct Job<T, W> {
    signals: Signals,
    work: Option<W>,
    result: Option<T>,
}

/// Sets of signals are large, so they are on this stack, too: a handler that comes before they are blocked finds no work begun.
unsafe extern "C" fn enter<T, W: FnOnce() -> T>(job: *mut c_void) {
    // SAFETY: the job of the one call of `on_own_stack` that waits for this function, which alone uses it until then.
    let job = unsafe { &mut *job.cast::<Job<T, W>>() };
    let before = (job.signals == Signals::Blocked).then(|| set_mask(&maskable()));
    if let Some(work) = job.work.take() {
        job.result = Some(work());
    }
    if let Some(before) = before {
        set_mask(&before);
    }
}

/// Sets the thread's mask of signals; returns the one before.
fn set_mask(mask: &libc::sigset_t) -> libc::sigset_t {
    // SAFETY: all zeros is a set, and both sets live during the call.
    unsafe {
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, mask, &raw mut before);
        before
    }
}

// SAFETY: the assembly below has this signature, and keeps the registers that C functions keep.
unsafe extern "C" {
    /// Calls the function with the argument where the stack ends at `top`, which is aligned to 16 bytes.
    fn ompttrace_on_stack(
        top: *mut u8,
        enter: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    );
}

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .text.ompttrace_on_stack,\"ax\",@progbits",
    ".globl ompttrace_on_stack",
    ".hidden ompttrace_on_stack",
    ".type ompttrace_on_stack,@function",
    "ompttrace_on_stack:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "mov rsp, rdi",
    "mov rdi, rdx",
    "call rsi",
    "mov rsp, rbp",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size ompttrace_on_stack, . - ompttrace_on_stack",
    ".popsection",
);
#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".pushsection .text.ompttrace_on_stack,\"ax\",@progbits",
    ".globl ompttrace_on_stack",
    ".hidden ompttrace_on_stack",
    ".type ompttrace_on_stack,@function",
    "ompttrace_on_stack:",
    ".cfi_startproc",
    "stp x29, x30, [sp, #-16]!",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset x29, -16",
    ".cfi_offset x30, -8",
    "mov x29, sp",
    ".cfi_def_cfa_register x29",
    "mov sp, x0",
    "mov x0, x2",
    "blr x1",
    "mov sp, x29",
    ".cfi_def_cfa_register sp",
    "ldp x29, x30, [sp], #16",
    ".cfi_restore x29",
    ".cfi_restore x30",
    ".cfi_def_cfa_offset 0",
    "ret",
    ".cfi_endproc",
    ".size ompttrace_on_stack, . - ompttrace_on_stack",
    ".popsection",
);

/// A mapping of its own: guard and stack.
struct Stack {
    start: *mut u8,
}

impl Stack {
    /// Takes a spare stack or a new one; `None`: there is no memory.
    fn take() -> Option<Stack> {
        let mut spares = SPARE.iter().map(|slot| slot.swap(0, Ordering::Acquire));
        let spare = spares.find(|start| *start != 0);
        let start = spare.map(|start| std::ptr::with_exposed_provenance_mut(start as usize));
        let stack = Stack { start: start.or_else(Stack::map)? };
        // Where all slots are taken, a handler's event may take the interrupted work for left: at worst it is lost and counted.
        let take = |slot: &AtomicU64| {
            slot.compare_exchange(0, stack.address(), Ordering::Relaxed, Ordering::Relaxed)
        };
        let _ = IN_USE.iter().find(|slot| take(slot).is_ok());
        Some(stack)
    }

    fn map() -> Option<*mut u8> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { libc::mmap(null_mut(), SIZE, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the first pages of the mapping just made, which nothing uses.
        unsafe { libc::mprotect(start, GUARD, libc::PROT_NONE) };
        Some(start.cast())
    }

    fn address(&self) -> u64 {
        self.start.expose_provenance() as u64
    }

    /// Address of the end of the stack's memory, at which a stack that grows down begins.
    fn top(&self) -> *mut u8 {
        self.start.wrapping_add(SIZE)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let free = |slot: &AtomicU64| {
            slot.compare_exchange(self.address(), 0, Ordering::Relaxed, Ordering::Relaxed)
        };
        let _ = IN_USE.iter().find(|slot| free(slot).is_ok());
        let keep = |slot: &AtomicU64| {
            slot.compare_exchange(0, self.address(), Ordering::Release, Ordering::Relaxed)
        };
        if SPARE.iter().any(|slot| keep(slot).is_ok()) {
            return;
        }
        // SAFETY: the mapping is this value's alone, and nothing runs on it any more.
        unsafe { libc::munmap(self.start.cast(), SIZE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> usize {
        let local = 0u8;
        (&raw const local).addr()
    }

    #[test]
    fn work_is_done_elsewhere_and_its_result_comes_back() {
        let outside = here();
        let kept = Signals::Kept;
        let (inside, nested) =
            on_own_stack(kept, || (here(), on_own_stack(Signals::Blocked, here)));
        assert!(inside.abs_diff(outside) > GUARD && nested < inside && inside - nested < BYTES);
        let text = String::from("a value with a destructor");
        assert_eq!(on_own_stack(kept, move || text.len()), 25);
    }
}
