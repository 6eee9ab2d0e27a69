//! The process in which a trace processor runs: requests and answers, a line each.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::install;

/// The process.
#[derive(Debug)]
pub struct Node {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    complaints: File,
    /// False once it has ended.
    runs: bool,
}

impl Node {
    /// Starts one that loads a trace.
    pub fn start(trace: &Path) -> Result<Node> {
        let complaints = tempfile::tempfile()?;
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/trace_processor.mjs");
        let mut command = Command::new("node");
        command.arg(driver).arg(install::folder()?).arg(trace);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints.try_clone()?);
        let mut process = command.spawn().context("cannot run node: apt-get install nodejs npm")?;
        let requests = process.stdin.take().context("stdin is piped")?;
        let answers = BufReader::new(process.stdout.take().context("stdout is piped")?);
        let mut node = Node { process, requests, answers, complaints, runs: true };
        node.answer::<Value>()?;
        Ok(node)
    }

    /// Sends a request and waits for its answer.
    pub fn request<A: DeserializeOwned>(&mut self, request: &Value) -> Result<A> {
        // A process that died is reported below, with what it said.
        let sent = self.requests.write_all(format!("{request}\n").as_bytes());
        drop(sent);
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
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            self.runs = false;
            bail!("the trace processor ended ({})\n{}", self.process.wait()?, self.complaints()?);
        }
        match serde_json::from_str(&line)? {
            Answer::Answer(answer) => Ok(answer),
            Answer::Error { error } => bail!("the trace processor says: {error}"),
        }
    }

    fn complaints(&mut self) -> Result<String> {
        let mut text = Vec::new();
        self.complaints.rewind()?;
        self.complaints.read_to_end(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // It has nothing to save, and either call fails only where it is gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
