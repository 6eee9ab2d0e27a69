//! Functions of signals: sets of C are larger than the kernel's, and actions have another layout.

use crate::direct;
use crate::system::{c_call, call, error};
use std::ffi::{c_int, c_long};

/// Bytes of the kernel's set of signals, the first ones of C's.
pub(crate) const SET_BYTES: usize = 8;

/// An action as the kernel has it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Action {
    pub(crate) handler: usize,
    pub(crate) flags: usize,
    /// The function to which handlers return: on x86-64 only.
    #[cfg(target_arch = "x86_64")]
    restorer: usize,
    mask: u64,
}

impl Action {
    /// The action that ignores a signal.
    pub(crate) fn ignore() -> Action {
        Action { handler: libc::SIG_IGN, ..Action::default() }
    }
}

/// Reads and changes a signal's action.
///
/// # Safety
/// The new action's handler must be one, or a default.
pub(crate) unsafe fn change(signal: c_int, new: Option<&Action>, old: &mut Action) -> isize {
    let new = new.map_or(0, |new| std::ptr::from_ref(new).expose_provenance());
    let old = std::ptr::from_mut(old).expose_provenance();
    // SAFETY: the caller's promise; both structures live during the call.
    unsafe { call(libc::SYS_rt_sigaction, [signal as usize, new, old, SET_BYTES, 0, 0]) }
}

unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let mut before = Action::default();
    // SAFETY: the caller's structures, of which either may be null.
    unsafe {
        let action = new.as_ref().map(kernels);
        let value = crate::system::result(change(signal, action.as_ref(), &mut before));
        if value == 0
            && let Some(old) = old.as_mut()
        {
            *old = of_c(&before);
        }
        value as c_int
    }
}

/// The kernel's form of an action that C's function has returned before, or that calls no function.
fn kernels(action: &libc::sigaction) -> Action {
    // SAFETY: the set is larger than a word and aligned like one.
    let mask = unsafe { (&raw const action.sa_mask).cast::<u64>().read() };
    Action {
        handler: action.sa_sigaction,
        flags: action.sa_flags as u32 as usize,
        #[cfg(target_arch = "x86_64")]
        restorer: action.sa_restorer.map_or(0, |function| function as usize),
        mask,
    }
}

fn of_c(action: &Action) -> libc::sigaction {
    // SAFETY: all zeros is an action; its set is larger than a word and aligned like one, and the restorer is a function's
    // address or 0, which is `None`.
    unsafe {
        let mut result: libc::sigaction = std::mem::zeroed();
        result.sa_sigaction = action.handler;
        result.sa_flags = action.flags as c_int;
        (&raw mut result.sa_mask).cast::<u64>().write(action.mask);
        #[cfg(target_arch = "x86_64")]
        {
            result.sa_restorer =
                std::mem::transmute::<usize, Option<extern "C" fn()>>(action.restorer);
        }
        result
    }
}

unsafe extern "C" fn pthread_sigmask(how: c_int, set: usize, old: usize) -> c_int {
    // SAFETY: the caller's sets, whose first word the kernel reads and writes.
    error(unsafe { call(libc::SYS_rt_sigprocmask, [how as usize, set, old, SET_BYTES, 0, 0]) })
}

unsafe extern "C" fn sigpending(set: usize) -> c_int {
    // SAFETY: the caller's set.
    unsafe { c_call(libc::SYS_rt_sigpending, [set, SET_BYTES, 0, 0, 0, 0]) as c_int }
}

unsafe extern "C" fn sigtimedwait(set: usize, information: usize, time: usize) -> c_int {
    let arguments = [set, information, time, SET_BYTES, 0, 0];
    // SAFETY: the caller's structures.
    unsafe { c_call(libc::SYS_rt_sigtimedwait, arguments) as c_int }
}

unsafe extern "C" fn raise(signal: c_int) -> c_int {
    // SAFETY: no memory is touched.
    unsafe {
        let [process, thread] = [libc::SYS_getpid, libc::SYS_gettid]
            .map(|number: c_long| call(number, [0; 6]) as usize);
        c_call(libc::SYS_tgkill, [process, thread, signal as usize, 0, 0, 0]) as c_int
    }
}

