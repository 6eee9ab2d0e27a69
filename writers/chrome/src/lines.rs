//! Lines of the array: an event each, assembled from parts that are already escaped.

use std::io::{self, Write};

use ompttrace_model::Mark;

use crate::category::{Category, fragment};
use crate::counters::Names;
use crate::output::Output;
use crate::tracks::Track;

/// Size of a block in bytes: when the buffer has reached it, it is written.
const BLOCK: usize = 256 << 10;
/// Size in bytes that the longest line seldom exceeds.
const SPARE: usize = 8 << 10;

/// Category, name and arguments of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub(crate) category: Category,
    /// Name of the event, escaped and in quotes.
    pub(crate) name: &'a [u8],
    /// Escaped pairs, each with a comma after it.
    pub(crate) args: &'a [u8],
}

/// The part of a flow that a line writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowPhase {
    Start,
    Step,
    End,
}

/// The array under way.
#[derive(Debug)]
pub(crate) struct Lines<W: Write> {
    output: Output<W>,
    buffer: Vec<u8>,
    /// Time that is reported as 0, in nanoseconds.
    begin: u64,
    lines: u64,
    /// True if a line was written already.
    goes_on: bool,
}

impl<W: Write> Lines<W> {
    pub(crate) fn new(output: Output<W>) -> Self {
        let buffer = Vec::with_capacity(BLOCK + SPARE);
        Lines { output, buffer, begin: 0, lines: 0, goes_on: false }
    }

    /// Lines of a window of the run, which are appended to others.
    pub(crate) fn of_window(output: Output<W>) -> Self {
        Lines { goes_on: true, ..Lines::new(output) }
    }

