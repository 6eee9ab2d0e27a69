//! Times and signals of samples, according to the settings.

use ompttrace_recording::events::SamplesBegin;
use ompttrace_recording::settings::{SampleClock, Sampling};

/// The signal where none is chosen. At most one of it waits for a thread, however long the program blocks it; it is
/// ignored where nobody handles it, so that one too many ends no program; and debuggers let it pass.
pub(super) const SIGNAL: i32 = libc::SIGURG;

/// Times and signals that follow from a [`Sampling`].
pub(super) trait Timing {
    /// Nanoseconds from one sample to the next of a thread. Threads differ by up to a thirty-second, so that those of a
    /// team are not interrupted at the same time for ever.
    fn period(self, thread: u64) -> u64;

    /// The kernel's clock for timers of the calling thread.
    fn clock_id(self) -> libc::clockid_t;

    /// The record that samples with this period begin with.
    fn begin(self, period: u64) -> SamplesBegin;

    /// The signal's number.
    fn signal(self) -> i32;

    /// True if a perf event can send it. Not a real-time signal: those of perf events queue up without limit while the
    /// program blocks them, and where the user's queue is full the kernel sends SIGIO instead, which ends the program.
    /// A timer has only one on its way.
    fn may_be_perfs(self) -> bool;
}

impl Timing for Sampling {
    fn period(self, thread: u64) -> u64 {
        let period = 1_000_000_000 / u64::from(self.rate.clamp(1, Sampling::HIGHEST));
        period + part(period / 32, thread)
    }

    fn clock_id(self) -> libc::clockid_t {
        match self.clock {
            SampleClock::Cpu => libc::CLOCK_THREAD_CPUTIME_ID,
            SampleClock::Wall => libc::CLOCK_MONOTONIC,
        }
    }

    fn begin(self, period: u64) -> SamplesBegin {
        let clock = u64::from(self.clock == SampleClock::Wall);
        SamplesBegin { period, clock, signal: self.signal() as u64 }
    }

    fn signal(self) -> i32 {
        if self.signal == 0 { SIGNAL } else { self.signal }
    }

    fn may_be_perfs(self) -> bool {
        self.clock == SampleClock::Cpu && self.signal() < libc::SIGRTMIN()
    }
}

/// Nanoseconds to the first sample, where that can be chosen: each thread's another part of a period.
pub(super) fn first(thread: u64, period: u64) -> u64 {
    part(period, thread).max(1)
}

/// A part of `whole` that differs much between neighbours: by the golden ratio.
fn part(whole: u64, thread: u64) -> u64 {
    let fraction = thread.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    whole.saturating_mul(fraction) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLING: Sampling = Sampling { rate: 200, clock: SampleClock::Cpu, signal: 0 };

    #[test]
    fn periods_are_a_second_by_the_rate_and_differ_a_little() {
        let periods: Vec<u64> = (0..32).map(|thread| SAMPLING.period(thread)).collect();
        assert_eq!(periods[0], 5_000_000);
        assert!(periods.iter().all(|period| (5_000_000..5_156_250).contains(period)));
        assert!(periods.windows(2).all(|two| two[0].abs_diff(two[1]) > 20_000), "{periods:?}");
    }

    #[test]
    fn first_samples_are_spread_over_a_period() {
        let mut firsts: Vec<u64> =
            (0..64).map(|thread| first(thread, SAMPLING.period(thread))).collect();
        firsts.sort_unstable();
        let gaps = firsts.windows(2).map(|two| two[1] - two[0]);
        assert!(gaps.max() < Some(5_000_000 / 16) && firsts[63] > 4_500_000);
    }

    #[test]
    fn real_time_signals_come_from_timers() {
        assert!(SAMPLING.may_be_perfs());
        assert!(!Sampling { signal: libc::SIGRTMIN(), ..SAMPLING }.may_be_perfs());
        assert!(!Sampling { clock: SampleClock::Wall, ..SAMPLING }.may_be_perfs());
    }
}
