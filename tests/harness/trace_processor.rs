//! Judges a trace by Perfetto's own trace processor: loads it there and asks in SQL.
//!
//! Needs `node` and `npm`; the trace processor itself is fetched once. Whatever is missing is an
//! error: a trace that nobody judged must not pass.

mod install;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

/// Every fault and every loss that the trace processor noticed. It files some that lose events
/// under `info` (a packet skipped for want of its sequence's state, say): those count as well.
const FAULTS: &str = "select name, value, severity from stats where value != 0 and \
                      (severity in ('error', 'data_loss') or name glob '*skipped*' \
                      or name glob '*error*' or name glob '*invalid*' or name glob 'flow_*') \
                      order by name, idx";

/// A trace, loaded in a trace processor.
#[derive(Debug)]
pub struct TraceProcessor {
    node: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    complaints: File,
}

/// The answer to a query. Columns must have distinct names.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows. An integer is exact over all 64 bits; a blob is hexadecimal text.
    pub rows: Vec<Vec<Value>>,
}

/// A fault that the trace processor noticed while it read the trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Its name in the table `stats`.
    pub name: String,
    /// `error` or `data_loss`; `info` for those that are worse than they sound.
    pub severity: String,
    /// How often.
    pub count: i64,
}

impl TraceProcessor {
    /// Loads a trace. Fails where it cannot be read at all; many faults are seen in
    /// [`TraceProcessor::stats_errors`] only.
    pub fn open(trace: impl AsRef<Path>) -> Result<Self> {
        let trace = trace.as_ref();
        let complaints = tempfile::tempfile()?;
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/trace_processor.mjs");
        let mut command = Command::new("node");
        command.arg(driver).arg(install::folder()?).arg(trace);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints.try_clone()?);
        let mut node = command.spawn().context("cannot run node: apt-get install nodejs npm")?;
        let requests = node.stdin.take().context("stdin is piped")?;
        let answers = BufReader::new(node.stdout.take().context("stdout is piped")?);
        let mut processor = TraceProcessor { node, requests, answers, complaints };
        processor.answer().with_context(|| format!("cannot load {}", trace.display()))?;
        Ok(processor)
    }

    /// Forgets the trace and loads another. Starting anew would take ten times as long.
    pub fn load(&mut self, trace: impl AsRef<Path>) -> Result<()> {
        let trace = trace.as_ref();
        let loaded = self.request(&serde_json::json!({ "load": trace }));
        loaded.map(drop).with_context(|| format!("cannot load {}", trace.display()))
    }

    /// Asks a question.
    pub fn query(&mut self, sql: &str) -> Result<Rows> {
        let answer = self.request(&serde_json::json!({ "sql": sql }));
        answer.with_context(|| format!("this query failed: {sql}"))
    }

    /// Makes the `.sql` files of a folder known as the modules of a PerfettoSQL package that is called
    /// like the folder, until another trace is loaded.
    pub fn register_package(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = folder.as_ref();
        let known = self.request(&serde_json::json!({ "package": folder }));
        known.map(drop).with_context(|| format!("cannot register {}", folder.display()))
    }

    fn request(&mut self, request: &Value) -> Result<Rows> {
        // A process that died is reported below, with what it said.
        let sent = self.requests.write_all(format!("{request}\n").as_bytes());
        drop(sent);
        self.answer()
    }

    /// The faults and losses that were noticed: none in a sound trace.
    pub fn stats_errors(&mut self) -> Result<Vec<Fault>> {
        let rows = self.query(FAULTS)?.rows;
        Ok(rows
            .iter()
            .map(|row| Fault {
                name: row[0].as_str().unwrap_or_default().to_owned(),
                severity: row[2].as_str().unwrap_or_default().to_owned(),
                count: row[1].as_i64().unwrap_or_default(),
            })
            .collect())
    }

    fn answer(&mut self) -> Result<Rows> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Answer {
            Rows(Rows),
            Error { error: String },
        }
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the trace processor ended ({})\n{}", self.node.wait()?, self.complaints()?);
        }
        match serde_json::from_str(&line)? {
            Answer::Rows(rows) => Ok(rows),
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

impl Drop for TraceProcessor {
    fn drop(&mut self) {
        // It has nothing to save, and either call fails only where it is gone already.
        let _ = self.node.kill();
        let _ = self.node.wait();
    }
}

impl Rows {
    /// The single value of a single row.
    pub fn value(&self) -> Result<&Value> {
        match &self.rows[..] {
            [row] if row.len() == 1 => Ok(&row[0]),
            _ => bail!("one value was expected, not {self:?}"),
        }
    }

    /// The single value of a single row, as an integer.
    pub fn integer(&self) -> Result<i64> {
        self.value()?.as_i64().with_context(|| format!("no integer: {self:?}"))
    }

    /// The rows as text, cells apart by `|`: easy to compare and to read in a failed test.
    pub fn lines(&self) -> Vec<String> {
        let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|")).collect()
    }
}
