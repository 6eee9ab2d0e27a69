//! The time at which this process began, as exactly as the process itself can determine it.
//!
//! The kernel reports it in /proc/self/stat, on CLOCK_BOOTTIME and rounded down to its ticks of mostly 10 ms. The time
//! of a time namespace is included both in the reported time and in that clock, so only their difference counts. The
//! CPU time of the initial thread since then is a bound from the other side.

/// Nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

/// The latest time at which the process can have begun, on CLOCK_MONOTONIC in nanoseconds: all time after it is the
/// process's own for sure. If the machine slept since then, the time is too early by that sleep, which only one of the
/// two clocks counts.
pub(crate) fn began() -> Option<u64> {
    let (ticks, tick) = (ompttrace_recorder::Owner::this().start, tick()?);
    let clock = ompttrace_recorder::nanoseconds_of;
    let (now, since_boot) = (clock(libc::CLOCK_MONOTONIC), clock(libc::CLOCK_BOOTTIME));
    let age = age(ticks.checked_mul(tick).filter(|start| *start > 0)?, tick, since_boot)?;
    Some(now.saturating_sub(age.max(computed())))
}

/// Minimum time since a start that was rounded down to a tick, in nanoseconds; `None` if the start is in the future.
fn age(start: u64, tick: u64, now: u64) -> Option<u64> {
    (start <= now).then(|| now.saturating_sub(start + (tick - 1)))
}

/// Length of the kernel's ticks, in nanoseconds; `None` if it is unknown.
fn tick() -> Option<u64> {
    // SAFETY: asks for a number.
    let each_second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
    SECOND.checked_div(each_second).filter(|tick| *tick > 0)
}

/// CPU time of the calling thread in nanoseconds, if it is the initial thread of the process; else 0.
fn computed() -> u64 {
    // SAFETY: system calls without arguments that cannot fail.
    let first = unsafe { libc::gettid() == libc::getpid() };
    if first { ompttrace_recorder::nanoseconds_of(libc::CLOCK_THREAD_CPUTIME_ID) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{age, began};

    #[test]
    fn a_start_that_was_cut_is_not_taken_for_an_earlier_one() {
        assert_eq!(age(1_000, 100, 5_000), Some(3_901));
        assert_eq!(age(1_000, 100, 1_050), Some(0), "it began within this tick");
        assert_eq!(age(1_000, 100, 999), None);
    }

    #[test]
    fn this_process_began_a_short_while_ago() {
        let began = began().expect("/proc is there");
        let age = ompttrace_recorder::nanoseconds_of(libc::CLOCK_MONOTONIC) - began;
        assert!(age < 3_600_000_000_000, "{age}");
    }
}
