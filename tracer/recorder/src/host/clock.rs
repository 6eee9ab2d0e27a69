//! The clock of the records: the processor's counter, read by one instruction, and its clock pairs.
//!
//! If the counter is not sound, quanta's clock is used. If the program has forbidden to read the counter (PR_SET_TSC)
//! before the recording begins, the kernel's clock is used, by a system call, as the C library's clocks read the
//! counter too. In both cases no thread ever gets room on the fast path, and [`crate::slow`] stamps its events.

use crate::host::sync::{AtomicBool, Ordering};
use ompttrace_recording::facts::ClockPair;
use std::sync::OnceLock;

/// The clock of the ticks in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSource {
    /// The processor's counter.
    Counter,
    /// quanta's clock, in nanoseconds.
    Quanta,
    /// CLOCK_MONOTONIC, read by a system call.
    System,
}

impl ClockSource {
    /// Its name in `recording.json`.
    pub const fn name(self) -> &'static str {
        match self {
            ClockSource::Counter if cfg!(target_arch = "aarch64") => "cntvct",
            ClockSource::Counter => "tsc",
            ClockSource::Quanta => "quanta",
            ClockSource::System => "clock_gettime",
        }
    }
}

static UNSOUND: AtomicBool = AtomicBool::new(false);
/// True if reading the counter ends the program.
static FORBIDDEN: AtomicBool = AtomicBool::new(false);
static QUANTA: OnceLock<quanta::Clock> = OnceLock::new();

/// The processor's counter.
#[inline(always)]
pub fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // Two halves, which a record stores as they are; the intrinsic's one number would be put
        // together first.
        let (low, high): (u32, u32);
        // SAFETY: RDTSC has no operands and exists on every x86-64 processor.
        unsafe {
            core::arch::asm!(
                "rdtsc",
                out("eax") low,
                out("edx") high,
                options(nomem, nostack, preserves_flags)
            );
        }
        u64::from(low) | u64::from(high) << 32
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: reads the virtual counter, which Linux allows in user mode.
        unsafe {
            core::arch::asm!("mrs {0}, cntvct_el0", out(reg) ticks, options(nomem, nostack));
        }
        ticks
    }
}

/// Ticks of the records' clock.
#[inline]
pub fn ticks() -> u64 {
    if UNSOUND.load(Ordering::Relaxed) { other_ticks() } else { counter() }
}

#[cold]
fn other_ticks() -> u64 {
    if FORBIDDEN.load(Ordering::Relaxed) {
        return monotonic();
    }
    let clock = QUANTA.get_or_init(quanta::Clock::new);
    clock.delta_as_nanos(0, clock.raw())
}

/// The clock of the records, decided by `choose`.
pub fn clock_source() -> ClockSource {
    if !UNSOUND.load(Ordering::Relaxed) {
        ClockSource::Counter
    } else if FORBIDDEN.load(Ordering::Relaxed) {
        ClockSource::System
    } else {
        ClockSource::Quanta
    }
}

/// Chooses the clock, once, before the first event; `force_quanta` is for tests and doubtful machines.
pub(crate) fn choose(force_quanta: bool) -> ClockSource {
    if FORBIDDEN.load(Ordering::Relaxed) {
        UNSOUND.store(true, Ordering::Relaxed);
    } else if force_quanta || !counter_is_sound() {
        QUANTA.get_or_init(quanta::Clock::new);
        UNSOUND.store(true, Ordering::Relaxed);
    }
    clock_source()
}

/// Finds out if the calling thread may read the counter, before any clock is read. A later change by a thread is not
/// noticed.
pub fn heed_forbidden_counter() {
    #[cfg(target_arch = "x86_64")]
    {
        let mut allowed = libc::PR_TSC_ENABLE;
        // SAFETY: fills a number on this stack, or fails and leaves it.
        unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut allowed) };
        FORBIDDEN.store(allowed == libc::PR_TSC_SIGSEGV, Ordering::Relaxed);
    }
}

/// Returns true if the counter runs at one rate on all cores and in all sleep states.
///
/// The processor promises it (CPUID 0x80000007, EDX bit 8) and the kernel has not found otherwise:
/// it stops using the counter as its clock source when its watchdog sees it drift.
fn counter_is_sound() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::__cpuid;
        let promised =
            __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
        promised && kernel_trusts_counter()
    }
    #[cfg(target_arch = "aarch64")]
    {
        true
    }
}

#[cfg(target_arch = "x86_64")]
fn kernel_trusts_counter() -> bool {
    const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let distrusted = ["hpet", "acpi_pm", "jiffies", "refined-jiffies"];
    match std::fs::read_to_string(SOURCE) {
        Ok(name) => !distrusted.contains(&name.trim()),
        Err(_) => true,
    }
}

/// One instant on the records' clock and on CLOCK_MONOTONIC, from one attempt.
pub fn clock_pair() -> ClockPair {
    let before = ticks();
    let monotonic = monotonic();
    let after = ticks();
    ClockPair { ticks: before + after.wrapping_sub(before) / 2, monotonic }
}

/// The tightest of several clock pairs: a pair that was interrupted would tilt the whole time axis.
pub fn best_clock_pair() -> ClockPair {
    let mut best = (u64::MAX, ClockPair::default());
    for _ in 0..16 {
        let before = ticks();
        let monotonic = monotonic();
        let width = ticks().wrapping_sub(before);
        if width < best.0 {
            best = (width, ClockPair { ticks: before + width / 2, monotonic });
        }
    }
    best.1
}

/// CLOCK_MONOTONIC, nanoseconds.
pub(crate) fn monotonic() -> u64 {
    nanoseconds_of(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME, nanoseconds since 1970.
pub fn realtime() -> u64 {
    nanoseconds_of(libc::CLOCK_REALTIME)
}

/// Time of one of the kernel's clocks, in nanoseconds; 0 if there is no such clock.
pub fn nanoseconds_of(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec on this stack; a failure leaves it 0.
    unsafe {
        if FORBIDDEN.load(Ordering::Relaxed) {
            libc::syscall(libc::SYS_clock_gettime, clock, &raw mut time);
        } else {
            libc::clock_gettime(clock, &raw mut time);
        }
    }
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Our line through two clock pairs against quanta's own calibration.
    #[test]
    fn two_clock_pairs_agree_with_quanta() {
        let quanta = quanta::Clock::new();
        let (first, quanta_first) = (best_clock_pair(), quanta.raw());
        std::thread::sleep(Duration::from_millis(100));
        let (last, quanta_last) = (best_clock_pair(), quanta.raw());
        let ours = (last.monotonic - first.monotonic) as f64;
        let theirs = quanta.delta_as_nanos(quanta_first, quanta_last) as f64;
        assert!((ours / theirs - 1.0).abs() < 0.02, "ours {ours} ns, quanta {theirs} ns");
    }

    #[test]
    fn pairs_do_not_run_backwards() {
        let pairs: Vec<_> = (0..100).map(|_| clock_pair()).collect();
        assert!(pairs.is_sorted_by(|a, b| a.ticks <= b.ticks && a.monotonic <= b.monotonic));
    }
}
