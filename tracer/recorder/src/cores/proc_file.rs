//! Small files of /proc, read without allocation, and what of them is needed.

use std::ffi::CStr;
use std::fmt::{self, Write};

/// More than any status file takes.
const LARGEST: usize = 4096;

/// The text of a small file.
pub(super) struct Text {
    bytes: [u8; LARGEST],
    length: usize,
}

impl Text {
    /// Reads the file at `path`; `None` where it cannot be read.
    pub(super) fn read(path: &CStr) -> Option<Text> {
        let mut text = Text { bytes: [0; LARGEST], length: 0 };
        // SAFETY: a zero-terminated path; the bytes have the length that is passed; the descriptor is ours, and closed.
        let read = unsafe {
            let descriptor = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            if descriptor < 0 {
                return None;
            }
            let read = libc::read(descriptor, text.bytes.as_mut_ptr().cast(), LARGEST);
            libc::close(descriptor);
            read
        };
        text.length = usize::try_from(read).ok()?;
        Some(text)
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The numbers of a file that has nothing else.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.bytes()
            .split(|byte| !byte.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .map(number)
    }

    /// The number behind a name at a line's start.
    pub(super) fn field(&self, name: &str) -> Option<u64> {
        let mut lines = self.bytes().split(|byte| *byte == b'\n');
        let rest = lines.find_map(|line| line.strip_prefix(name.as_bytes()))?;
        let mut words = rest.split(|byte| !byte.is_ascii_digit());
        words.find(|digits| !digits.is_empty()).map(number)
    }
}

impl Text {
    /// The time of so many seconds and nanoseconds behind a name at a line's start, in nanoseconds.
    fn offset(&self, name: &str) -> Option<i64> {
        let mut lines = std::str::from_utf8(self.bytes()).ok()?.lines();
        let mut words = lines.find_map(|line| line.strip_prefix(name))?.split_ascii_whitespace();
        let mut next = || words.next()?.parse::<i64>().ok();
        next()?.checked_mul(1_000_000_000)?.checked_add(next()?)
    }
}

fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0u64, |sum, digit| {
        sum.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0')))
    })
}

/// What /proc says of the calling thread.
pub(super) struct Status {
    /// KiB that its process has pinned: where a perf buffer goes that its own budget does not bear.
    pub(super) pinned: u64,
    /// Its seccomp filters; 0 where the kernel does not say (before 5.9).
    pub(super) filters: u64,
}

/// `None` where there is no /proc.
pub(super) fn status() -> Option<Status> {
    let text = Text::read(c"/proc/thread-self/status")?;
    Some(Status {
        pinned: text.field("VmPin:")?,
        filters: text.field("Seccomp_filters:").unwrap_or(0),
    })
}

/// Nanoseconds by which the time namespace puts CLOCK_MONOTONIC ahead.
pub(super) fn namespace_offset() -> i64 {
    Text::read(c"/proc/self/timens_offsets").and_then(|text| text.offset("monotonic")).unwrap_or(0)
}

/// A path that is put together without allocation.
pub(super) struct Path {
    bytes: [u8; 64],
    length: usize,
}

impl Path {
    pub(super) fn new(path: fmt::Arguments<'_>) -> Option<Path> {
        let mut made = Path { bytes: [0; 64], length: 0 };
        made.write_fmt(path).ok()?;
        Some(made)
    }

    pub(super) fn as_c(&self) -> Option<&CStr> {
        CStr::from_bytes_until_nul(&self.bytes).ok()
    }
}

impl Write for Path {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // The last place stays zero.
            let free = self.length < self.bytes.len() - 1;
            *self.bytes.get_mut(self.length).filter(|_| free).ok_or(fmt::Error)? = byte;
            self.length += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> Text {
        let mut text = Text { bytes: [0; LARGEST], length: of.len() };
        text.bytes[..of.len()].copy_from_slice(of.as_bytes());
        text
    }

    #[test]
    fn fields_and_numbers_are_found() {
        let status =
            text("Name:\tVmPin: 7\nVmPin:\t      28 kB\nSeccomp:\t2\nSeccomp_filters:\t3\n");
        assert_eq!(
            ["VmPin:", "Seccomp_filters:", "None:"].map(|name| status.field(name)),
            [Some(28), Some(3), None]
        );
        assert!(text("12 345 6\n").numbers().eq([12, 345, 6]));
        let offsets = text("monotonic        -2       500\nboottime 1 0\n");
        assert_eq!(
            ["monotonic", "boottime", "none"].map(|name| offsets.offset(name)),
            [Some(-1_999_999_500), Some(1_000_000_000), None]
        );
        assert!(text("99999999999999999999 1").numbers().eq([u64::MAX, 1]));
    }

    #[test]
    fn this_thread_has_a_status() {
        let status = status().expect("/proc");
        assert_eq!(status.pinned, 0);
        let path = Path::new(format_args!("/proc/self/task/{}/status", 12)).expect("short");
        assert_eq!(path.as_c(), Some(c"/proc/self/task/12/status"));
        assert!(Path::new(format_args!("{:070}", 1)).is_none());
        assert!(Text::read(c"/nonexistent").is_none());
    }
}
