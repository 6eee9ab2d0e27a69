//! The module that is mapped at a code address: asked of the life cycle, which reads what is mapped.

use crate::host::own_stack::{Signals, on_own_stack};
use crate::host::sync::{AtomicPtr, Ordering};

/// Looks up modules: called in a callback, so without allocation but where a module is new.
static MODULE_HOOK: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the function that is called for each code address recorded for the first time, and again when its module may have
/// gone. The answer is a number that no other module has at the same addresses; 0: not known.
pub fn set_module_hook(hook: fn(u64) -> u64) {
    MODULE_HOOK.store(hook as *mut (), Ordering::Release);
}

/// The number of the module that is mapped at a code address.
pub(crate) fn module_of(address: u64) -> u64 {
    let hook = MODULE_HOOK.load(Ordering::Acquire);
    if hook.is_null() {
        return 0;
    }
    // SAFETY: the only value ever stored is a `fn(u64) -> u64`, by `set_module_hook`.
    let hook: fn(u64) -> u64 = unsafe { std::mem::transmute(hook) };
    // It reads what is mapped, once for each new address.
    on_own_stack(Signals::Blocked, || hook(address))
}

/// Code was loaded in another way than by the loader's own: its module is looked for at once, since the file behind it
/// may be gone when the module is looked for the next time.
pub fn code_loaded() {
    // In no module, so that all of them are looked through.
    module_of(0);
}
