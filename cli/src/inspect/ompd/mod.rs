//! OMPD: its library is asked in a process of its own, which may crash, hang or be lied to by its target: all that it
//! can do is to give no answer.

mod frame_tasks;
pub mod helper;
mod live;
mod text;

pub use frame_tasks::tasks_of;
pub use text::lines;

use super::unwind::Walked;
use anyhow::{Context, Result, bail};
use ompttrace_ompd::Answer;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum time for an answer, which takes milliseconds: all threads of a target are stopped meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
/// Maximum time for an answer about a core file, which may lie on a slow disk.
const PATIENCE_OF_CORES: Duration = Duration::from_secs(20);
/// Maximum size of an answer, in bytes.
const LARGEST: u64 = 64 << 20;

/// The subject of a query.
pub enum About<'a> {
    Process(u32),
    /// A core file, and the path of its program now, if that was moved.
    Core(&'a Path, Option<&'a Path>),
}

/// Answer of the helper process.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    pub answer: Answer,
    /// For a process, the call stacks of all threads as they were stopped for the queries.
    pub stacks: Vec<ThreadStack>,
}

/// The call stack of a thread, by the kernel's id.
#[derive(Debug, Serialize, Deserialize)]
pub struct ThreadStack {
    pub id: u32,
    pub walked: Walked,
}

/// Queries the OMPD library beside the runtime, or `library`.
pub fn ask(about: &About<'_>, library: Option<&Path>) -> Result<Reply> {
    let mut arguments: Vec<OsString> = vec!["ask-ompd".into()];
    let patience = match about {
        About::Process(pid) => {
            arguments.extend(["--pid".into(), pid.to_string().into()]);
            PATIENCE
        }
        About::Core(path, executable) => {
            arguments.extend(["--core".into(), path.as_os_str().to_owned()]);
            if let Some(executable) = executable {
                arguments.extend(["--exe".into(), executable.as_os_str().to_owned()]);
            }
            PATIENCE_OF_CORES
        }
    };
    if let Some(library) = library {
        arguments.extend(["--library".into(), library.as_os_str().to_owned()]);
    }
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).env_clear().stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let answer = read_all(child.stdout.take());
    let complaint = read_all(child.stderr.take());
    let status = wait(&mut child, patience);
    let text = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let (answer, complaint) = (text(answer), text(complaint));
    match status? {
        None => bail!("the OMPD library gave no answer within {} s", patience.as_secs()),
        Some(status) if status.success() => {
            serde_json::from_slice(&answer).context("the OMPD library's answer")
        }
        Some(status) => {
            let complaint = String::from_utf8_lossy(&complaint);
            match complaint.lines().last().map(|line| line.trim_start_matches("ompttrace: ")) {
                Some(line) if status.code() == Some(1) => bail!("{line}"),
                _ => bail!("the OMPD library ended its process ({status})"),
            }
        }
    }
}

/// Reads in a thread of its own, so that a full pipe blocks nothing.
fn read_all<R: Read + Send + 'static>(from: Option<R>) -> Option<thread::JoinHandle<Vec<u8>>> {
    let from = from?;
    let read = move || {
        let mut bytes = Vec::new();
        let _ = from.take(LARGEST).read_to_end(&mut bytes);
        bytes
    };
    thread::Builder::new().name("answer".into()).spawn(read).ok()
}

/// Waits for the child's end; returns `None` if it took too long and was killed, after which the kernel lets its target
/// continue.
fn wait(child: &mut Child, patience: Duration) -> Result<Option<std::process::ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(1));
    }
}
