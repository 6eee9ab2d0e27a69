//! Serving a trace: the page gets it once, nobody else gets anything.

mod browser;
mod hand_over;

use super::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout};

/// A page that may fetch from any port, as the usual one may not.
const PAGE: &str = "https://viewer.example";
const USUAL_PAGE: &str = "https://ui.perfetto.dev";
/// Time limit of an answer.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// The command while it waits for the page.
struct Serving {
    child: Child,
    said: BufReader<ChildStdout>,
    link: String,
    address: String,
    path: String,
}

impl Serving {
    fn start(arguments: &[&str], run: &Path) -> Serving {
        let given = arguments.contains(&"--ui");
        let page = if given { &[][..] } else { &["--ui", PAGE] };
        let arguments = [&["view", "--port", "0"], page, arguments].concat();
        Serving::of(ompttrace(&arguments, run))
    }

    fn of(mut command: Command) -> Serving {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        let mut said = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        while !line.starts_with("open:") {
            line.clear();
            assert_ne!(said.read_line(&mut line).expect("read"), 0, "no link");
        }
        let link = line.trim_start_matches("open:").trim().to_owned();
        let url = match link.split_once("url=http%3A%2F%2F") {
            Some((_, rest)) => {
                rest.split('&').next().expect("an end").replace("%3A", ":").replace("%2F", "/")
            }
            None => link.trim_start_matches("http://").to_owned(),
        };
        let (address, path) = url.split_once('/').expect("a path");
        let (address, path) = (address.to_owned(), format!("/{path}"));
        Serving { child, said, link, address, path }
    }

    /// One request, and all of the answer: head and body.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> (String, Vec<u8>) {
        let mut stream = self.connect();
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        stream.write_all(format!("{request}\r\n").as_bytes()).expect("asked");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("answered");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        (text(&answer[..end]), answer[end + 4..].to_vec())
    }

    /// Sends a request with the headers of the viewer's page; returns the head and the body of the answer.
    fn ask_as_page(&self, method: &str, path: &str) -> (String, Vec<u8>) {
        self.ask(method, path, &[("Host", &self.address), ("Origin", PAGE)])
    }

    /// Returns true while the command runs.
    fn waits(&mut self) -> bool {
        self.child.try_wait().expect("looked").is_none()
    }

    /// Waits for the command's end; returns the rest of its output.
    fn end(mut self) -> String {
        let mut said = String::new();
        self.said.read_to_string(&mut said).expect("read");
        assert_eq!(self.child.wait().expect("waited").code(), Some(0), "{said}");
        said
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn status(head: &str) -> &str {
    head.split(' ').nth(1).unwrap_or_default()
}

#[test]
fn the_page_gets_the_trace_and_the_command_ends() {
    let folder = folder();
    run(&["export", "--quiet"], folder.path());
    let serving = Serving::start(&[], folder.path());
    assert!(serving.link.starts_with("https://viewer.example/#!/?url=http%3A%2F%2F127.0.0.1%3A"));
    assert!(serving.link.contains("&startupCommands=%5B%7B%22"), "{}", serving.link);
    let (head, body) = serving.ask_as_page("GET", &serving.path);
    assert_eq!(status(&head), "200", "{head}");
    assert!(body == std::fs::read(folder.path().join("trace.pftrace")).expect("a trace"));
    for header in [
        "Access-Control-Allow-Origin: https://viewer.example",
        &format!("Content-Length: {}", body.len()),
        "Cache-Control: no-store",
    ] {
        assert!(head.contains(header), "no {header:?} in {head}");
    }
    assert!(serving.end().contains("fetched"));
}

#[test]
fn a_run_without_a_trace_gets_one() {
    let folder = folder();
    let serving = Serving::start(&[], folder.path());
    assert_eq!(names(folder.path()), ["events.0", "recording.json", "trace.pftrace"]);
    serving.ask_as_page("GET", &serving.path);
    serving.end();
}

#[test]
fn head_and_preflight_requests_are_no_fetch() {
    let folder = folder();
    let mut serving = Serving::start(&[], folder.path());
    let (head, body) = serving.ask_as_page("HEAD", &serving.path);
    assert_eq!((status(&head), body.len()), ("200", 0), "{head}");
    let (head, _) = serving.ask_as_page("OPTIONS", &serving.path);
    assert_eq!(status(&head), "204");
    assert!(head.contains("Access-Control-Allow-Private-Network: true"), "{head}");
    assert_eq!(status(&serving.ask_as_page("POST", "/status").0), "405");
    assert!(serving.waits());
}

#[test]
fn other_paths_and_origins_get_nothing() {
    let folder = folder();
    let mut serving = Serving::start(&[], folder.path());
    let (address, path) = (serving.address.as_str(), serving.path.as_str());
    for path in ["/", "/trace.pftrace", "/../recording.json", &format!("{path}x")] {
        let (head, body) = serving.ask_as_page("GET", path);
        assert_eq!((status(&head), body.len()), ("404", 0), "{path}");
    }
    let other_page = [("Host", address), ("Origin", "https://evil.example")];
    let other_name = [("Host", "evil.example:80"), ("Origin", PAGE)];
    for headers in [&other_page[..], &other_name, &[("Origin", PAGE)]] {
        let (head, body) = serving.ask("GET", path, headers);
        assert_eq!((status(&head), body.len()), ("403", 0), "{headers:?}");
    }
    assert!(serving.waits());
}

#[test]
fn only_the_given_page_may_fetch() {
    let folder = folder();
    let serving = Serving::start(&["--ui", "http://127.0.0.1:10000/v5/"], folder.path());
    assert!(serving.link.starts_with("http://127.0.0.1:10000/v5/#!/?url="), "{}", serving.link);
    assert_eq!(status(&serving.ask_as_page("GET", &serving.path).0), "403");
    let own = [("Host", serving.address.as_str()), ("Origin", "http://127.0.0.1:10000")];
    assert_eq!(status(&serving.ask("GET", &serving.path, &own).0), "200");
    serving.end();
}

#[test]
fn a_taken_port_and_a_page_that_is_none_are_one_line() {
    let folder = folder();
    let serving = Serving::start(&[], folder.path());
    let port = serving.address.rsplit(':').next().expect("a port");
    for (arguments, words) in
        [(["--port", port], "is taken"), (["--ui", "perfetto"], "such as https://ui.perfetto.dev")]
    {
        let output = run(&[&["view"], &arguments[..]].concat(), folder.path());
        let line = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(line.lines().count() == 1 && line.contains(words), "{line}");
    }
}

#[test]
fn the_archive_for_vampir_is_named() {
    let folder = folder();
    let output = run(&["view", "--vampir"], folder.path());
    let anchor = folder.path().join("trace-otf2/traces.otf2");
    assert!(anchor.is_file(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains(&format!("vampir {}", anchor.display())), "{said}");
    assert_eq!(text(&run(&["view", "--vampir"], folder.path()).stdout), said);
    assert_eq!(text(&run(&["view", "--vampir"], &anchor).stdout), said);
}

impl Serving {
    /// The line with this name in /proc/PID/status of the command's process.
    fn status_line(&self, name: &str) -> String {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).expect("read");
        text.lines().find(|line| line.starts_with(name)).expect("a line").to_owned()
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).expect("connected")
    }
}

