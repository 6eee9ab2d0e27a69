//! The process at the other end of a socket, as the kernel reports it.

use rustix::fd::{AsFd, AsRawFd};

/// A process at the other end, by its numbers here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Number of the process, 0 if it has none here.
    pub pid: u32,
    /// User of the process when it connected.
    pub uid: u32,
}

/// The process that has connected to the socket.
pub fn peer(socket: impl AsFd) -> Option<Peer> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    let (to, level, socket) = ((&raw mut peer).cast(), libc::SOL_SOCKET, socket.as_fd());
    // SAFETY: memory for credentials and their length, on this stack; the socket is open.
    let answer = unsafe {
        libc::getsockopt(socket.as_raw_fd(), level, libc::SO_PEERCRED, to, &raw mut length)
    };
    (answer == 0).then_some(Peer { pid: u32::try_from(peer.pid).unwrap_or(0), uid: peer.uid })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::geteuid;
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_other_end_of_a_pair_is_this_process() {
        let (one, _other) = UnixStream::pair().expect("sockets");
        let expected = Peer { pid: std::process::id(), uid: geteuid().as_raw() };
        assert_eq!(peer(&one), Some(expected));
    }
}
