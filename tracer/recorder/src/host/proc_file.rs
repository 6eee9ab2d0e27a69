//! Small files of /proc, read without allocation and with little stack, of which a thread may have next to none.

use crate::host::openings::one_at_a_time;
use std::ffi::CStr;
use std::fmt::{self, Write};

/// Bytes that are read at a time.
const CHUNK: usize = 128;
/// Bytes of a line that count.
const LINE: usize = 64;

/// Passes the file's lines to `take`, the first [`LINE`] bytes of each; `None` if the file cannot be read.
pub(crate) fn lines(path: &CStr, take: impl FnMut(&[u8])) -> Option<()> {
    one_at_a_time(|| lines_of(path, take))
}

fn lines_of(path: &CStr, mut take: impl FnMut(&[u8])) -> Option<()> {
    // SAFETY: a zero-terminated path.
    let descriptor = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if descriptor < 0 {
        return None;
    }
    let (mut chunk, mut line) = ([0u8; CHUNK], Line::default());
    let last = loop {
        // SAFETY: the chunk has the length that is passed, the descriptor is ours.
        let read = unsafe { libc::read(descriptor, chunk.as_mut_ptr().cast(), CHUNK) };
        match usize::try_from(read) {
            Ok(0) | Err(_) => break read,
            Ok(read) => line.add(chunk.get(..read).unwrap_or_default(), &mut take),
        }
    };
    // SAFETY: our own descriptor.
    unsafe { libc::close(descriptor) };
    (last == 0).then_some(())
}

/// A line in the making.
struct Line {
    bytes: [u8; LINE],
    length: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line { bytes: [0; LINE], length: 0 }
    }
}

impl Line {
    fn add(&mut self, text: &[u8], take: &mut impl FnMut(&[u8])) {
        for byte in text {
            if *byte == b'\n' {
                take(self.bytes.get(..self.length).unwrap_or_default());
                self.length = 0;
            } else if let Some(slot) = self.bytes.get_mut(self.length) {
                *slot = *byte;
                self.length += 1;
            }
        }
    }
}

/// The numbers of a line.
pub(crate) fn numbers(line: &[u8]) -> impl Iterator<Item = u64> {
    let words = line.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    words.map(|digits| {
        digits.iter().fold(0u64, |sum, digit| {
            sum.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(b'0')))
        })
    })
}

/// Takes the number after a name, if the line begins with that.
pub(crate) fn field(line: &[u8], name: &str, to: &mut Option<u64>) {
    if let Some(rest) = line.strip_prefix(name.as_bytes()) {
        *to = numbers(rest).next();
    }
}

/// The calling thread's status according to /proc.
pub(crate) struct Status {
    /// KiB that the process has pinned: perf buffers beyond the user's own budget count there.
    pub(crate) pinned: u64,
    /// Number of the thread's seccomp filters; 0 where the kernel does not report it (before 5.9).
    pub(crate) filters: u64,
}

/// The calling thread's status; `None` if there is no /proc.
pub(crate) fn status() -> Option<Status> {
    let (mut pinned, mut filters) = (None, None);
    lines(c"/proc/thread-self/status", |line| {
        field(line, "VmPin:", &mut pinned);
        field(line, "Seccomp_filters:", &mut filters);
    })?;
    Some(Status { pinned: pinned?, filters: filters.unwrap_or(0) })
}

/// Nanoseconds by which the time namespace puts CLOCK_MONOTONIC ahead.
pub(crate) fn namespace_offset() -> i64 {
    let mut offset = None;
    let _ = lines(c"/proc/self/timens_offsets", |line| offset = offset.or(offset_of(line)));
    offset.unwrap_or(0)
}

/// Seconds and nanoseconds, of which the first may be negative, in nanoseconds.
fn offset_of(line: &[u8]) -> Option<i64> {
    let mut words =
        std::str::from_utf8(line).ok()?.strip_prefix("monotonic")?.split_ascii_whitespace();
    let mut next = || words.next()?.parse::<i64>().ok();
    next()?.checked_mul(1_000_000_000)?.checked_add(next()?)
}

/// A path that is put together without allocation.
pub(crate) struct Path {
    bytes: [u8; 64],
    length: usize,
}

impl Path {
    pub(crate) fn new(path: fmt::Arguments<'_>) -> Option<Path> {
        let mut made = Path { bytes: [0; 64], length: 0 };
        made.write_fmt(path).ok()?;
        Some(made)
    }

    pub(crate) fn as_c(&self) -> Option<&CStr> {
        CStr::from_bytes_until_nul(&self.bytes).ok()
    }
}

impl Write for Path {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            // The last byte stays zero.
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

    #[test]
    fn lines_come_whole_in_chunks_of_any_size() {
        let text = format!("first 1\n\n{}\nlast 99999999999999999999 3\nno end", "x".repeat(200));
        for size in [1, 7, 128, 1000] {
            let (mut line, mut found) = (Line::default(), Vec::new());
            for chunk in text.as_bytes().chunks(size) {
                line.add(chunk, &mut |line| found.push(String::from_utf8_lossy(line).into_owned()));
            }
            let [first, empty, long, last] = &found[..] else { panic!("{found:?}") };
            assert_eq!((first.as_str(), empty.len(), long.len()), ("first 1", 0, LINE));
            assert!(numbers(last.as_bytes()).eq([u64::MAX, 3]));
        }
    }

    #[test]
    fn fields_are_found_at_a_lines_start() {
        let mut found = None;
        for line in ["Name:\tVmPin: 7", "VmPin:\t      28 kB", "VmPinned: 9"] {
            field(line.as_bytes(), "VmPin:", &mut found);
        }
        assert_eq!(found, Some(28));
        let lines = ["monotonic        -2       500", "boottime 1 0", "monotonic 5"];
        assert_eq!(
            lines.map(|line| offset_of(line.as_bytes())),
            [Some(-1_999_999_500), None, None]
        );
    }

    #[test]
    fn this_thread_has_a_status() {
        assert_eq!(status().expect("/proc").pinned, 0);
        let path = Path::new(format_args!("/proc/self/task/{}/status", 12)).expect("short");
        assert_eq!(path.as_c(), Some(c"/proc/self/task/12/status"));
        assert!(Path::new(format_args!("{:070}", 1)).is_none());
        assert!(lines(c"/nonexistent", |_| ()).is_none());
        assert!(lines(c"/proc/self", |_| ()).is_none(), "a folder");
    }
}