/// Other users of the machine can do so.
#[test]
fn a_body_that_never_comes_holds_nobody_up() {
    let folder = folder();
    let serving = Serving::start(&[], folder.path());
    let mut stuck = serving.connect();
    let request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
    stuck.write_all(request.as_bytes()).expect("asked");
    // It is answered before the next one asks.
    let mut answer = [0; 12];
    stuck.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stuck.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 403");
    assert_eq!(status(&serving.ask_as_page("GET", &serving.path).0), "200");
    serving.end();
}

#[test]
fn an_endless_head_is_cut_off() {
    const MOST: usize = 64 << 20;
    let folder = folder();
    let serving = Serving::start(&[], folder.path());
    let mut endless = serving.connect();
    endless.write_all(b"GET / HTTP/1.1\r\nX: ").expect("begun");
    let block = vec![b'a'; 1 << 20];
    let taken = (0..MOST).step_by(block.len()).take_while(|_| endless.write_all(&block).is_ok());
    let taken = taken.count() * block.len();
    assert!(taken < MOST, "{taken} bytes");
    assert_eq!(status(&serving.ask_as_page("GET", &serving.path).0), "200");
    serving.end();
}

#[test]
fn silent_connections_cost_no_threads_and_hold_nobody_up() {
    let folder = folder();
    let serving = Serving::start(&[], folder.path());
    let threads = serving.status_line("Threads:");
    let silent: Vec<TcpStream> = (0..200).map(|_| serving.connect()).collect();
    // A later client is answered later.
    assert_eq!(status(&serving.ask_as_page("HEAD", &serving.path).0), "200");
    assert_eq!(serving.status_line("Threads:"), threads);
    // Those that came first were given up.
    let given_up = silent.iter().filter(|stream| {
        stream.set_nonblocking(true).expect("set");
        !matches!((&mut &**stream).read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    });
    assert!(given_up.count() >= 100);
    assert_eq!(status(&serving.ask_as_page("GET", &serving.path).0), "200");
    serving.end();
}

#[test]
fn a_fetch_that_stops_holds_nobody_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("large.pftrace");
    let bytes: Vec<u8> = (0..4_000_000_u32).flat_map(u32::to_ne_bytes).collect();
    std::fs::write(&trace, &bytes).expect("written");
    let serving = Serving::start(&[], &trace);
    let mut stopped = serving.connect();
    let request = format!("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", serving.path, serving.address);
    stopped.write_all(request.as_bytes()).expect("asked");
    stopped.read_exact(&mut [0; 1000]).expect("begun");
    assert!(serving.ask_as_page("GET", &serving.path).1 == bytes);
    serving.end();
}
