//! Whether the library reported in the program why nothing is recorded: its line is on the program's stderr, where this
//! command does not read, and it signals so at an address that both know.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The socket at that address; `None` where none can be opened: reasons are then looked for.
pub struct ReasonSocket(Option<UnixDatagram>);

impl ReasonSocket {
    /// Listens for the programs of the run that calls itself `id`.
    pub fn open(id: &str) -> ReasonSocket {
        ReasonSocket(listen(id).ok())
    }

    /// Whether one reported.
    pub fn has_reason(&self) -> bool {
        self.0.as_ref().is_some_and(|socket| socket.recv(&mut [0; 64]).is_ok())
    }
}

fn listen(id: &str) -> std::io::Result<UnixDatagram> {
    let address = SocketAddr::from_abstract_name(format!("ompttrace-{id}"))?;
    let socket = UnixDatagram::bind_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}
