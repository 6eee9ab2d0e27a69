//! The file of one location's events, in OTF2's own encoding.
//!
//! A file is a sequence of chunks of one size. A chunk begins with a header and is filled up with zeros; the last one is
//! truncated after its end. A time stamp precedes the first of the records that share it. A record is a code, the length
//! of its data (absent for Enter and Leave), and the data. Numbers take as few bytes as they need, after their count. This
//! does not use libotf2, whose calls took a fifth of the instructions of an export; a test compares the bytes with its own.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::record::Record;
use crate::Error;

/// Size of a chunk, in bytes: the minimum that libotf2 accepts.
pub(super) const CHUNK: usize = otf2_sys::OTF2_CHUNK_SIZE_MIN as usize;
/// Size of a location's buffer, in bytes; it grows for a record that needs more.
const BUFFER: usize = 32 << 10;
/// Maximum size of a record without a list, in bytes; below, that of the records of which there are most, and bytes after it that are
/// written with it.
const MOST: usize = 48;
pub(super) const SHORT: usize = 32;
const TIME_STAMP_SIZE: usize = 9;
/// Bytes that a write may touch after the end of a record, since numbers are written as words and lists as a whole.
pub(super) const SLACK: usize = 64;

const END_OF_BUFFER: u8 = 1;
const END_OF_FILE: u8 = 2;
const HEADER: u8 = 3;
const LITTLE_ENDIAN: u8 = b'B';
const TIME_STAMP: u8 = 5;
/// Offset in a chunk's header of the number of its last event; below, size of the header. Both in bytes.
const LAST_EVENT: u64 = 10;
const HEADER_SIZE: usize = 18;

/// The file of one location.
#[derive(Debug)]
pub(super) struct EventFile {
    path: PathBuf,
    /// The open file, from the second chunk on. Before that it is opened for each write, since there may be many
    /// locations.
    file: Option<File>,
    /// Bytes that are not written yet, followed by room for [`SLACK`].
    buffer: Vec<u8>,
    used: usize,
    /// Offset in the buffer at which records must end, in bytes.
    limit: usize,
    /// Offset of the buffer in the file; below, offset of the last chunk. Both in bytes.
    written: u64,
    chunk: u64,
    /// The time stamp that was written last, which also holds for a next record of that time.
    time: Option<u64>,
    events: u64,
    /// The error after which nothing more is written.
    failed: Option<Error>,
}

impl EventFile {
    pub(super) fn new(path: PathBuf) -> EventFile {
        EventFile {
            path,
            file: None,
            buffer: Vec::new(),
            used: 0,
            limit: 0,
            written: 0,
            chunk: 0,
            time: None,
            events: 0,
            failed: None,
        }
    }

    /// Time of the last event, in nanoseconds.
    #[inline]
    pub(super) fn last(&self) -> u64 {
        self.time.unwrap_or(0)
    }

