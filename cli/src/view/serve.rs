//! A server on loopback for one trace and one page, which is the viewer's or our own that hands the trace over to it: a client
//! that does not know the path, or comes from another page, gets nothing.
//!
//! The path has a random part, because everybody on a shared machine can reach its loopback. For the same reason
//! one thread serves all connections, and waits for none: their number, the bytes of a request and the time for each
//! step are bounded. Small HTTP servers that come as a library bound neither; one for a whole site is not needed here.

use super::connection::{Answer, Connection, Step, Trace};
use super::hand_over::HandOver;
use super::http::{self, Request};
use super::link::{self, component};
use crate::arguments::{USUAL_PAGE, USUAL_PORT};
use crate::progress::Progress;
use crate::random;
use anyhow::{Context, Result, anyhow};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Maximum number of connections at the same time; a browser has six to one server.
const MOST_CONNECTIONS: usize = 64;
/// Interval at which connections are checked for their time limits.
const TICK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// A trace that waits to be fetched.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    trace: PathBuf,
    /// Path of our own page, with a random part; below, path of the trace, which begins with it.
    folder: String,
    path: String,
    ui: String,
    /// Origin of the viewer's page, as browsers name it.
    origin: String,
    /// Origin of the page that may fetch the trace.
    fetching: String,
    hands_over: bool,
}

