//! Which call of the program the calling thread's runtime carries out: for events whose runtime gives an address of its own.
//!
//! As few frames as there are in the runtime are unwound, through modules that are known already: without memory, in any
//! callback.

use crate::caches;
use crate::known::{Module, is_of_program, known_or_found, set_runtime};
use crate::memory::Bounds;
use crate::registers::here;
use framehop::{FrameAddress, Unwinder};

/// Frames of ours and of the runtime before the program's call, at most.
const MAX_FRAMES: usize = 32;

/// Callbacks that may unwind at the same time; others wait for one of them.
const AT_ONCE: usize = 2;
/// How often a callback looks whether another one is done: longer than an unwinding takes by far.
const LOOKS: usize = 100_000;

/// Makes ready for [`call_into_runtime`], outside of any callback. `runtime`: an address in the runtime.
pub fn prepare_calls(runtime: u64) {
    set_runtime(runtime);
    for address in [runtime, prepare_calls as *const () as u64] {
        let _ = known_or_found(address);
    }
    caches::provide(AT_ONCE);
}

/// The address to which the runtime will return in the program; `None` where the frames could not be unwound.
#[inline(never)]
pub fn call_into_runtime() -> Option<u64> {
    let mut at = here();
    let sp = at.registers.sp();
    let bounds = Bounds::known_of_stack(sp);
    let mut address = FrameAddress::from_instruction_pointer(at.pc);
    let mut unwind = |cache: &mut caches::Cache| {
        for _ in 0..MAX_FRAMES {
            let module = Module::at(address.address_for_lookup())?;
            let mut read = |address| bounds.word(address).ok_or(());
            let rules = &mut cache.rules;
            let caller = module.tables.unwind_frame(address, &mut at.registers, rules, &mut read);
            let caller = caller.ok().flatten().filter(|caller| *caller != 0)?;
            if is_of_program(caller) {
                return Some(caller);
            }
            address = FrameAddress::from_return_address(caller)?;
        }
        None
    };
    for _ in 0..LOOKS {
        if let Some(found) = caches::with_a_free_one(sp >> 20, &mut unwind) {
            return found;
        }
        std::hint::spin_loop();
    }
    None
}
