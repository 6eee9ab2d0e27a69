//! `tests/otf2_judge/serve.py`: a Python that reads one archive after the other.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::json;

use super::{LIMIT, python};

/// Servers that read nothing now: to start one takes half a second of a core, to read a small archive a tenth of that.
static IDLE: Mutex<Vec<Server>> = Mutex::new(Vec::new());

/// A server.
#[derive(Debug)]
struct Server {
    python: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    complaints: File,
}

/// The end of check.py.
#[derive(Deserialize)]
struct Answer {
    status: i32,
    printed: String,
}

/// Runs check.py on an anchor file; it writes its JSON there. Returns the exit status, which is 0 or 1.
pub fn check(json: &Path, anchor: &Path) -> Result<i32> {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut server = idle.map_or_else(Server::start, Ok)?;
    let Answer { status, printed } = server.ask(json, anchor)?;
    IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(server);
    ensure!(
        matches!(status, 0 | 1),
        "check.py {} ended with {status}:\n{printed}",
        anchor.display()
    );
    Ok(status)
}

impl Server {
    fn start() -> Result<Server> {
        let complaints = tempfile::tempfile()?;
        let mut command = python("serve.py");
        command.arg(LIMIT.as_secs().to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints.try_clone()?);
        let mut python = command.spawn().context("cannot start python3")?;
        let requests = python.stdin.take().context("stdin is piped")?;
        let answers = BufReader::new(python.stdout.take().context("stdout is piped")?);
        Ok(Server { python, requests, answers, complaints })
    }

    fn ask(&mut self, json: &Path, anchor: &Path) -> Result<Answer> {
        // If it has ended, that is reported below, with what it said.
        let _ =
            self.requests.write_all(format!("{}\n", json!(["--json", json, anchor])).as_bytes());
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            let mut said = String::new();
            self.complaints.rewind()?;
            self.complaints.read_to_string(&mut said)?;
            bail!(
                "serve.py ended ({}); is a package missing? apt-get install python3-otf2 python3-six\n{said}",
                self.python.wait()?
            );
        }
        Ok(serde_json::from_str(&line)?)
    }
}