    /// Appends lines of a window.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() >= BLOCK {
            self.pass_on();
        }
        if bytes.len() < BLOCK {
            return self.put(bytes);
        }
        self.output.write_block(bytes);
    }

    /// Counts lines that were appended.
    pub(crate) fn add_lines(&mut self, lines: u64) {
        self.lines += lines;
    }

    /// Sets the time that is reported as 0.
    pub(crate) fn start_at(&mut self, begin: u64) {
        self.begin = begin;
    }

    pub(crate) fn check(&self) -> io::Result<()> {
        self.output.check()
    }

    /// Number of bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.output.bytes() + self.buffer.len() as u64
    }

    /// Begins a slice on a track.
    #[inline]
    pub(crate) fn begin(&mut self, track: &Track, at: u64, event: &Event<'_>) {
        self.open(b"{\"ph\":\"B\",", track, at);
        self.describe(event);
        self.close();
    }

    /// Ends the innermost slice of the track. Most ends have no arguments.
    #[inline]
    pub(crate) fn end(&mut self, track: &Track, at: u64, mark: Mark) {
        self.open(b"{\"ph\":\"E\",", track, at);
        match mark {
            Mark::Observed => {}
            Mark::Inferred => self.put(b",\"args\":{\"end\":\"inferred\"}"),
            Mark::Cut => self.put(b",\"args\":{\"end\":\"cut\"}"),
        }
        self.close();
    }

    /// Writes an event without duration on a track.
    #[inline]
    pub(crate) fn instant(&mut self, track: &Track, at: u64, event: &Event<'_>) {
        self.open(b"{\"ph\":\"i\",\"s\":\"t\",", track, at);
        self.describe(event);
        self.close();
    }

    /// Writes an event without duration that concerns a whole process.
    pub(crate) fn process_instant(&mut self, track: &Track, at: u64, event: &Event<'_>) {
        self.open(b"{\"ph\":\"i\",\"s\":\"p\",", track, at);
        self.describe(event);
        self.close();
    }

    /// Writes that a flow leaves, passes or enters the slice that was begun last on the track.
    pub(crate) fn flow(
        &mut self,
        track: &Track,
        at: u64,
        phase: FlowPhase,
        name: &str,
        number: u64,
    ) {
        match phase {
            FlowPhase::Start => self.open(b"{\"ph\":\"s\",", track, at),
            FlowPhase::Step => self.open(b"{\"ph\":\"t\",\"bp\":\"e\",", track, at),
            FlowPhase::End => self.open(b"{\"ph\":\"f\",\"bp\":\"e\",", track, at),
        }
        self.put(b",\"cat\":\"openmp.flow\",\"name\":\"");
        self.put(name.as_bytes());
        self.put(b"\",\"id\":");
        self.put(itoa::Buffer::new().format(number).as_bytes());
        self.close();
    }

    /// Writes the value of a process's counter. Viewers show both parts of its name.
    pub(crate) fn counter(&mut self, track: &Track, at: u64, names: &Names, value: &str) {
        self.open(b"{\"ph\":\"C\",", track, at);
        self.put(b",\"name\":");
        self.put(&names.name);
        self.put(b",\"args\":{");
        self.put(&names.series);
        self.put(b":");
        self.put(value.as_bytes());
        self.put(b"}");
        self.close();
    }

    /// Writes a property of a process or a thread. `args` is a JSON object.
    pub(crate) fn metadata(&mut self, track: &Track, name: &str, args: &serde_json::Value) {
        self.separate();
        self.put(b"{\"ph\":\"M\",");
        self.put(track.timeless());
        self.put(format!(",\"name\":\"{name}\",\"args\":{args}").as_bytes());
        self.close();
    }

    #[inline]
    fn open<const N: usize>(&mut self, phase: &[u8; N], track: &Track, at: u64) {
        self.separate();
        self.put(phase);
        self.put(track.text());
        put_time(&mut self.buffer, at.saturating_sub(self.begin));
    }

    /// Writes the comma after the previous line, so that a file that ends with any line is complete except for the
    /// bracket.
    #[inline]
    fn separate(&mut self) {
        let between: &[u8; 2] = if self.goes_on { b",\n" } else { b"[\n" };
        self.goes_on = true;
        self.put(between);
    }

    #[inline]
    fn describe(&mut self, event: &Event<'_>) {
        self.put(fragment(event.category));
        self.put(event.name);
        if let Some((_, args)) = event.args.split_last() {
            self.put(b",\"args\":{");
            self.put(args);
            self.put(b"}");
        }
    }

    #[inline]
    fn close(&mut self) {
        self.put(b"}");
        self.lines += 1;
        if self.buffer.len() >= BLOCK {
            self.pass_on();
        }
    }

    #[inline]
    fn put(&mut self, text: &[u8]) {
        self.buffer.extend_from_slice(text);
    }

    #[cold]
    fn pass_on(&mut self) {
        self.output.write_block(&self.buffer);
        self.buffer.clear();
    }

    /// Closes the array; returns the numbers of lines and bytes.
    pub(crate) fn finish(mut self) -> io::Result<(u64, u64)> {
        let bracket: &[u8] = if self.goes_on { b"\n]\n" } else { b"[]\n" };
        self.put(bracket);
        self.pass_on();
        Ok((self.lines, self.output.finish()?))
    }

    /// The writer with the lines of a window since the last call, and the number of those lines; later lines go to
    /// `next`.
    pub(crate) fn take_part(&mut self, next: W) -> (W, u64) {
        self.pass_on();
        (self.output.replace_writer(next), std::mem::take(&mut self.lines))
    }

    /// The writer with the lines of a window since the last [`Lines::take_part`], and the number of those lines.
    pub(crate) fn into_window(mut self) -> io::Result<(W, u64)> {
        self.pass_on();
        Ok((self.output.into_writer()?, self.lines))
    }
}

/// Nanoseconds as microseconds with three decimals.
#[inline]
fn put_time(out: &mut Vec<u8>, nanoseconds: u64) {
    let (micros, rest) = (nanoseconds / 1000, (nanoseconds % 1000) as u32);
    out.extend_from_slice(itoa::Buffer::new().format(micros).as_bytes());
    let digit = |number: u32| b'0' + (number % 10) as u8;
    out.extend_from_slice(&[b'.', digit(rest / 100), digit(rest / 10), digit(rest)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_three_decimals() {
        for (nanoseconds, text) in [
            (0, "0.000"),
            (7, "0.007"),
            (1_000, "1.000"),
            (123_456_789_012_345_670, "123456789012345.670"),
            (u64::MAX, "18446744073709551.615"),
        ] {
            let mut out = Vec::new();
            put_time(&mut out, nanoseconds);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }

    #[test]
    fn an_empty_array_is_whole() {
        let mut out = Vec::new();
        Lines::new(Output::new(&mut out)).finish().unwrap();
        assert_eq!(out, b"[]\n");
    }
}
