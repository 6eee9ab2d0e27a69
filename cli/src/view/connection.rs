//! One connection of `ompttrace view`: a request, its answer, and the end. No step blocks: a connection that cannot
//! continue does so when its socket is ready, and is closed when its time is over.

use super::http::{LARGEST_HEAD, Request};
use crate::progress::Progress;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Maximum time for the request, which a browser sends at once.
const TO_ASK: Duration = Duration::from_secs(10);
/// Maximum time without progress of an answer, after which the client is taken to have given up.
const TO_TAKE: Duration = Duration::from_secs(120);
/// Maximum time until the client has closed the connection, too; if we do not wait, it may lose what it has not read
/// yet.
const TO_LEAVE: Duration = Duration::from_secs(2);
/// Maximum number of bytes of a body, which are read until then and ignored.
const MOST_IGNORED: usize = 1 << 20;
/// Number of bytes that are read or written before other connections have their turn.
const TURN: usize = 256 << 10;

/// An answer to a request.
pub struct Answer {
    pub head: Vec<u8>,
    /// The trace, if it follows the head.
    pub trace: Option<Trace>,
}

/// The trace's file, with the number of bytes that are still to be sent (`left`) and of all.
pub struct Trace {
    pub file: File,
    pub left: u64,
    pub all: u64,
    pub progress: Progress,
}

/// State of a connection after its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The connection waits for the client.
    Waits,
    Gone,
    /// The whole trace was sent.
    Fetched,
}

enum State {
    Asking(Vec<u8>),
    /// Bytes, of which this many were sent.
    Answering(Vec<u8>, usize, Option<Trace>),
    /// Ignores all bytes that come now, up to so many.
    Leaving(usize),
}

pub struct Connection {
    pub stream: TcpStream,
    state: State,
    until: Instant,
}

impl Connection {
    pub fn new(stream: TcpStream) -> io::Result<Connection> {
        stream.set_nonblocking(true)?;
        Ok(Connection { stream, state: State::Asking(Vec::new()), until: Instant::now() + TO_ASK })
    }

    /// True if there are bytes to send.
    pub fn writes(&self) -> bool {
        matches!(self.state, State::Answering(..))
    }

    /// True while the connection gets the trace: others are closed in its favour.
    pub fn gets_trace(&self) -> bool {
        matches!(self.state, State::Answering(_, _, Some(_)))
    }

    /// True if nothing has happened for too long.
    pub fn is_over(&self, now: Instant) -> bool {
        self.until <= now
    }

    /// Continues as far as is possible now; `answer` returns the answer to a request, or for the error status of one
    /// that is not valid.
    pub fn go_on(
        &mut self,
        answer: impl FnOnce(Result<Request, u16>) -> io::Result<Answer>,
    ) -> Step {
        match self.turn(answer) {
            Ok(step) => step,
            Err(error) if is_transient(&error) => Step::Waits,
            Err(_) => Step::Gone,
        }
    }

    fn turn(
        &mut self,
        answer: impl FnOnce(Result<Request, u16>) -> io::Result<Answer>,
    ) -> io::Result<Step> {
        if let State::Asking(head) = &mut self.state {
            let request = match ask(&mut self.stream, head)? {
                Ok(None) => return Ok(Step::Waits),
                Ok(Some(request)) => Ok(request),
                Err(status) => Err(status),
            };
            let Answer { head, trace } = answer(request)?;
            (self.state, self.until) = (State::Answering(head, 0, trace), Instant::now() + TO_TAKE);
        }
        if let State::Answering(bytes, sent, trace) = &mut self.state {
            while fill(bytes, sent, trace)? {
                *sent += self.stream.write(bytes.get(*sent..).unwrap_or_default())?;
                self.until = Instant::now() + TO_TAKE;
                if trace.is_some() && *sent >= TURN {
                    return Ok(Step::Waits);
                }
            }
            if trace.is_some() {
                return Ok(Step::Fetched);
            }
            self.stream.shutdown(Shutdown::Write)?;
            (self.state, self.until) = (State::Leaving(MOST_IGNORED), Instant::now() + TO_LEAVE);
        }
        if let State::Leaving(left) = &mut self.state {
            let ignored = self.stream.read(&mut vec![0; TURN])?;
            *left = left.saturating_sub(ignored);
            return Ok(if ignored == 0 || *left == 0 { Step::Gone } else { Step::Waits });
        }
        Ok(Step::Waits)
    }
}

/// Reads the available bytes of a request, up to the maximum size.
fn ask(stream: &mut TcpStream, head: &mut Vec<u8>) -> io::Result<Result<Option<Request>, u16>> {
    let before = head.len();
    let read = stream.take((LARGEST_HEAD - before) as u64).read_to_end(head);
    let at_end = match read {
        Err(error) if head.len() == before || !is_transient(&error) => return Err(error),
        read => read.is_ok(),
    };
    match Request::parse(head) {
        // Nothing more will come.
        Ok(None) if at_end => Err(ErrorKind::UnexpectedEof.into()),
        parsed => Ok(parsed),
    }
}

/// True if there are bytes to send; the next ones of the trace are read if the previous ones are sent.
fn fill(bytes: &mut Vec<u8>, sent: &mut usize, trace: &mut Option<Trace>) -> io::Result<bool> {
    if *sent < bytes.len() {
        return Ok(true);
    }
    let Some(trace) = trace.as_mut().filter(|trace| trace.left > 0) else { return Ok(false) };
    (*sent, *bytes) = (0, Vec::with_capacity(TURN));
    let next = trace.left.min(TURN as u64);
    if (&trace.file).take(next).read_to_end(bytes)? as u64 != next {
        // It has become shorter.
        return Err(ErrorKind::UnexpectedEof.into());
    }
    trace.left -= next;
    trace.progress.show(trace.all - trace.left, trace.all);
    Ok(true)
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
