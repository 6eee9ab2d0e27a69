//! The processes of a run: each reports at the run's socket that it records, or that it gave the reason why it does
//! not; and the end of each is observed.
//!
//! The kernel reports who has connected to the socket: processes of other users are ignored. It also reports when
//! processes end that are not our children, and since Linux 6.15 with which status.

use super::child::now;
use crate::process::{exit_status, peer};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, listen,
    recv, socket_with,
};
use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};
use std::collections::HashMap;
use std::io::{PipeReader, PipeWriter, pipe};
use std::process::ExitStatus;
use std::thread::JoinHandle;

/// Maximum number of processes that are watched at the same time; the ends of others stay unknown.
const MOST_WATCHED: usize = 1 << 12;
/// Maximum number of connections that the kernel keeps until they are accepted.
const BACKLOG: i32 = 1 << 12;
/// The message of a process that records; others but lines are the reason why it does not.
const RECORDING: &[u8] = b"recording";
/// The begin of a message that the run writes as its own line when it is over.
const LINE: &[u8] = b"line: ";
/// Lines that are kept, at most.
const MOST_LINES: usize = 16;
/// The bytes of the longest message.
const LONGEST: usize = 512;

/// A thread that listens to the processes of a run and watches for their ends.
pub struct Family(Option<Watching>);

struct Watching {
    thread: JoinHandle<Seen>,
    /// Write end of a pipe, which is closed when the run is over.
    runs: PipeWriter,
}

/// Observations of a run's processes.
#[derive(Debug, Default)]
pub struct Seen {
    /// True if a process has given a reason why it does not record.
    pub has_reason: bool,
    /// Lines for the user.
    pub lines: Vec<String>,
    /// Those that said that they record and have ended.
    pub ended: HashMap<u32, SeenEnd>,
}

/// The end of a process.
#[derive(Clone, Copy, Debug)]
pub struct SeenEnd {
    /// Time of the end, of CLOCK_MONOTONIC in nanoseconds.
    pub at: u64,
    /// Exit status of the process, if the kernel reports it.
    pub status: Option<ExitStatus>,
}

impl Family {
    /// Listens to the processes of the run at the socket of this name. If that fails, no process is observed: a reason
    /// is then searched for, and ends stay unknown.
    pub fn listen(name: &str) -> Family {
        Family(watch(name).ok())
    }

    /// Ends the thread after the run; returns its observations.
    pub fn seen(self) -> Seen {
        let Some(Watching { thread, runs }) = self.0 else { return Seen::default() };
        drop(runs);
        thread.join().unwrap_or_default()
    }
}

fn watch(name: &str) -> std::io::Result<Watching> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
    bind(&socket, &SocketAddrUnix::new_abstract_name(name.as_bytes())?)?;
    listen(&socket, BACKLOG)?;

    let (over, runs) = pipe()?;
    let mut watcher =
        Watcher { socket, over, callers: Vec::new(), alive: Vec::new(), seen: Seen::default() };
    let thread = std::thread::Builder::new().name("family".into()).spawn(move || {
        while watcher.wait() {}
        watcher.seen
    })?;
    Ok(Watching { thread, runs })
}

struct Watcher {
    socket: OwnedFd,
    /// Read end of a pipe, whose other end is closed when the run is over.
    over: PipeReader,
    /// Processes that have connected and not reported yet.
    callers: Vec<Caller>,
    alive: Vec<Process>,
    seen: Seen,
}

/// A process of our own user, and its connection.
struct Caller {
    pid: u32,
    socket: OwnedFd,
}

/// A process that has reported that it records.
struct Process {
    pid: u32,
    handle: OwnedFd,
    ended: Option<u64>,
}

/// Something that a process says once.
#[derive(Debug, PartialEq, Eq)]
enum Message {
    /// It records.
    Records,
    /// It has said why it does not.
    Reason,
    /// For the user.
    Line(String),
}

impl Message {
    fn of(bytes: &[u8]) -> Message {
        match bytes.strip_prefix(LINE) {
            Some(line) => Message::Line(String::from_utf8_lossy(line).into_owned()),
            None if bytes == RECORDING => Message::Records,
            None => Message::Reason,
        }
    }
}

