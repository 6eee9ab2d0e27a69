//! The processes of a run: each says at an address that both know that it records, or that it gave the reason why it does not, and
//! the end of each is seen.
//!
//! The kernel says who has sent a message. Of processes that are not our children it says when they end, and since Linux 6.15
//! also how.

use super::child::now;
use crate::process::exit_status;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg, sockopt::set_socket_passcred,
};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::HashMap;
use std::io::{IoSliceMut, PipeReader, PipeWriter, pipe};
use std::mem::MaybeUninit;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::ExitStatus;
use std::thread::JoinHandle;

/// Processes that are watched at the same time, at most; the ends of others stay unknown.
const MOST_WATCHED: usize = 1 << 12;
/// The message of a process that records; anything else is the reason why it does not.
const RECORDING: &[u8] = b"recording";

/// Listens and watches, in a thread of its own.
pub struct Family(Option<Watching>);

struct Watching {
    thread: JoinHandle<Seen>,
    /// Closed when the run is over.
    runs: PipeWriter,
}

/// Observations of a run's processes.
#[derive(Debug, Default)]
pub struct Seen {
    /// True if one has said why it does not record.
    pub has_reason: bool,
    /// Those that said that they record and have ended.
    pub ended: HashMap<u32, SeenEnd>,
}

/// The end of a process.
#[derive(Clone, Copy, Debug)]
pub struct SeenEnd {
    /// CLOCK_MONOTONIC, nanoseconds.
    pub at: u64,
    /// Its exit status, where the kernel says it.
    pub status: Option<ExitStatus>,
}

impl Family {
    /// Listens to the processes of the run that calls itself `id`. Where that cannot be, none is seen: a reason is then looked
    /// for, and ends stay unknown.
    pub fn listen(id: &str) -> Family {
        Family(watch(id).ok())
    }

    /// The run is over.
    pub fn seen(self) -> Seen {
        let Some(Watching { thread, runs }) = self.0 else { return Seen::default() };
        drop(runs);
        thread.join().unwrap_or_default()
    }
}

fn watch(id: &str) -> std::io::Result<Watching> {
    let address = SocketAddr::from_abstract_name(format!("ompttrace-{id}"))?;
    let socket = UnixDatagram::bind_addr(&address)?;
    socket.set_nonblocking(true)?;
    set_socket_passcred(&socket, true)?;

    let (over, runs) = pipe()?;
    let mut watcher = Watcher { socket, over, alive: Vec::new(), seen: Seen::default() };
    let thread = std::thread::Builder::new().name("family".into()).spawn(move || {
        while watcher.wait() {}
        watcher.seen
    })?;
    Ok(Watching { thread, runs })
}

struct Watcher {
    socket: UnixDatagram,
    /// Its other end is closed when the run is over.
    over: PipeReader,
    alive: Vec<Process>,
    seen: Seen,
}

/// A process that has said that it records.
struct Process {
    pid: u32,
    handle: OwnedFd,
    ended: Option<u64>,
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
        while let Some((pid, records)) = self.message() {
            self.seen.has_reason |= !records;
            if records {
                self.look_after(pid);
            }
        }
        over.is_empty()
    }

    /// The sender of the next message, and true if it records.
    fn message(&self) -> Option<(u32, bool)> {
        let mut text = [0; 64];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1))];
        let mut about = RecvAncillaryBuffer::new(&mut space);
        let bytes = recvmsg(
            &self.socket,
            &mut [IoSliceMut::new(&mut text)],
            &mut about,
            RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC,
        );
        let bytes = bytes.ok()?.bytes;
        let pid = about.drain().find_map(|one| match one {
            RecvAncillaryMessage::ScmCredentials(who) => u32::try_from(who.pid.as_raw_pid()).ok(),
            _ => None,
        });
        Some((pid.unwrap_or(0), text.get(..bytes) == Some(RECORDING)))
    }

    /// Another image of a process that is known already, after an exec, is the same process.
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
