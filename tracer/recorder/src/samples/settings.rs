//! How often threads are sampled, by which clock and which signal.

/// Which time of a thread goes from one sample to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleClock {
    /// That on a core, in its own code.
    Cpu,
}

impl SampleClock {
    /// Its number in records.
    pub(super) const fn number(self) -> u64 {
        match self {
            SampleClock::Cpu => 0,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Samples of each thread in a second of that time: 1 to [`Sampling::HIGHEST`].
    pub rate: u32,
    /// The time.
    pub clock: SampleClock,
    /// The signal, one of the real-time signals that the C library leaves to programs; 0: the last but two.
    pub signal: i32,
}

impl Sampling {
    /// More in a second nobody needs, and few kernels give.
    pub const HIGHEST: u32 = 10_000;

    /// Nanoseconds from one sample to the next of a thread. Threads differ by up to a hundredth, so that those of a
    /// team are not interrupted at the same time for ever.
    pub(super) fn period(self, thread: u64) -> u64 {
        let period = 1_000_000_000 / u64::from(self.rate.clamp(1, Sampling::HIGHEST));
        period + period / 100 * (thread % 32) / 32
    }

    /// The signal's number.
    pub(super) fn signal(self) -> i32 {
        if self.signal == 0 { libc::SIGRTMAX() - 2 } else { self.signal }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_a_second_by_the_rate_and_differ_a_little() {
        let sampling = Sampling { rate: 200, clock: SampleClock::Cpu, signal: 0 };
        let periods: Vec<u64> = (0..32).map(|thread| sampling.period(thread)).collect();
        assert_eq!(periods[0], 5_000_000);
        assert!(periods.is_sorted_by(|one, next| one < next) && periods[31] < 5_050_000);
        assert!((libc::SIGRTMIN()..=libc::SIGRTMAX()).contains(&sampling.signal()));
    }
}
