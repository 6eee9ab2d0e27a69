//! The kernel's accounting of a thread: time on a core, time for which it wanted one, and numbers of context switches.

use crate::host::proc_file::{Path, field, lines, numbers};
use ompttrace_recording::events::RunDelay;
use std::ffi::CStr;

/// The accounting of the calling thread; `None` where the kernel does not report it.
pub(crate) fn of_caller() -> Option<RunDelay> {
    let times = times(c"/proc/thread-self/schedstat")?;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to memory for one `rusage`, for which all zeros is a value.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    let (voluntary, involuntary) = (usage.ru_nvcsw as u64, usage.ru_nivcsw as u64);
    Some(RunDelay { voluntary, involuntary, ..times })
}

/// Nanoseconds for which the calling thread wanted a core and had none; 0 where the kernel does not report it.
pub(crate) fn run_delay() -> u64 {
    times(c"/proc/thread-self/schedstat").map_or(0, |times| times.delay_ns)
}

/// Nanoseconds for which another thread of this process had a core.
pub(crate) fn run_time(thread: u64) -> Option<u64> {
    let path = Path::new(format_args!("/proc/self/task/{thread}/schedstat"))?;
    Some(times(path.as_c()?)?.run_ns)
}

/// The accounting of another thread of this process, by the kernel's number.
pub(crate) fn of(thread: u64) -> Option<RunDelay> {
    let path = |name| Path::new(format_args!("/proc/self/task/{thread}/{name}"));
    let times = times(path("schedstat")?.as_c()?)?;
    let (mut voluntary, mut involuntary) = (None, None);
    lines(path("status")?.as_c()?, |line| {
        field(line, "voluntary_ctxt_switches:", &mut voluntary);
        field(line, "nonvoluntary_ctxt_switches:", &mut involuntary);
    })?;
    Some(RunDelay { voluntary: voluntary?, involuntary: involuntary?, ..times })
}

/// A kernel that accounts nothing says 0 of a thread that runs.
fn times(path: &CStr) -> Option<RunDelay> {
    let mut found = None;
    lines(path, |line| {
        let mut numbers = numbers(line);
        let mut next = || numbers.next();
        found = next().zip(next()).zip(next());
    })?;
    let ((run_ns, delay_ns), slices) = found?;
    (slices > 0).then_some(RunDelay { run_ns, delay_ns, ..RunDelay::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree_and_sums_grow() {
        let before = of_caller().expect("schedstat");
        std::thread::sleep(std::time::Duration::from_millis(1));
        // SAFETY: a system call without arguments.
        let own = unsafe { libc::gettid() } as u64;
        let (there, after) = (of(own).expect("the same"), of_caller().expect("schedstat"));
        let pairs = [(before, there), (there, after)];
        for (one, other) in pairs {
            assert!(
                one.run_ns <= other.run_ns && one.delay_ns <= other.delay_ns,
                "{one:?} {other:?}"
            );
            assert!(one.voluntary <= other.voluntary && one.involuntary <= other.involuntary);
        }
        assert!(before.voluntary < after.voluntary);
        assert!(of(u64::from(u32::MAX)).is_none());
    }
}
