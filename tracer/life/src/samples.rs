//! The setting of samples, and what `recording.json` says of them.

use ompttrace_recorder::{SampleClock, Sampling, samples_summary};
use ompttrace_recording::facts::Samples;

/// What a setting may be.
pub(crate) const ALLOWED: &str = "off, or samples of each thread per second from 1 to 10000, with ,cpu or ,wall \
    for the clock and ,signal=N for a real-time signal, such as 200,wall,signal=40";

/// `off`, `200`, `200,wall`, `200,signal=40`; `None`: not allowed.
pub(crate) fn asked(text: &str) -> Option<Option<Sampling>> {
    if text == "off" {
        return Some(None);
    }
    let mut words = text.split(',').map(str::trim);
    let rate = words.next()?.parse().ok().filter(|rate| (1..=Sampling::HIGHEST).contains(rate))?;
    let mut sampling = Sampling { rate, clock: SampleClock::Cpu, signal: 0 };
    for word in words {
        match word.strip_prefix("signal=") {
            Some(number) => {
                sampling.signal = number.parse().ok().filter(|number| is_real_time(*number))?
            }
            None if word == "cpu" => sampling.clock = SampleClock::Cpu,
            None if word == "wall" => sampling.clock = SampleClock::Wall,
            None => return None,
        }
    }
    Some(Some(sampling))
}

fn is_real_time(signal: i32) -> bool {
    (libc::SIGRTMIN()..=libc::SIGRTMAX()).contains(&signal)
}

/// What is known by now.
pub(crate) fn facts() -> Samples {
    let summary = samples_summary().unwrap_or_default();
    let asked = summary.asked.map_or_else(String::new, |sampling| {
        let clock = match sampling.clock {
            SampleClock::Cpu => "cpu",
            SampleClock::Wall => "wall",
        };
        format!("{},{clock}", sampling.rate)
    });
    Samples {
        asked,
        why: summary.taken.map_or_else(String::new, |signal| {
            format!("the program has a handler for signal {signal}")
        }),
        perf: summary.refused.map_or_else(String::new, crate::cores::refused),
        threads: summary.threads,
        threads_by_timer: summary.by_timer,
        threads_without: summary.without,
        lost: summary.lost,
        longest_period_ns: summary.longest_period,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_a_rate_with_a_clock_and_a_signal() {
        let sampling =
            |text| asked(text).flatten().map(|sampling| (sampling.rate, sampling.signal));
        assert_eq!(asked("off"), Some(None));
        assert_eq!(sampling("200"), Some((200, 0)));
        assert_eq!(sampling("10000, cpu, signal=40"), Some((10_000, 40)));
        let clock = |text| asked(text).flatten().map(|sampling| sampling.clock);
        assert_eq!(clock("200"), Some(SampleClock::Cpu));
        assert_eq!(clock("200,wall"), Some(SampleClock::Wall));
        for wrong in
            ["", "0", "10001", "-1", "on", "200,gpu", "200,signal=9", "200,signal=", "200,"]
        {
            assert_eq!(asked(wrong), None, "{wrong}");
        }
    }
}
