//! Work on a stack of our own: the host thread's may have no more than 16 KiB (PTHREAD_STACK_MIN), of which the program has used
//! as much as it likes.
//!
//! It is for what happens once: the begin and the end of a recording, a thread's first event, a command. The way there is
//! makecontext's, which debuggers and unwinders know; where no memory can be had the work is done on the host's stack.

use std::ffi::{c_int, c_uint};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the stack: settings are parsed and JSON is written on it, and the program's signal handlers may run on it.
const BYTES: usize = 256 << 10;
/// Bytes below it that nothing may touch: a multiple of every page size.
const GUARD: usize = 64 << 10;
/// Bytes of both.
const SIZE: usize = GUARD + BYTES;

/// Signals that an instruction causes.
const OF_INSTRUCTIONS: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Where stacks of our own begin that are in use.
static IN_USE: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
/// Stacks for the next ones that need some: threads begin together, and each mapping made and undone stops all of them.
static SPARE: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// True for an address on a stack of our own.
pub(crate) fn is_on_one(address: u64) -> bool {
    let starts = IN_USE.iter().map(|slot| slot.load(Ordering::Relaxed));
    starts.filter(|start| *start != 0).any(|start| (start..start + SIZE as u64).contains(&address))
}

/// The thread's signals during the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signals {
    /// As before: the work may take long.
    Kept,
    /// None but those of an instruction itself (a fault, a step), which kill where they are blocked: an event's work goes on
    /// here, which handlers' events are to find done.
    Blocked,
}

/// Does the work on a stack of our own. It must not unwind.
pub(crate) fn on_own_stack<T, W: FnOnce() -> T>(signals: Signals, work: W) -> T {
    let Some(stack) = Stack::take() else { return work() };
    let mut job = Job { work: Some(work), result: None };
    stack.run(enter::<T, W>, (&raw mut job).expose_provenance(), signals);
    let Job { work, result } = job;
    match (result, work) {
        (Some(result), _) => result,
        // The switch was refused, and nothing was done.
        (None, Some(work)) => work(),
        // Work that has begun leaves its result.
        (None, None) => std::process::abort(),
    }
}

struct Job<T, W> {
    work: Option<W>,
    result: Option<T>,
}

/// makecontext passes on integers of C: both halves of the job's address.
extern "C" fn enter<T, W: FnOnce() -> T>(high: c_uint, low: c_uint) {
    let address = (u64::from(high) << 32 | u64::from(low)) as usize;
    let job = std::ptr::with_exposed_provenance_mut::<Job<T, W>>(address);
    // SAFETY: the address of the job of the one call of `on_own_stack` that waits for this function, which alone uses it until
    // then.
    let job = unsafe { &mut *job };
    if let Some(work) = job.work.take() {
        job.result = Some(work());
    }
}

/// Where execution is, and where it goes on: on the stack itself, since they have up to 4.5 KiB each.
#[repr(C)]
struct Contexts {
    caller: libc::ucontext_t,
    own: libc::ucontext_t,
}

/// A mapping of its own: guard, stack, contexts.
struct Stack {
    start: *mut u8,
}

impl Stack {
    /// A spare one or a new one; `None`: there is no memory.
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

    /// Calls `enter` on it with both halves of `argument`; does nothing where the C library refuses.
    fn run(&self, enter: extern "C" fn(c_uint, c_uint), argument: usize, signals: Signals) {
        let above = size_of::<Contexts>().next_multiple_of(64);
        // SAFETY: within the mapping, whose size is far larger than that of the contexts.
        let contexts = unsafe { self.start.add(GUARD + BYTES - above) }.cast::<Contexts>();
        let [high, low] = [argument as u64 >> 32, argument as u64]
            .map(|half| c_int::from_ne_bytes((half as u32).to_ne_bytes()));
        // SAFETY: the contexts lie in a mapping of their alignment (64 divides pages), and getcontext fills the one that
        // makecontext changes. The stack below them is nobody else's. makecontext takes a function of any signature as one
        // without arguments, and passes on as many integers as it is told; it returns to `caller`, which swapcontext fills
        // before it leaves, the thread's signal mask included, and in which this function still waits.
        unsafe {
            let (caller, own) = (&raw mut (*contexts).caller, &raw mut (*contexts).own);
            if libc::getcontext(own) != 0 {
                return;
            }
            (*own).uc_stack.ss_sp = self.start.add(GUARD).cast();
            (*own).uc_stack.ss_size = BYTES - above;
            (*own).uc_link = caller;
            if signals == Signals::Blocked {
                let mask = &raw mut (*own).uc_sigmask;
                libc::sigfillset(mask);
                for signal in OF_INSTRUCTIONS {
                    libc::sigdelset(mask, signal);
                }
            }
            let enter =
                std::mem::transmute::<extern "C" fn(c_uint, c_uint), extern "C" fn()>(enter);
            libc::makecontext(own, enter, 2, high, low);
            libc::swapcontext(caller, own);
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let free = |slot: &AtomicU64| {
            let _ = slot.compare_exchange(self.address(), 0, Ordering::Relaxed, Ordering::Relaxed);
        };
        IN_USE.iter().for_each(free);
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
        assert!(inside.abs_diff(outside) > GUARD && nested.abs_diff(inside) > GUARD);
        let text = String::from("a value with a destructor");
        assert_eq!(on_own_stack(kept, move || text.len()), 25);
    }
}
