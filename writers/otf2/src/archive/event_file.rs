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

use super::lists::SHORT_LIST;
use super::record::Record;
use crate::Error;

/// Size of a chunk, in bytes: the minimum that libotf2 accepts.
pub(super) const CHUNK: usize = otf2_sys::OTF2_CHUNK_SIZE_MIN as usize;
/// Size of a location's buffer, in bytes; it grows for a record that needs more.
const BUFFER: usize = 32 << 10;
/// Maximum size of a record without a list, in bytes.
const MOST: usize = 48;
/// Size of the array into which a short record is written, in bytes: a list, and a word after it.
pub(super) const SHORT: usize = SHORT_LIST + size_of::<u64>();
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
    used: u32,
    /// Offset in the buffer at which records must end, in bytes.
    limit: usize,
    /// Offset of the buffer in the file; below, offset of the last chunk. Both in bytes.
    written: u64,
    chunk: u64,
    /// The time stamp that was written last, which also holds for a next record of that time; a chunk begins with one.
    time: u64,
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
            time: 0,
            events: 0,
            failed: None,
        }
    }

    /// Time of the last event, in nanoseconds; 0 before the first one.
    #[inline]
    pub(super) fn last(&self) -> u64 {
        self.time
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
        self.put(at, most, most + SLACK, |to| Record::written(to, write));
    }

    /// Writes an event without a list: `write` returns its size, and may touch all bytes of the array.
    #[inline(always)]
    pub(super) fn short(&mut self, at: u64, write: impl FnOnce(&mut [u8; SHORT]) -> usize) {
        self.short_of(at, MOST, write);
    }

    /// As [`EventFile::short`], of an event that [`EventFile::record`] would write as one of at most so many bytes.
    #[inline(always)]
    pub(super) fn short_of(
        &mut self,
        at: u64,
        most: usize,
        write: impl FnOnce(&mut [u8; SHORT]) -> usize,
    ) {
        self.put(at, most, SHORT, |to| to.first_chunk_mut().map_or(0, write));
    }

    /// Writes an event of at most `most` bytes into so many bytes of the buffer.
    #[inline(always)]
    fn put(&mut self, at: u64, most: usize, bytes: usize, write: impl FnOnce(&mut [u8]) -> usize) {
        let most = TIME_STAMP_SIZE + most;
        if self.limit < self.used as usize + most && !self.has_room(at, most) {
            return;
        }
        let begin = self.used as usize;
        let Some(to) = self.buffer.get_mut(begin..begin + TIME_STAMP_SIZE + bytes) else { return };
        let mut stamp = 0;
        if at > self.time
            && let Some([code, time @ ..]) = to.first_chunk_mut::<TIME_STAMP_SIZE>()
        {
            (*code, *time) = (TIME_STAMP, at.to_le_bytes());
            (self.time, stamp) = (at, TIME_STAMP_SIZE);
        }
        self.used += (stamp + to.get_mut(stamp..).map_or(0, write)) as u32;
        self.events += 1;
    }

    /// Makes room for a time stamp and a record of at most so many bytes, unless that fails or has failed.
    #[cold]
    #[inline(never)]
    fn has_room(&mut self, at: u64, most: usize) -> bool {
        if self.failed.is_none() {
            self.failed = self.make_room(at.max(self.time), most).err();
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
        if self.used as usize + most >= self.left_in_chunk() {
            self.end_chunk()?;
            self.begin_chunk(at);
        }
        if self.used as usize + most + SLACK > self.buffer.len() {
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
        if let Some(to) = self.buffer.get_mut(self.used as usize..)
            && let Some(slot) = to.get_mut(..bytes.len())
        {
            slot.copy_from_slice(bytes);
            self.used += bytes.len() as u32;
        }
    }

    /// Begins a chunk in an empty buffer with the time of its first event, the first one too.
    fn begin_chunk(&mut self, at: u64) {
        self.write_header();
        self.append(&[TIME_STAMP]);
        self.append(&at.to_le_bytes());
        self.time = at;
    }

    fn write_header(&mut self) {
        self.chunk = self.written;
        self.append(&[HEADER, LITTLE_ENDIAN]);
        self.append(&(self.events + 1).to_le_bytes());
        self.append(&0_u64.to_le_bytes());
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
        let bytes = self.buffer.get(..self.used as usize).unwrap_or_default();
        let written = file.write_all_at(bytes, self.written).and_then(|()| more(&file, self));
        written.map_err(|error| Error::file(&self.path, error))?;
        self.written += u64::from(self.used);
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
            self.write_header();
        }
        self.append(&[END_OF_FILE, END_OF_BUFFER]);
        self.write_with(|file, this| this.set_last_event(file))?;
        Ok(self.events)
    }
}
