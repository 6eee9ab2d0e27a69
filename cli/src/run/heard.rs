//! Whether the library said in the program why nothing is recorded: its line is on the program's stderr, where this
//! command does not read, and it reports so at an address that both know.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The address; `None`: there can be none here, and reasons are looked for.
pub struct Heard(Option<UnixDatagram>);

impl Heard {
    /// Listens for the programs of the run that calls itself `id`.
    pub fn new(id: &str) -> Heard {
        Heard(listen(id).ok())
    }

    /// Whether one reported.
    pub fn a_reason(&self) -> bool {
        self.0.as_ref().is_some_and(|socket| socket.recv(&mut [0; 64]).is_ok())
    }
}

fn listen(id: &str) -> std::io::Result<UnixDatagram> {
    let address = SocketAddr::from_abstract_name(format!("ompttrace-{id}"))?;
    let socket = UnixDatagram::bind_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}
