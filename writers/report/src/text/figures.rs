//! Figures as people read them: three digits and a unit.

/// Nanoseconds: `12.3 ms`.
pub fn duration(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    let (value, unit) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (value / 1e3, "us"),
        1_000_000..1_000_000_000 => (value / 1e6, "ms"),
        1_000_000_000..600_000_000_000 => (value / 1e9, "s"),
        600_000_000_000..36_000_000_000_000 => (value / 6e10, "min"),
        36_000_000_000_000..3_600_000_000_000_000 => (value / 3.6e12, "h"),
        _ => (value / 8.64e13, "d"),
    };
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$} {unit}")
}

/// A share: `31%`, `0.4%`.
pub fn percent(share: f64) -> String {
    let value = 100.0 * share;
    let digits = usize::from(value != 0.0 && value < 9.95);
    format!("{value:.digits$}%")
}

/// A part of a whole as a share, empty where there is nothing.
pub(crate) fn part(part: u64, whole: u64) -> String {
    match (part, whole) {
        (0, _) | (_, 0) => "-".into(),
        (part, whole) => percent(part as f64 / whole as f64),
    }
}

/// A ratio: `2.1x`.
pub fn times(ratio: f64) -> String {
    format!("{ratio:.1}x")
}

/// A count: `1,234` as `1234`, large ones as `12.3 M`.
pub(crate) fn count(value: u64) -> String {
    match value {
        0..100_000 => value.to_string(),
        100_000..1_000_000 => format!("{:.0} k", value as f64 / 1e3),
        _ => format!("{:.1} M", value as f64 / 1e6),
    }
}

/// Bytes: `512 B`, `1.50 KiB`.
pub(crate) fn bytes(value: u64) -> String {
    let mut shown = value as f64;
    for unit in ["B", "KiB", "MiB", "GiB", "TiB"] {
        if shown < 1023.5 || unit == "TiB" {
            let digits = match unit {
                "B" => 0,
                _ if shown < 9.995 => 2,
                _ => usize::from(shown < 99.95),
            };
            return format!("{shown:.digits$} {unit}");
        }
        shown /= 1024.0;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let reported = [7, 1_500, 12_345, 999_999, 123_456_789, 9_996_000_000, 90_000_000_000];
        let words = ["7 ns", "1.50 us", "12.3 us", "1000 us", "123 ms", "10.0 s", "90.0 s"];
        assert_eq!(reported.map(duration), words);
        assert_eq!(
            [0.0, 0.004, 0.0995, 0.31, 1.0].map(percent),
            ["0%", "0.4%", "10%", "31%", "100%"]
        );
    }

    #[test]
    fn bytes_are_in_powers_of_1024() {
        let sizes = [0, 1023, 1024, 1536, 10 << 20, 1 << 42, 1 << 52];
        let words = ["0 B", "1023 B", "1.00 KiB", "1.50 KiB", "10.0 MiB", "4.00 TiB", "4096 TiB"];
        assert_eq!(sizes.map(bytes), words);
    }
}