impl Watcher {
    /// Waits for the next message or end; false once the run is over and all that came before was seen.
    fn wait(&mut self) -> bool {
        let of = |process: &Process| match process.ended {
            // It says how it ended when its parent has waited for it.
            Some(_) => PollFlags::empty(),
            None => PollFlags::IN,
        };
        let mut all =
            vec![PollFd::new(&self.over, PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
        all.extend(
            self.alive
                .iter()
                .map(|process| PollFd::from_borrowed_fd(process.handle.as_fd(), of(process))),
        );
        all.extend(self.callers.iter().map(|caller| PollFd::new(&caller.socket, PollFlags::IN)));
        if poll(&mut all, None).is_err() {
            return true;
        }
        let now = now();
        let found: Vec<_> = all.iter().map(PollFd::revents).collect();
        let [over, _, processes @ ..] = &found[..] else { return false };
        for (process, events) in self.alive.iter_mut().zip(processes) {
            if events.contains(PollFlags::HUP)
                || (events.contains(PollFlags::IN) && process.ended.is_none())
            {
                let at = *process.ended.get_or_insert(now);
                let status = exit_status(&process.handle);
                self.seen.ended.insert(process.pid, SeenEnd { at, status });
            }
        }
        let mut processes = processes.iter();
        self.alive
            .retain(|_| processes.next().is_none_or(|events| !events.contains(PollFlags::HUP)));
        self.accept();
        for (pid, message) in self.messages() {
            match message {
                Message::Records => self.look_after(pid),
                Message::Reason => self.seen.has_reason = true,
                Message::Line(line) if self.seen.lines.len() < MOST_LINES => {
                    self.seen.lines.push(line);
                }
                Message::Line(_) => {}
            }
        }
        over.is_empty()
    }

    /// Takes up the connections of our own user's processes.
    fn accept(&mut self) {
        let own = geteuid().as_raw();
        while let Ok(socket) =
            accept_with(&self.socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC)
        {
            let caller = peer(&socket).filter(|peer| peer.uid == own);
            let caller = caller.filter(|_| self.callers.len() < MOST_WATCHED);
            self.callers.extend(caller.map(|peer| Caller { pid: peer.pid, socket }));
        }
    }

    /// Messages since then, with their processes.
    fn messages(&mut self) -> Vec<(u32, Message)> {
        let mut said = Vec::new();
        self.callers.retain(|Caller { pid, socket }| {
            let mut text = [0; LONGEST];
            match recv(socket, &mut text, RecvFlags::DONTWAIT) {
                Err(Errno::AGAIN) => return true,
                Ok((bytes, _)) if bytes > 0 => {
                    said.push((*pid, Message::of(text.get(..bytes).unwrap_or_default())));
                }
                _ => {}
            }
            false
        });
        said
    }

    /// Watches for the end of a process. Another image of a process that is known already, after an exec, is the same
    /// process.
    fn look_after(&mut self, pid: u32) {
        let known = self.alive.iter().any(|process| process.pid == pid && process.ended.is_none());
        if known || self.alive.len() >= MOST_WATCHED {
            return;
        }
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let handle = raw.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        self.seen.ended.remove(&pid);
        self.alive.extend(handle.map(|handle| Process { pid, handle, ended: None }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{SendFlags, connect, send};
    use rustix::process::Uid;
    use rustix::thread::set_thread_uid;

    /// Sends a message to the run, as another user if `is_other`; returns false if that needs root's rights.
    fn say(name: &str, is_other: bool) -> bool {
        let say = || {
            if is_other && set_thread_uid(Uid::from_raw(65_534)).is_err() {
                return false;
            }
            let socket =
                socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None);
            let socket = socket.expect("a socket");
            let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).expect("a name");
            connect(&socket, &address).expect("connected");
            // It may have been hung up on by now.
            let _ = send(&socket, b"a reason", SendFlags::NOSIGNAL);
            true
        };
        std::thread::scope(|scope| scope.spawn(say).join().expect("no panic"))
    }

    #[test]
    fn a_message_is_a_state_or_a_line() {
        assert_eq!(Message::of(RECORDING), Message::Records);
        assert_eq!(Message::of(b"a reason"), Message::Reason);
        assert_eq!(Message::of(b"line: on 2 ranks"), Message::Line("on 2 ranks".to_owned()));
    }

    #[test]
    fn another_user_is_not_listened_to() {
        for (is_other, name) in [(false, "own"), (true, "other")] {
            let name = format!("ompttrace-test-{name}-{}", std::process::id());
            let family = Family::listen(&name);
            if say(&name, is_other) {
                assert_eq!(family.seen().has_reason, !is_other);
            }
        }
    }
}
