//! The process in which trace processors run, each in a thread of its own: requests and answers are a line each, with the number of
//! the trace processor in front.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::install;

/// The process, from the first trace on. It ends when this process does, by the end of its input.
static HOST: Mutex<Option<Arc<Host>>> = Mutex::new(None);

/// The process in which all trace processors run.
#[derive(Debug)]
struct Host {
    requests: Mutex<ChildStdin>,
    /// Where the answers to each trace processor's requests go, until it ends; none once the process has ended.
    answers: Mutex<Option<HashMap<u64, Sender<String>>>>,
    /// Its standard error.
    complaints: File,
    /// Number of the next trace processor.
    next: AtomicU64,
}

/// A trace processor.
#[derive(Debug)]
pub struct Node {
    host: Arc<Host>,
    number: u64,
    answers: Receiver<String>,
    /// False once it has ended.
    runs: bool,
    /// Bytes of the largest trace that it has loaded.
    largest: u64,
}

impl Node {
    /// Starts one that loads a trace.
    pub fn start(trace: &Path) -> Result<Node> {
        let mut node = Host::running()?.add()?;
        node.load(trace)?;
        Ok(node)
    }

    /// Loads another trace instead.
    pub fn load(&mut self, trace: &Path) -> Result<()> {
        self.largest = self.largest.max(size(trace));
        self.request(&json!({ "load": trace })).map(|_: Value| ())
    }

    /// Bytes of the largest trace that it has loaded.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Sends a request and waits for its answer.
    pub fn request<A: DeserializeOwned>(&mut self, request: &Value) -> Result<A> {
        // A process that died is reported below, with what it said.
        drop(self.host.send(self.number, &request.to_string()));
        self.answer()
    }

    /// True while it can take another request.
    pub fn answers(&self) -> bool {
        self.runs
    }

    fn answer<A: DeserializeOwned>(&mut self) -> Result<A> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Answer<A> {
            Error { error: String },
            Answer(A),
        }
        let Ok(line) = self.answers.recv() else {
            self.runs = false;
            bail!("the trace processor ended\n{}", self.host.complaints()?);
        };
        match serde_json::from_str(&line)? {
            Answer::Answer(answer) => Ok(answer),
            Answer::Error { error } => bail!("the trace processor says: {error}"),
        }
    }
}

/// Bytes of a trace, 0 if there is none.
pub fn size(trace: &Path) -> u64 {
    trace.metadata().map_or(0, |metadata| metadata.len())
}

impl Drop for Node {
    fn drop(&mut self) {
        // It has nothing to save, and this fails only where it is gone already.
        let _ = self.host.send(self.number, "");
    }
}

impl Host {
    /// The process, which is started if there is none.
    fn running() -> Result<Arc<Host>> {
        let mut host = locked(&HOST);
        match &*host {
            Some(host) if locked(&host.answers).is_some() => Ok(Arc::clone(host)),
            _ => Ok(Arc::clone(host.insert(Host::start()?))),
        }
    }

    fn start() -> Result<Arc<Host>> {
        let complaints = tempfile::tempfile()?;
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/trace_processor.mjs");
        let mut command = Command::new("node");
        command.arg(driver).arg(install::folder()?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints.try_clone()?);
        let mut process = command.spawn().context("cannot run node: apt-get install nodejs npm")?;
        let requests = Mutex::new(process.stdin.take().context("stdin is piped")?);
        let stdout = process.stdout.take().context("stdout is piped")?;
        let (answers, next) = (Mutex::new(Some(HashMap::new())), AtomicU64::new(0));
        let host = Arc::new(Host { requests, answers, complaints, next });
        let reader = Arc::clone(&host);
        thread::spawn(move || {
            reader.hand_out(stdout);
            // Those who wait learn that there is no answer.
            *locked(&reader.answers) = None;
            process.wait()
        });
        Ok(host)
    }

    fn add(self: Arc<Host>) -> Result<Node> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answers) = channel();
        let mut waiting = locked(&self.answers);
        waiting.as_mut().context("the trace processor ended")?.insert(number, sender);
        drop(waiting);
        Ok(Node { host: self, number, answers, runs: true, largest: 0 })
    }

    fn send(&self, number: u64, request: &str) -> Result<()> {
        Ok(locked(&self.requests).write_all(format!("{number} {request}\n").as_bytes())?)
    }

    /// Hands out answers until the last one. An empty one says that the trace processor has ended.
    fn hand_out(&self, stdout: ChildStdout) {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let Some((number, text)) = line.split_once(' ') else { continue };
            let (Ok(number), Some(answers)) = (number.parse(), &mut *locked(&self.answers)) else {
                continue;
            };
            match text {
                "" => drop(answers.remove(&number)),
                // One that is not waited for any more needs none.
                _ => drop(answers.get(&number).map(|to| to.send(text.to_owned()))),
            }
        }
    }

    fn complaints(&self) -> Result<String> {
        let (mut file, mut text) = (&self.complaints, Vec::new());
        file.rewind()?;
        file.read_to_end(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