    /// Returns the error that occurred since the last call, if any: events are too many for a check after each.
    pub(super) fn check(&mut self) -> Result<(), Error> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Writes an event with data. One that would be before the last event has the time of that one, here and below.
    #[inline(always)]
    pub(super) fn event(&mut self, at: u64, code: u8, data: impl FnOnce(&mut Record<'_>)) {
        self.record(at, MOST, |record| record.part(code, 0, data));
    }

    /// Writes an event of any number of parts, which take so many bytes at most.
    #[inline(always)]
    pub(super) fn record(&mut self, at: u64, most: usize, write: impl FnOnce(&mut Record<'_>)) {
        if self.begins(at, most)
            && let Some(to) = self.buffer.get_mut(self.used..self.used + most + SLACK)
        {
            self.used += Record::written(to, write);
        }
    }

    /// Writes an event without a list: `write` returns its size, and may touch all bytes of the array.
    #[inline(always)]
    pub(super) fn short(&mut self, at: u64, write: impl FnOnce(&mut [u8; SHORT]) -> usize) {
        self.array(at, MOST, write);
    }

    /// Writes an event of at most so many bytes, as [`EventFile::short`]. The array has at most [`SLACK`] bytes more.
    #[inline(always)]
    pub(super) fn array<const N: usize>(
        &mut self,
        at: u64,
        most: usize,
        write: impl FnOnce(&mut [u8; N]) -> usize,
    ) {
        if self.begins(at, most)
            && let Some(to) = self.buffer.get_mut(self.used..).and_then(<[u8]>::first_chunk_mut)
        {
            self.used += write(to);
        }
    }

    /// Writes the time stamp of an event that takes so many bytes at most, if it needs one. Returns false after an error.
    #[inline(always)]
    fn begins(&mut self, at: u64, most: usize) -> bool {
        let most = TIME_STAMP_SIZE + most;
        if self.limit < self.used + most && !self.has_room(at, most) {
            return false;
        }
        self.events += 1;
        if self.time.is_none_or(|last| at > last) {
            self.time = Some(at);
            if let Some(to) = self.buffer.get_mut(self.used..)
                && let Some([code, time @ ..]) = to.first_chunk_mut::<TIME_STAMP_SIZE>()
            {
                *code = TIME_STAMP;
                *time = at.to_le_bytes();
            }
            self.used += TIME_STAMP_SIZE;
        }
        true
    }

    /// Makes room for a time stamp and a record of at most so many bytes, unless that fails or has failed.
    #[cold]
    #[inline(never)]
    fn has_room(&mut self, at: u64, most: usize) -> bool {
        if self.failed.is_none() {
            self.failed = self.make_room(at.max(self.last()), most).err();
        }
        self.failed.is_none()
    }

    fn make_room(&mut self, at: u64, most: usize) -> Result<(), Error> {
        if HEADER_SIZE + TIME_STAMP_SIZE + most >= CHUNK {
            return Err(Error::Write(format!(
                "an event of {most} bytes does not fit into a chunk"
            )));
        }
        if self.buffer.is_empty() {
            self.buffer = vec![0; BUFFER + SLACK];
            self.begin_chunk(at);
        }
        // Behind a chunk's last record stands at least one zero.
        if self.used + most >= self.left_in_chunk() {
            self.end_chunk()?;
            self.begin_chunk(at);
        }
        if self.used + most + SLACK > self.buffer.len() {
            self.write_with(|_, _| Ok(()))?;
            let needed = self.buffer.len().max(most + SLACK);
            self.buffer.resize(needed, 0);
        }
        self.limit = (self.buffer.len() - SLACK).min(self.left_in_chunk() - 1);
        Ok(())
    }

    /// Number of bytes from the begin of the buffer to the end of the chunk.
    fn left_in_chunk(&self) -> usize {
        (self.chunk + CHUNK as u64 - self.written) as usize
    }

    fn append(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        if let Some(slot) = self.buffer.get_mut(self.used..end) {
            slot.copy_from_slice(bytes);
            self.used = end;
        }
    }

    /// Begins a chunk in an empty buffer, the first one too.
    fn begin_chunk(&mut self, at: u64) {
        self.chunk = self.written;
        self.append(&[HEADER, LITTLE_ENDIAN]);
        self.append(&(self.events + 1).to_le_bytes());
        self.append(&0_u64.to_le_bytes());
        if self.events > 0 {
            self.append(&[TIME_STAMP]);
            self.append(&at.to_le_bytes());
            self.time = Some(at);
        }
    }

    /// Writes the rest of a chunk, which zeros fill up.
    fn end_chunk(&mut self) -> Result<(), Error> {
        let end = self.chunk + CHUNK as u64;
        self.write_with(|file, this| {
            file.set_len(end)?;
            this.set_last_event(file)
        })?;
        self.written = end;
        Ok(())
    }

    /// Writes the number of the last event into the header of the chunk.
    fn set_last_event(&self, file: &File) -> io::Result<()> {
        file.write_all_at(&self.events.to_le_bytes(), self.chunk + LAST_EVENT)
    }

    /// Writes the contents of the buffer, and then calls `more` with the file.
    fn write_with(
        &mut self,
        more: impl FnOnce(&File, &EventFile) -> io::Result<()>,
    ) -> Result<(), Error> {
        let file = self.open()?;
        let bytes = self.buffer.get(..self.used).unwrap_or_default();
        let written = file.write_all_at(bytes, self.written).and_then(|()| more(&file, self));
        written.map_err(|error| Error::file(&self.path, error))?;
        self.written += self.used as u64;
        self.used = 0;
        self.file = (self.chunk > 0).then_some(file);
        Ok(())
    }

    /// The file, which is new before anything was written.
    fn open(&mut self) -> Result<File, Error> {
        if let Some(file) = self.file.take() {
            return Ok(file);
        }
        let mut options = File::options();
        let options = options.write(true).create_new(self.written == 0);
        options.open(&self.path).map_err(|error| Error::file(&self.path, error))
    }

    /// Ends the file; returns its number of events.
    pub(super) fn close(mut self) -> Result<u64, Error> {
        self.check()?;
        if self.buffer.is_empty() {
            self.buffer = vec![0; HEADER_SIZE + 2];
            self.begin_chunk(0);
        }
        self.append(&[END_OF_FILE, END_OF_BUFFER]);
        self.write_with(|file, this| this.set_last_event(file))?;
        Ok(self.events)
    }
}
