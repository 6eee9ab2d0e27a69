//! Commands from outside a process, as its pool's header has them: a request, and the answer of the process.
//!
//! Whoever gives a command writes [`header::REQUEST`] and then [`header::ATTENTION`]; the process answers in [`header::ANSWER`].

use crate::pool::header;
use crate::reader::PoolFile;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The number of this protocol, in [`header::COMMANDS`].
pub const PROTOCOL: u64 = 1;

/// A command from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Number of the request, each one more than the one before.
    pub number: u32,
    /// Number of the command, as `omp_control_tool` has it: 1 start, 2 pause, 3 flush, 4 end.
    pub command: u8,
}

impl Request {
    /// The request in a word of the header.
    pub const fn from_word(word: u64) -> Request {
        Request { number: (word >> 32) as u32, command: word as u8 }
    }

    /// The word that the header has.
    pub const fn to_word(self) -> u64 {
        (self.number as u64) << 32 | self.command as u64
    }
}

/// The answer of a process to a request that it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The request.
    pub request: Request,
    /// State of the recording before the command: 1 recording, 2 paused, 3 ended, and others that no recorded process is in for long.
    pub before: u8,
    /// State after it.
    pub after: u8,
}

/// The state of a recording in which events are recorded.
pub const RECORDING: u8 = 1;
/// The state of a recording that is paused.
pub const PAUSED: u8 = 2;
/// The state of a recording that is over although the program runs.
pub const ENDED: u8 = 3;

impl Answer {
    /// The answer in a word of the header.
    pub const fn from_word(word: u64) -> Answer {
        let [command, before, after, ..] = word.to_le_bytes();
        let request = Request { command, ..Request::from_word(word) };
        Answer { request, before, after }
    }

    /// The word that the header has.
    pub const fn to_word(self) -> u64 {
        self.request.to_word() | (self.before as u64) << 8 | (self.after as u64) << 16
    }
}

/// An answer and the times, in CLOCK_MONOTONIC nanoseconds, between which the command was carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The answer.
    pub answer: Answer,
    /// Time at which the process took the request.
    pub taken_at: u64,
    /// Time at which the command had taken effect.
    pub answered_at: u64,
}

/// The pool of a process, opened to give commands to it. One process at a time may give them.
#[derive(Debug)]
pub struct Commands(File);

impl Commands {
    /// Opens the pool for writing; `None`: the tool that made it takes no commands.
    ///
    /// # Errors
    /// The system's error: the file belongs to another user, or is no longer the pool's.
    pub fn open(pool: &PoolFile) -> io::Result<Option<Commands>> {
        if pool.protocol() != PROTOCOL {
            return Ok(None);
        }
        Ok(Some(Commands(pool.to_write()?)))
    }

    /// The pool's file, for a lock that excludes other commands.
    pub fn file(&self) -> &File {
        &self.0
    }

    /// Gives a command; returns the request. It replaces one that the process has not taken.
    ///
    /// # Errors
    /// The system's error.
    pub fn give(&self, command: u8) -> io::Result<Request> {
        let last = self.last()?;
        let request = Request { number: last.number.wrapping_add(1), command };
        self.set(header::REQUEST, request.to_word())?;
        self.set(header::ATTENTION, 1)?;
        Ok(request)
    }

    /// The latest request; number 0: there was none.
    ///
    /// # Errors
    /// The system's error.
    pub fn last(&self) -> io::Result<Request> {
        self.word(header::REQUEST).map(Request::from_word)
    }

    /// True if the process has taken this request.
    ///
    /// # Errors
    /// The system's error.
    pub fn is_taken(&self, request: Request) -> io::Result<bool> {
        Ok(self.word(header::TAKEN)? == request.to_word())
    }

    /// The answer to a request, once the process has given it.
    ///
    /// # Errors
    /// The system's error.
    pub fn answer(&self, request: Request) -> io::Result<Option<Carried>> {
        let answer = Answer::from_word(self.word(header::ANSWER)?);
        if answer.request != request {
            return Ok(None);
        }
        let (taken_at, answered_at) =
            (self.word(header::TAKEN_AT)?, self.word(header::ANSWERED_AT)?);
        Ok(Some(Carried { answer, taken_at, answered_at }))
    }

    fn word(&self, index: usize) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, 8 * index as u64)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    fn set(&self, index: usize, word: u64) -> io::Result<()> {
        self.0.write_all_at(&word.to_ne_bytes(), 8 * index as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were() {
        let request = Request { number: u32::MAX, command: 4 };
        assert_eq!(Request::from_word(request.to_word()), request);
        let answer = Answer { request, before: PAUSED, after: ENDED };
        assert_eq!(Answer::from_word(answer.to_word()), answer);
        assert_ne!(answer.to_word(), Answer { after: RECORDING, ..answer }.to_word());
    }
}