impl Server {
    /// Listens for the page at `ui`, or for our own where that one cannot fetch from the port.
    pub fn new(trace: &Path, ui: &str, port: Option<u16>) -> Result<Server> {
        let origin = origin(ui)?;
        let listener = listen(port)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr().context("no address to listen on")?;
        let hands_over = is_out_of_reach(ui, port, address.port());
        let folder = format!("/{}/", random::word()?);
        let path = format!("{folder}{}", component(&name(trace)));
        let fetching = if hands_over { format!("http://{address}") } else { origin.clone() };
        let (trace, ui) = (trace.to_owned(), ui.to_owned());
        Ok(Server { listener, address, trace, folder, path, ui, origin, fetching, hands_over })
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// True if our own page hands the trace over.
    pub fn hands_over(&self) -> bool {
        self.hands_over
    }

    /// The link to open in a browser.
    pub fn link(&self) -> Result<String> {
        match self.hands_over {
            true => Ok(format!("http://{}{}", self.address, self.folder)),
            false => link::to(&self.ui, Some(&format!("http://{}{}", self.address, self.path))),
        }
    }

    /// Answers until a client has the whole trace.
    pub fn until_fetched(&self) -> Result<()> {
        let mut connections = Vec::new();
        loop {
            self.wait(&connections).context("waiting for the page")?;
            while let Some(new) = self.accept().context("waiting for the page")? {
                make_room(&mut connections);
                connections.push(new);
            }
            if self.go_on(&mut connections)? {
                return Ok(());
            }
        }
    }

    /// Gives every connection its turn; returns true if one has the whole trace.
    fn go_on(&self, connections: &mut Vec<Connection>) -> Result<bool> {
        let (now, mut fetched, mut wrong) = (Instant::now(), false, None);
        connections.retain_mut(|connection| {
            let step = connection.go_on(|request| {
                let answer = self.answer(request);
                answer.map_err(|error| wrong.insert(error).kind().into())
            });
            fetched |= step == Step::Fetched;
            step == Step::Waits && !connection.is_over(now)
        });
        match wrong {
            Some(error) => Err(error).with_context(|| format!("{}", self.trace.display())),
            None => Ok(fetched),
        }
    }

    /// Waits until a connection can continue, a new one comes, or the time limit of one may be over.
    fn wait(&self, connections: &[Connection]) -> io::Result<()> {
        let mut ready = vec![PollFd::new(&self.listener, PollFlags::IN)];
        ready.extend(connections.iter().map(|connection| {
            let event = if connection.writes() { PollFlags::OUT } else { PollFlags::IN };
            PollFd::new(&connection.stream, event)
        }));
        let tick = (!connections.is_empty()).then_some(&TICK);
        match poll(&mut ready, tick) {
            Err(error) if error != rustix::io::Errno::INTR => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The next connection, if there is one.
    fn accept(&self) -> io::Result<Option<Connection>> {
        match self.listener.accept() {
            Ok((stream, _)) => Connection::new(stream).map(Some),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            // It has gone again: the next one.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => self.accept(),
            Err(error) => Err(error),
        }
    }

    /// Answer to a request, or for the error status of one that is not valid.
    fn answer(&self, request: Result<Request, u16>) -> io::Result<Answer> {
        let status = match &request {
            Err(status) => *status,
            Ok(request) if !self.is_for_us(request) => 403,
            Ok(request) => match request.method.as_str() {
                "OPTIONS" => 204,
                "GET" | "HEAD" if request.path == self.path => {
                    return self.hand_out(request.method == "GET");
                }
                "GET" | "HEAD" if self.hands_over && request.path == self.folder => {
                    return self.own_page(request.method == "GET").map_err(io::Error::other);
                }
                "GET" | "HEAD" => 404,
                _ => 405,
            },
        };
        Ok(Answer { head: http::head(status, 0, &self.headers()), trace: None })
    }

    /// True if a request is neither under a name that another page has got for this address nor from such a page.
    fn is_for_us(&self, request: &Request) -> bool {
        let own = [self.address.to_string(), format!("localhost:{}", self.port())];
        request.host.as_ref().is_some_and(|host| own.contains(host))
            && request.origin.as_ref().is_none_or(|origin| *origin == self.fetching)
    }

    /// The headers by which a browser lets the page have the answer.
    fn headers(&self) -> [(&str, &str); 6] {
        [
            ("Access-Control-Allow-Origin", self.fetching.as_str()),
            ("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
            ("Access-Control-Allow-Headers", "*"),
            ("Access-Control-Allow-Private-Network", "true"),
            ("Cache-Control", "no-store"),
            ("Vary", "Origin"),
        ]
    }

    /// The page that hands the trace over. Its own address, which has the secret, goes nowhere.
    fn own_page(&self, wants_bytes: bool) -> Result<Answer> {
        let (viewer, nonce, name) = (link::to(&self.ui, None)?, random::word()?, name(&self.trace));
        let page = HandOver {
            viewer: &viewer,
            origin: &self.origin,
            trace: &self.path,
            name: &name,
            nonce: &nonce,
        };
        let (text, policy) = (page.text()?, page.policy());
        let mut headers = self.headers().to_vec();
        headers.extend([
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Security-Policy", policy.as_str()),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ]);
        let mut head = http::head(200, text.len() as u64, &headers);
        if wants_bytes {
            head.extend_from_slice(text.as_bytes());
        }
        Ok(Answer { head, trace: None })
    }

    /// The trace, with its length, by which the page shows how far it is.
    fn hand_out(&self, wants_bytes: bool) -> io::Result<Answer> {
        let file = File::open(&self.trace)?;
        let all = file.metadata()?.len();
        let mut headers = self.headers().to_vec();
        headers.push(("Content-Type", "application/octet-stream"));
        let progress = Progress::new(false);
        let trace = wants_bytes.then_some(Trace { file, left: all, all, progress });
        Ok(Answer { head: http::head(200, all, &headers), trace })
    }
}

/// Closes the connection that has waited longest and does not get the trace: a client that gets it knew the path.
fn make_room(connections: &mut Vec<Connection>) {
    if connections.len() >= MOST_CONNECTIONS {
        let idle = connections.iter().position(|connection| !connection.gets_trace());
        drop(connections.remove(idle.unwrap_or(0)));
    }
}

/// Scheme, host and port of a page.
fn origin(ui: &str) -> Result<String> {
    let wrong =
        || anyhow!("--ui {ui:?} is not allowed: give a page such as https://ui.perfetto.dev");
    let (scheme, rest) = ui.split_once("://").ok_or_else(wrong)?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let good = |letter: char| letter.is_ascii_graphic() && letter != '"';
    if !["http", "https"].contains(&scheme) || host.is_empty() || !host.chars().all(good) {
        return Err(wrong());
    }
    Ok(format!("{scheme}://{host}"))
}

/// Listens at this port; if none is given, at the usual one, or at any other if that is taken, perhaps by another user.
fn listen(port: Option<u16>) -> Result<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match (bind(port.unwrap_or(USUAL_PORT)), port) {
        (Ok(listener), _) => Ok(listener),
        (Err(_), None) => bind(0).context("no port of 127.0.0.1 is free"),
        (Err(error), Some(port)) if error.kind() == ErrorKind::AddrInUse => {
            Err(anyhow!("port {port} is taken: omit --port, and any that is free will do"))
        }
        (Err(error), Some(port)) => Err(anyhow!("port {port} of 127.0.0.1: {error}")),
    }
}

/// True if the viewer's page cannot fetch from the port `got`. The usual page has a rule (Content-Security-Policy) that
/// names one port, and so has a copy of it; nothing is known of a page for which another port was `wanted`.
fn is_out_of_reach(ui: &str, wanted: Option<u16>, got: u16) -> bool {
    let is_usual = ui.trim_end_matches('/') == USUAL_PAGE;
    got != USUAL_PORT && (is_usual || wanted.is_none())
}

/// The trace's name for people.
fn name(trace: &Path) -> String {
    trace.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_pages_without_their_paths() {
        assert_eq!(origin("https://ui.perfetto.dev/").expect("a page"), "https://ui.perfetto.dev");
        assert_eq!(origin("http://[::1]:8/v52/?x").expect("a page"), "http://[::1]:8");
        for wrong in ["", "ui.perfetto.dev", "file:///x", "https:///", "https://a\nb"] {
            assert!(origin(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_usual_page_fetches_from_the_usual_port_only() {
        let own = "http://127.0.0.1:10000";
        for (ui, wanted, got, is_out) in [
            (USUAL_PAGE, None, USUAL_PORT, false),
            (USUAL_PAGE, None, 4711, true),
            ("https://ui.perfetto.dev/", Some(4711), 4711, true),
            (own, None, USUAL_PORT, false),
            (own, None, 4711, true),
            (own, Some(4711), 4711, false),
        ] {
            assert_eq!(is_out_of_reach(ui, wanted, got), is_out, "{ui} {wanted:?} {got}");
        }
    }
}
