//! Times and sizes as people write them: `2.5s`, `300us`, `500MB`.

use ompttrace_recording::settings::{measure, size};

const TIMES: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("", 1e9)];

/// Minimum length of a bin, in nanoseconds: shorter bins would be as many as events.
const SMALLEST_BIN: u64 = 1_000;

/// A time in nanoseconds.
pub fn time(text: &str) -> Result<u64, String> {
    let allowed = || "a time such as 2.5s, 300ms, 10us, 5ns or 1min".to_owned();
    measure(text, &TIMES).ok_or_else(allowed)
}

/// Length of a bin, in nanoseconds.
pub fn bin(text: &str) -> Result<u64, String> {
    let bin = time(text).ok().filter(|bin| *bin >= SMALLEST_BIN);
    bin.ok_or_else(|| "a time of at least 1us, such as 100ms or 1min".to_owned())
}

/// The size of a part in bytes.
pub fn part(text: &str) -> Result<u64, String> {
    size(text).ok_or_else(|| "a size of at least 1MB, such as 500MB or 2G".to_owned())
}

/// A part of something, as a share.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    let plain = number.bytes().all(|letter| letter.is_ascii_digit() || letter == b'.');
    let percent = number.parse::<f64>().ok().filter(|percent| plain && *percent <= 1000.0);
    percent.map(|percent| percent / 100.0).ok_or_else(|| "a part such as 5% or 2.5%".to_owned())
}

/// The words about a time window that is empty.
pub fn empty_window(from: u64, to: u64) -> Option<String> {
    let words = || {
        let [from, to] = [from, to].map(in_words);
        format!("--from {from} --to {to}: the time window is empty")
    };
    (from >= to).then(words)
}

/// Nanoseconds as a time that `time` takes.
pub fn in_words(nanoseconds: u64) -> String {
    let text = format!("{:.9}", nanoseconds as f64 / 1e9);
    format!("{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_are_seconds_without() {
        for (text, time) in [
            ("2.0s", 2_000_000_000),
            ("2.5", 2_500_000_000),
            ("300 us", 300_000),
            ("1ns", 1),
            ("0", 0),
            ("1.5min", 90_000_000_000),
        ] {
            assert_eq!(super::time(text), Ok(time), "{text}");
        }
        for wrong in ["", "s", "-1s", "1h", "2.5.1s", "1e9", "99999999999s", "nan"] {
            assert!(super::time(wrong).is_err_and(|allowed| allowed.contains("2.5s")), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_decimal_with_a_b() {
        for (text, size) in
            [("500MB", 500_000_000), ("1m", 1 << 20), ("1.5G", 3 << 29), ("2GiB", 2 << 30)]
        {
            assert_eq!(part(text), Ok(size), "{text}");
        }
        for wrong in ["", "1000", "900K", "0.5M", "1T", "M"] {
            assert!(part(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_are_percent() {
        assert_eq!([percent("5%"), percent("2.5")], [Ok(0.05), Ok(0.025)]);
        for wrong in ["", "%", "-5%", "5 percent", "nan", "1e2", "2000%"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_are_read_again() {
        for time in [0, 1, 10, 1_500, 2_500_000_000, 61_000_000_001] {
            assert_eq!(super::time(&in_words(time)), Ok(time));
        }
        assert_eq!(in_words(2_500_000_000), "2.5s");
    }
}
