//! A server on loopback for one trace and one page: who does not know the path, or comes from another
//! page, gets nothing.
//!
//! The path has a random part, because everybody on a shared machine can reach its loopback.

use super::link::component;
use crate::progress::Progress;
use anyhow::{Context, Result, anyhow};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use tiny_http::{Header, Method, Request, Response, StatusCode};

/// A trace that waits to be fetched.
pub struct Server {
    http: tiny_http::Server,
    address: SocketAddr,
    trace: PathBuf,
    path: String,
    /// The page that may fetch it, as browsers name it.
    origin: String,
}

impl Server {
    /// Listens for the page at `ui`.
    pub fn new(trace: &Path, ui: &str, port: u16) -> Result<Server> {
        let wanted = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let http = tiny_http::Server::http(wanted).map_err(|error| refused(port, &*error))?;
        let address = http.server_addr().to_ip().context("no address to listen on")?;
        let name = trace.file_name().unwrap_or_default().to_string_lossy();
        let path = format!("/{}/{}", secret()?, component(&name));
        Ok(Server { http, address, trace: trace.to_owned(), path, origin: origin(ui)? })
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Where the trace is.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// Answers until somebody has the whole trace.
    pub fn until_fetched(&self) -> Result<()> {
        loop {
            let request = self.http.recv().context("waiting for the page")?;
            if self.answer(request)? {
                return Ok(());
            }
        }
    }

    /// Whether the whole trace was fetched.
    fn answer(&self, request: Request) -> Result<bool> {
        let is_trace = request.url() == self.path;
        let status = match request.method() {
            _ if !self.is_for_us(&request) => 403,
            Method::Options => 204,
            Method::Get | Method::Head if is_trace => return self.hand_out(request),
            Method::Get | Method::Head => 404,
            _ => 405,
        };
        let response = Response::empty(StatusCode(status));
        // Who goes away meanwhile may come again.
        let _ = request.respond(self.headers()?.into_iter().fold(response, Response::with_header));
        Ok(false)
    }

    /// Not under a name that somebody else's page has got for this address, and not from that page.
    fn is_for_us(&self, request: &Request) -> bool {
        let named = |name: &'static str| {
            let found = request.headers().iter().find(|header| header.field.equiv(name));
            found.map(|header| header.value.as_str())
        };
        let own = [self.address.to_string(), format!("localhost:{}", self.port())];
        named("Host").is_some_and(|host| own.iter().any(|own| own == host))
            && named("Origin").is_none_or(|origin| origin == self.origin)
    }

    /// The headers by which a browser lets the page have the answer.
    fn headers(&self) -> Result<Vec<Header>> {
        let headers = [
            ("Access-Control-Allow-Origin", self.origin.as_str()),
            ("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
            ("Access-Control-Allow-Headers", "*"),
            ("Access-Control-Allow-Private-Network", "true"),
            ("Cache-Control", "no-store"),
            ("Vary", "Origin"),
        ];
        let header = |(name, value): (&str, &str)| {
            Header::from_bytes(name, value).map_err(|()| anyhow!("{value:?} is no header"))
        };
        headers.into_iter().map(header).collect()
    }

    fn hand_out(&self, request: Request) -> Result<bool> {
        let shown = || format!("{}", self.trace.display());
        let file = File::open(&self.trace).with_context(shown)?;
        let all = file.metadata().with_context(shown)?.len();
        let wants_bytes = *request.method() == Method::Get;
        let mut watched = Watched { file, done: 0, all, progress: Progress::new(false) };
        let mut headers = self.headers()?;
        headers.extend(Header::from_bytes("Content-Type", "application/octet-stream"));
        let length = usize::try_from(all).ok();
        let response = Response::new(StatusCode(200), headers, &mut watched, length, None);
        // With its length, by which the page shows how far it is.
        let sent = request.respond(response.with_chunked_threshold(usize::MAX));
        Ok(wants_bytes && sent.is_ok() && watched.done == all)
    }
}

/// A file, and how much of it was read.
struct Watched {
    file: File,
    done: u64,
    all: u64,
    progress: Progress,
}

impl Read for Watched {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.file.read(to)?;
        self.done += bytes as u64;
        self.progress.show(self.done, self.all);
        Ok(bytes)
    }
}

/// What nobody guesses.
fn secret() -> Result<String> {
    let mut bytes = [0; 16];
    let source = "/dev/urandom";
    File::open(source).and_then(|mut file| file.read_exact(&mut bytes)).context(source)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// Scheme, host and port of a page.
fn origin(ui: &str) -> Result<String> {
    let wrong = || anyhow!("--ui {ui:?} is not allowed: a page such as https://ui.perfetto.dev");
    let (scheme, rest) = ui.split_once("://").ok_or_else(wrong)?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let good = |letter: char| letter.is_ascii_graphic() && letter != '"';
    if !["http", "https"].contains(&scheme) || host.is_empty() || !host.chars().all(good) {
        return Err(wrong());
    }
    Ok(format!("{scheme}://{host}"))
}

fn refused(port: u16, error: &(dyn std::error::Error + 'static)) -> anyhow::Error {
    let taken = error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::AddrInUse);
    match taken {
        true => anyhow!(
            "port {port} is taken, by another `ompttrace view` or a trace_processor: end that one (the \
             viewer's page asks at this port only)"
        ),
        false => anyhow!("port {port} of 127.0.0.1: {error}"),
    }
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
    fn secrets_differ() {
        assert_ne!(secret().expect("random"), secret().expect("random"));
    }
}
