//! A timer of the kernel's that sends the calling thread its signal: for wall time, and where perf events are refused.
//!
//! Its signal comes wherever the thread is, so system calls that are not restarted behind a handler may fail with EINTR.
//! At most one signal of a timer waits for its thread; the kernel counts those that come meanwhile. A timer has no
//! descriptor, is not inherited by a child, and is gone, with the signal that waits, when the program becomes another.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{null_mut, without_provenance_mut};

/// The kernel's information about a timer's signal: the begin of siginfo_t.
#[repr(C)]
struct Expired {
    signal: libc::c_int,
    error: libc::c_int,
    code: libc::c_int,
    spare: libc::c_int,
    timer: libc::c_int,
    overrun: libc::c_int,
    value: *mut c_void,
}

/// Sends the calling thread `signal` `first` nanoseconds of `clock` from now on and then every `period`, until
/// [`delete`] gets the number that this returns. `mark` is the word by which [`overrun`] knows it.
pub(super) fn start(
    clock: libc::clockid_t,
    (first, period): (u64, u64),
    signal: libc::c_int,
    mark: usize,
) -> Result<u32, i32> {
    let times = libc::itimerspec { it_interval: timespec(period), it_value: timespec(first) };
    let mut timer: libc::c_int = 0;
    // SAFETY: zeros are an event; the kernel reads it and the times, and fills the number. These are the kernel's calls:
    // the C library's functions of these names give numbers of its own, and lie elsewhere before glibc 2.34.
    unsafe {
        let mut event = MaybeUninit::<libc::sigevent>::zeroed().assume_init();
        event.sigev_value.sival_ptr = without_provenance_mut(mark);
        event.sigev_signo = signal;
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_notify_thread_id = libc::gettid();
        if libc::syscall(libc::SYS_timer_create, clock, &raw const event, &raw mut timer) != 0 {
            return Err(*libc::__errno_location());
        }
        let no_old = null_mut::<libc::itimerspec>();
        if libc::syscall(libc::SYS_timer_settime, timer, 0, &raw const times, no_old) != 0 {
            let error = *libc::__errno_location();
            libc::syscall(libc::SYS_timer_delete, timer);
            return Err(error);
        }
    }
    Ok(timer as u32)
}

/// Lets the timer send its signal every `period` nanoseconds from now on.
pub(super) fn pace(timer: u32, period: u64) {
    let times = libc::itimerspec { it_interval: timespec(period), it_value: timespec(period) };
    let no_old = null_mut::<libc::itimerspec>();
    // SAFETY: takes a number, which `start` returned, and reads the times.
    unsafe {
        libc::syscall(libc::SYS_timer_settime, timer as libc::c_int, 0, &raw const times, no_old)
    };
}

/// Ends the timer: the thread gets no more signals, except one that is on its way.
pub(super) fn delete(timer: u32) {
    // SAFETY: takes a number, which `start` returned.
    unsafe { libc::syscall(libc::SYS_timer_delete, timer as libc::c_int) };
}

/// The number of further expirations of a timer with this mark before its signal was delivered; `None` if the signal
/// came from no such timer.
pub(super) fn overrun(info: &libc::siginfo_t, mark: usize) -> Option<u64> {
    if info.si_code != libc::SI_TIMER {
        return None;
    }
    // SAFETY: of this code the kernel fills these fields, which lie within the structure.
    let expired = unsafe { &*(&raw const *info).cast::<Expired>() };
    (expired.value.addr() == mark).then_some(expired.overrun.max(0) as u64)
}

fn timespec(nanoseconds: u64) -> libc::timespec {
    const SECOND: u64 = 1_000_000_000;
    libc::timespec {
        tv_sec: (nanoseconds / SECOND) as libc::time_t,
        tv_nsec: (nanoseconds % SECOND) as libc::c_long,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timers_signal_has_its_mark_and_what_was_missed() {
        let (signal, wait) = (libc::SIGRTMAX() - 7, libc::timespec { tv_sec: 5, tv_nsec: 0 });
        // SAFETY: a set of this thread's own, and structures that the kernel fills.
        unsafe {
            let mut set = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
            libc::sigaddset(&raw mut set, signal);
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, null_mut());
            let timer = start(libc::CLOCK_MONOTONIC, (1, 1_000_000), signal, 77).expect("a timer");
            std::thread::sleep(std::time::Duration::from_millis(20));
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed().assume_init();
            assert_eq!(libc::sigtimedwait(&raw const set, &raw mut info, &raw const wait), signal);
            assert!(overrun(&info, 77).is_some_and(|missed| missed >= 10));
            assert_eq!(overrun(&info, 78), None);
            delete(timer);
        }
    }
}
