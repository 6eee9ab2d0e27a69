//! Finding fragments in an event file: where one begins, how much of it arrived, where the next is.

use super::holes;
use crate::fragment::{AROUND, FragmentHeader, HEADER_BYTES, MAGIC};
use crate::pool;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;

/// Bytes looked at in one go.
const STEP: usize = 1 << 16;

/// The part of a fragment that is in the file.
pub(super) struct Extent {
    /// Number of bytes of records.
    pub(super) bytes: u64,
    /// True if the writer did not finish the fragment.
    pub(super) torn: bool,
    /// Position in the file from which to look for the next fragment.
    pub(super) next: u64,
}

/// The sound header at `at`, if there is one, and the bytes of its fragment's area.
pub(super) fn header_at(file: &File, at: u64) -> io::Result<Option<(FragmentHeader, u32)>> {
    let mut bytes = [0; HEADER_BYTES];
    match file.read_exact_at(&mut bytes, at) {
        Ok(()) => Ok(FragmentHeader::parse(&bytes).filter(is_possible)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if a chunk can have the bytes of this header: whole words within the largest slot, and within their area.
fn is_possible((header, area): &(FragmentHeader, u32)) -> bool {
    let end = u64::from(header.offset) + u64::from(header.bytes);
    let fits = *area == 0 || u64::from(*area) >= AROUND as u64 + u64::from(header.bytes);
    fits && header.offset.is_multiple_of(8) && end <= pool::MAX_SLOT as u64
}

/// Finds out how much of the fragment at `at` is there, in a file of `length` bytes.
pub(super) fn extent(
    file: &File,
    at: u64,
    (header, area): (FragmentHeader, u32),
    length: u64,
) -> io::Result<Extent> {
    let body = at + HEADER_BYTES as u64;
    let end = body + u64::from(header.bytes);
    if area == 0 {
        let torn = end > length || (end < length && header_at(file, end)?.is_none());
        let next = if torn { next_header(file, body, length)?.min(end) } else { end };
        return Ok(Extent { bytes: next - body, torn, next });
    }
    let area_end = at + u64::from(area);
    if end + 8 <= length && word_at(file, end)? == header.mark(area) {
        return Ok(Extent { bytes: end - body, torn: false, next: area_end });
    }
    // A fragment within this one's area shows that the area is invalid.
    let next = next_header(file, body, length)?.min(area_end);
    // The last word may be one of which only the first bytes arrived. The writer knows of this rule
    // and goes on accordingly.
    let to = end.min(next);
    let whole = body + ((to - body) & !7);
    let bytes = match last_written(file, body, to)? - body {
        _ if any_written(file, whole, to)? => whole - body,
        written => written.saturating_sub(8),
    };
    Ok(Extent { bytes, torn: true, next: next.min(length) })
}

/// The end of the last word that is not 0 in `from..to`: what was not written reads as 0.
pub(super) fn last_written(file: &File, from: u64, to: u64) -> io::Result<u64> {
    let to = from + ((to - from) & !7);
    let written: Vec<_> = holes::all_data(file, from, to).collect();
    for data in written.into_iter().rev() {
        let begin = from + ((data.start - from) & !7);
        let end = from + (data.end - from).next_multiple_of(8);
        if let Some(last) = last_word(file, begin, end.min(to))? {
            return Ok(last);
        }
    }
    Ok(from)
}

/// The end of the last word that is not 0 among those in `from..to`.
fn last_word(file: &File, from: u64, to: u64) -> io::Result<Option<u64>> {
    let mut buffer = vec![0; STEP];
    let mut end = to;
    while end > from {
        let start = end.saturating_sub(STEP as u64).max(from);
        let Some(window) = buffer.get_mut(..(end - start) as usize) else { break };
        file.read_exact_at(window, start)?;
        let words = window.chunks_exact(8);
        if let Some(last) = words.rev().position(|word| word != [0; 8]) {
            return Ok(Some(end - 8 * last as u64));
        }
        end = start;
    }
    Ok(None)
}

/// Returns true if any byte in `from..to`, which is less than eight bytes, is not 0.
fn any_written(file: &File, from: u64, to: u64) -> io::Result<bool> {
    let mut bytes = [0; 8];
    let Some(window) = bytes.get_mut(..(to - from) as usize) else { return Ok(false) };
    file.read_exact_at(window, from)?;
    Ok(bytes != [0; 8])
}

/// The position of the next sound header at or after `from`; `length` when there is none.
pub(super) fn next_header(file: &File, from: u64, length: u64) -> io::Result<u64> {
    let mut buffer = vec![0; STEP + 7];
    let mut start = from;
    // It begins with a byte that is not 0, and so in no hole.
    while let Some(data) = holes::data(file, start, length) {
        start = data.start;
        let wanted = ((length - start) as usize).min(buffer.len());
        let Some(window) = buffer.get_mut(..wanted) else { break };
        file.read_exact_at(window, start)?;
        for (position, candidate) in window.windows(8).enumerate() {
            let found = start + position as u64;
            if candidate == MAGIC.to_ne_bytes() && header_at(file, found)?.is_some() {
                return Ok(found);
            }
        }
        start += STEP as u64;
    }
    Ok(length)
}

fn word_at(file: &File, at: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, at)?;
    Ok(u64::from_ne_bytes(bytes))
}
