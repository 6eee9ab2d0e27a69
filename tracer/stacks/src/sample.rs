//! The call stack of code that a signal interrupted, walked in the signal's handler: without a lock, without memory, and
//! only through modules that are known already.
//!
//! All of the stack counts here, the runtime's own frames too: readers cut those.

use crate::caches;
use crate::known::{Module, known_or_found};
use crate::memory::Bounds;
use framehop::{FrameAddress, UnwindRegsNative, Unwinder};
use ompttrace_recorder::{Interrupted, SampledStack, Walker};
use ompttrace_recording::events::stack;

/// Walks stacks for the recorder's samples.
pub const WALKER: Walker = Walker { prepare, walk };

/// Maximum number of frames that are walked on the way to a thread's first function, when walks are prepared.
const DEEPEST: usize = 64;

/// Prepares walks of the calling thread, outside of any handler: it determines the bounds of its stack, creates a
/// cache, and looks up the modules of its callers, of the program itself, and at `address` unless that is 0.
fn prepare(address: u64) {
    let here = crate::registers::here();
    let sp = here.registers.sp();
    // SAFETY: asks for a number.
    let program = unsafe { libc::getauxval(libc::AT_ENTRY) };
    for address in [program, address] {
        if address != 0 {
            let _ = known_or_found(address);
        }
    }
    let bounds = Bounds::of_stack(sp);
    caches::with(sp >> 20, |cache| {
        let mut walker = Walk { registers: here.registers, bounds, unknown: 0 };
        walker.store(here.pc, &mut cache.rules, &mut [0; DEEPEST], known_or_found);
    });
}

fn walk(interrupted: &Interrupted, frames: &mut [u64]) -> SampledStack {
    let Interrupted { pc, sp, .. } = *interrupted;
    let bounds = Bounds::of_stack(sp);
    // A coroutine's stack, say: where it ends nobody knows here.
    if bounds.is_nowhere() {
        return SampledStack::default();
    }
    let walked = caches::with_a_free_one(sp >> 20, |cache| {
        let mut walker = Walk { registers: registers(interrupted), bounds, unknown: 0 };
        let (frames, flags) = walker.store(pc, &mut cache.rules, frames, Module::at);
        SampledStack { frames, flags, unknown: walker.unknown }
    });
    walked.unwrap_or_default()
}

#[cfg(target_arch = "x86_64")]
fn registers(interrupted: &Interrupted) -> UnwindRegsNative {
    UnwindRegsNative::new(interrupted.pc, interrupted.sp, interrupted.fp)
}

#[cfg(target_arch = "aarch64")]
fn registers(interrupted: &Interrupted) -> UnwindRegsNative {
    UnwindRegsNative::new(interrupted.lr, interrupted.sp, interrupted.fp)
}

struct Walk {
    registers: UnwindRegsNative,
    bounds: Bounds,
    /// An address that is in no known module.
    unknown: u64,
}

impl Walk {
    /// Stores the code addresses of the frames from `pc` on, with modules looked up by `module_at`; returns their
    /// number and the flags of [`stack`].
    fn store(
        &mut self,
        pc: u64,
        rules: &mut caches::Rules,
        frames: &mut [u64],
        module_at: fn(u64) -> Option<&'static Module>,
    ) -> (usize, u64) {
        let mut address = Some(FrameAddress::from_instruction_pointer(pc));
        let mut count = 0;
        while let Some(here) = address {
            let Some(frame) = frames.get_mut(count) else { return (count, stack::CUT) };
            *frame = here.address();
            count += 1;
            let lookup = here.address_for_lookup();
            let Some(module) = module_at(lookup) else {
                self.unknown = lookup;
                return (count, stack::BROKEN);
            };
            let bounds = self.bounds;
            let mut read = |address| bounds.word(address).ok_or(());
            match module.tables.unwind_frame(here, &mut self.registers, rules, &mut read) {
                Ok(caller) => address = caller.and_then(FrameAddress::from_return_address),
                Err(_) => return (count, stack::BROKEN),
            }
        }
        (count, 0)
    }
}
