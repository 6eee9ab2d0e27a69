//! Messages to the `ompttrace run` that started this process.

use crate::config::variable_of_run;
use ompttrace_recording::settings::StartedBy;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Sends a message to the `ompttrace run`, if there is one; `None` if it was not sent.
pub(crate) fn say(text: &str) -> Option<()> {
    let variable = variable_of_run()?;
    let socket = connected(StartedBy::read(&variable)?.socket)?;
    let (bytes, count) = (text.as_ptr().cast(), text.len());
    // SAFETY: the text's bytes.
    let sent = unsafe { libc::send(socket.as_raw_fd(), bytes, count, libc::MSG_NOSIGNAL) };
    (sent == count as isize).then_some(())
}

/// A socket that is connected to that of the `ompttrace run`, if this is the same user's or root's. It does not block
/// if nothing reads from the other end.
fn connected(name: &str) -> Option<OwnedFd> {
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: the new descriptor is ours alone.
    let socket = unsafe {
        let socket = libc::socket(libc::AF_UNIX, kind, 0);
        (socket >= 0).then(|| OwnedFd::from_raw_fd(socket))?
    };
    let (address, length) = address(name)?;
    let at = (&raw const address).cast();
    // SAFETY: so many bytes of an address on this stack.
    let is_there = unsafe { libc::connect(socket.as_raw_fd(), at, length) } == 0;
    (is_there && is_trusted(&socket)).then_some(socket)
}

/// The address of an abstract name, which comes after a zero and ends with the address; and its length.
fn address(name: &str) -> Option<(libc::sockaddr_un, libc::socklen_t)> {
    // SAFETY: zeros are an address.
    let mut address: libc::sockaddr_un = unsafe { zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let to = address.sun_path.get_mut(1..=name.len())?;
    to.iter_mut().zip(name.bytes()).for_each(|(to, byte)| *to = byte as libc::c_char);
    let length = std::mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + name.len();
    Some((address, length as libc::socklen_t))
}

/// True if the other end was created by this user, or by root.
fn is_trusted(socket: &OwnedFd) -> bool {
    // SAFETY: zeros are credentials.
    let mut peer: libc::ucred = unsafe { zeroed() };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    let (to, level) = ((&raw mut peer).cast(), libc::SOL_SOCKET);
    // SAFETY: memory for credentials and their length, on this stack; the other call asks for a number.
    let (is_known, own) = unsafe {
        let got =
            libc::getsockopt(socket.as_raw_fd(), level, libc::SO_PEERCRED, to, &raw mut length);
        (got == 0, libc::geteuid())
    };
    is_known && (peer.uid == own || peer.uid == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A socket that listens, created by a thread of another user if `is_other`; `None` if that is not permitted, as
    /// it is for root alone.
    fn listening(name: &str, is_other: bool) -> Option<OwnedFd> {
        let listen = || {
            // SAFETY: changes the user of this thread alone, as glibc does not.
            if is_other && unsafe { libc::syscall(libc::SYS_setuid, 65_534) } != 0 {
                return None;
            }
            let (address, length) = address(name)?;
            // SAFETY: the new descriptor is ours, the address is on this stack.
            unsafe {
                let socket = libc::socket(libc::AF_UNIX, libc::SOCK_SEQPACKET, 0);
                assert_eq!(libc::bind(socket, (&raw const address).cast(), length), 0);
                assert_eq!(libc::listen(socket, 1), 0);
                Some(OwnedFd::from_raw_fd(socket))
            }
        };
        std::thread::scope(|scope| scope.spawn(listen).join().expect("no panic"))
    }

    #[test]
    fn another_users_socket_is_not_spoken_to() {
        for (is_other, name) in [(false, "own"), (true, "other")] {
            let name = format!("ompttrace-test-{name}-{}", std::process::id());
            let Some(_socket) = listening(&name, is_other) else { continue };
            assert_eq!(connected(&name).is_some(), !is_other);
        }
        assert!(connected("ompttrace-test-nobody").is_none());
    }
}