/// The set's word and the bit of a signal in it; `None` for what is no signal.
fn bit(signal: c_int) -> Option<u64> {
    (1..=64).contains(&signal).then(|| 1 << (signal - 1))
}

/// Changes the set's first word, the only one with signals in it.
unsafe fn update(set: *mut u64, change: impl FnOnce(u64) -> Option<u64>) -> c_int {
    // SAFETY: the caller's set.
    match change(unsafe { *set }) {
        Some(word) => {
            // SAFETY: the same.
            unsafe { *set = word };
            0
        }
        None => crate::system::result(-(libc::EINVAL as isize)) as c_int,
    }
}

unsafe extern "C" fn sigemptyset(set: *mut u64) -> c_int {
    // SAFETY: the caller's set, which need not be initialised and is all of 16 words.
    unsafe { set.write_bytes(0, size_of::<libc::sigset_t>() / size_of::<u64>()) };
    0
}

unsafe extern "C" fn sigfillset(set: *mut u64) -> c_int {
    let words = size_of::<libc::sigset_t>() / size_of::<u64>();
    // SAFETY: as for `sigemptyset`.
    unsafe { set.write_bytes(0xff, words) };
    0
}

unsafe extern "C" fn sigaddset(set: *mut u64, signal: c_int) -> c_int {
    // SAFETY: the caller's set.
    unsafe { update(set, |word| Some(word | bit(signal)?)) }
}

unsafe extern "C" fn sigdelset(set: *mut u64, signal: c_int) -> c_int {
    // SAFETY: the caller's set.
    unsafe { update(set, |word| Some(word & !bit(signal)?)) }
}

unsafe extern "C" fn sigismember(set: *const u64, signal: c_int) -> c_int {
    // SAFETY: the caller's set.
    let word = unsafe { *set };
    bit(signal).map_or(-1, |bit| c_int::from(word & bit != 0))
}

direct! {
    "pthread_sigmask" => pthread_sigmask;
    "raise" => raise;
    "sigaction" => sigaction;
    "sigaddset" => sigaddset;
    "sigdelset" => sigdelset;
    "sigemptyset" => sigemptyset;
    "sigfillset" => sigfillset;
    "sigismember" => sigismember;
    "sigpending" => sigpending;
    "sigtimedwait" => sigtimedwait;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::MaybeUninit;

    #[test]
    fn sets_are_those_of_c() {
        let mut ours = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: sets on this stack, initialised first.
        unsafe {
            let word = ours.as_mut_ptr().cast::<u64>();
            sigemptyset(word);
            assert_eq!(sigaddset(word, libc::SIGUSR1), 0);
            assert_eq!(sigaddset(word, 65), -1);
            assert_eq!(libc::sigismember(ours.as_ptr(), libc::SIGUSR1), 1);
            assert_eq!(sigismember(word, libc::SIGUSR2), 0);
            sigfillset(word);
            sigdelset(word, libc::SIGSYS);
            assert_eq!(libc::sigismember(ours.as_ptr(), libc::SIGSYS), 0);
        }
    }

    #[test]
    fn an_action_comes_back_as_c_has_set_it() {
        extern "C" fn handler(_: c_int) {}
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        let mut found = action;
        // SAFETY: structures on this stack, and a handler that does nothing.
        let found = unsafe {
            (*action.as_mut_ptr()).sa_sigaction = handler as *const () as usize;
            (*action.as_mut_ptr()).sa_flags = libc::SA_RESTART;
            libc::sigaddset(&raw mut (*action.as_mut_ptr()).sa_mask, libc::SIGUSR2);
            libc::sigaction(libc::SIGUSR1, action.as_ptr(), std::ptr::null_mut());
            assert_eq!(sigaction(libc::SIGUSR1, std::ptr::null(), found.as_mut_ptr()), 0);
            assert_eq!(sigaction(libc::SIGUSR1, found.as_ptr(), std::ptr::null_mut()), 0);
            libc::raise(libc::SIGUSR1);
            found.assume_init()
        };
        assert_eq!(found.sa_sigaction, handler as *const () as usize);
        assert_eq!(found.sa_flags & libc::SA_RESTART, libc::SA_RESTART);
        // SAFETY: reads the set.
        assert_eq!(unsafe { libc::sigismember(&raw const found.sa_mask, libc::SIGUSR2) }, 1);
    }
}
