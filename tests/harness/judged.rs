//! One run folder's trace in front of its judge: exported, loaded in the trace processor, and both
//! sides' numbers at hand.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::product::{Product, number};
use crate::trace_processor::TraceProcessor;

/// `what(name)`: the name of a slice without its source location: `for dynamic` of `heat.c:47 for dynamic`.
const WHAT: &str = "create or replace perfetto function what(name string) returns string as \
    select iif(first glob '*:[0-9]*', substr(name, length(first) + 2), name) from ( \
    select name, substr(name, 1, instr(name || ' ', ' ') - 1) as first from ( \
    select iif($name glob 'near *:[0-9]*', substr($name, 6), $name) as name))";

/// A trace that the trace processor has loaded.
#[derive(Debug)]
pub struct Judged {
    /// The output of `ompttrace export --json` for the trace.
    pub export: Value,
    /// The output of `ompttrace info --json` for the run folder.
    pub info: Value,
    judge: TraceProcessor,
}

/// Numbers of slices and instants on one group of tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Slices with a duration.
    pub lasting: u64,
    /// Slices without a duration: instants, and slices shorter than the clock's resolution.
    pub momentary: u64,
}

impl Judged {
    /// Exports a run folder with both views and loads the trace.
    pub fn open(run: &Path) -> Result<Judged> {
        Judged::with_view(run, "both")
    }

    /// Exports a run folder with this view only and loads the trace.
    pub fn with_view(run: &Path, view: &str) -> Result<Judged> {
        Judged::exported(run, &["--view", view])
    }

    /// Exports a run folder with the threads' view, without a minimum duration, and loads the trace.
    pub fn exact(run: &Path) -> Result<Judged> {
        Judged::exported(run, &["--view", "threads", "--exact"])
    }

    /// Exports as [`Judged::exact`] does, but only the time window that the options choose; the trace lies in the run folder.
    pub fn exact_within(run: &Path, window: &[&str]) -> Result<Judged> {
        let name = run.join(format!("exact{}.pftrace", window.concat()));
        let output = name.to_str().context("text")?;
        Judged::exported(
            run,
            &[&["--view", "threads", "--exact", "--output", output], window].concat(),
        )
    }

    fn exported(run: &Path, options: &[&str]) -> Result<Judged> {
        let product = Product::find()?;
        let all = ["--detail", "all"];
        let export = product.export_with(run, &[&all, options].concat())?;
        let trace = export["trace"].as_str().context("the JSON names no trace")?.to_string();
        Judged::of(Path::new(&trace), export, product.info(run)?)
    }

    /// A trace that was exported already, with what was said of it.
    pub fn of(trace: &Path, export: Value, info: Value) -> Result<Judged> {
        let mut judged = Judged { export, info, judge: TraceProcessor::open(trace)? };
        judged.judge().query(WHAT)?;
        Ok(judged)
    }

    /// The trace processor.
    pub fn judge(&mut self) -> &mut TraceProcessor {
        &mut self.judge
    }

    /// A number of the export's JSON.
    pub fn reported(&self, field: &str) -> Result<u64> {
        number(&self.export, &format!("/{field}"))
    }

    /// The rows of a query as text.
    pub fn lines(&mut self, sql: &str) -> Result<Vec<String>> {
        Ok(self.judge().query(sql)?.lines())
    }

    /// The one number that a query gives.
    pub fn count(&mut self, sql: &str) -> Result<u64> {
        let value = self.judge().query(sql)?.integer()?;
        u64::try_from(value).with_context(|| format!("{value}: {sql}"))
    }

    /// Numbers of slices and instants by group of tracks: `threads`, `Logical threads`, `Parallel regions`, `Locks`.
    pub fn drawn(&mut self) -> Result<BTreeMap<String, Drawn>> {
        let rows = self.judge().query(
            // A remark on the run as a whole, such as what it lost, is on the track of all groups.
            "select case when tt.id is null then coalesce(p.name, t.name) else 'threads' end, sum(lasting), sum(momentary) \
             from (select track_id, sum(dur > 0) as lasting, sum(dur = 0) as momentary from slice \
             where category not glob 'state*' group by 1) s \
             join track t on t.id = s.track_id left join track p on p.id = t.parent_id \
             left join thread_track tt on tt.id = t.id group by 1",
        )?;
        let mut drawn = BTreeMap::new();
        for row in &rows.rows {
            let count = |at: usize| row[at].as_u64().context("a count");
            let group = row[0].as_str().context("a track without a group")?.to_string();
            drawn.insert(group, Drawn { lasting: count(1)?, momentary: count(2)? });
        }
        Ok(drawn)
    }
}

/// Records dropped by the timeline, by reason.
pub fn dropped(export: &Value) -> Result<BTreeMap<String, u64>> {
    let table = export["records"]["dropped"].as_object().context("dropped is no table")?;
    let mut dropped = BTreeMap::new();
    for (reason, count) in table {
        let count = count.as_u64().context("a count")?;
        ensure!(count > 0, "a reason without records: {reason}");
        dropped.insert(reason.clone(), count);
    }
    Ok(dropped)
}
