//! `ompttrace info` of a job: its ranks side by side.

use super::{Job, Rank, number};
use crate::arguments::InfoArguments;
use crate::info::{self, ending};
use crate::merge::{self, Alignment};
use crate::process::Life;
use crate::waiting::Waiting;
use crate::{run_folder, say};
use anyhow::Result;
use ompttrace_recording::facts::Facts;
use ompttrace_recording::{Recording, mpi};
use ompttrace_timeline::{Counts, JobMessages, Matching, Ranks};
use serde_json::{Value, json};

/// The version of what `--json` prints of a job: raised when a field changes its meaning or is removed.
const SCHEMA: u32 = 1;

/// A rank that was read. Its recording is not open any more, as there may be more ranks than a process may have open files.
struct Counted<'a> {
    rank: &'a Rank,
    facts: Facts,
    clocks: Vec<mpi::Clock>,
    row: [String; 8],
    /// Description of it for `info --json`.
    described: Value,
}

/// Describes all ranks.
pub fn run(job: &Job, arguments: &InfoArguments) -> Result<()> {
    let waiting = Waiting::new("reading the recordings", arguments.json);
    let mut all = Ranks::default();
    let ranks = job.ranks.iter().map(|rank| {
        let life = Life::at(&rank.path);
        let recording = run_folder::open(&rank.path)?;
        let counts = ompttrace_timeline::count(&recording);
        recording.check()?;
        all.add(rank.number, &recording, &Matching::of(&recording, number(&recording.path)));
        let described = match arguments.json {
            true => json!(info::describe(&recording, &counts, life)),
            false => Value::Null,
        };
        let row = row(rank, (&recording, life), &counts);
        let (facts, clocks) = (recording.facts, counts.mpi.clocks);
        Ok(Counted { rank, facts, clocks, row, described })
    });
    let ranks = ranks.collect::<Result<Vec<_>>>()?;
    let alignment = aligned(&ranks);
    let (_, messages) = all.finish();
    drop(waiting);
    match arguments.json {
        true => say::json(&value(job, &ranks, (&messages, alignment))),
        false => say::out(&text(job, &ranks, (&messages, alignment))),
    }
}

fn value(
    job: &Job,
    ranks: &[Counted<'_>],
    (messages, alignment): (&JobMessages, Alignment),
) -> Value {
    let rank = |counted: &Counted<'_>| {
        let Counted { rank, described, .. } = counted;
        json!({
            "rank": rank.number,
            "run": rank.path.to_string_lossy(),
            "info": described,
        })
    };
    json!({
        "schema": SCHEMA,
        "job": job.path.to_string_lossy(),
        "size": job.size,
        "missing": job.missing(),
        "messages": merge::messages_value(messages),
        "clocks": alignment.value(),
        "ranks": ranks.iter().map(rank).collect::<Vec<_>>(),
    })
}

fn text(
    job: &Job,
    ranks: &[Counted<'_>],
    (messages, alignment): (&JobMessages, Alignment),
) -> String {
    let mut lines = vec![
        format!("job       {}", say::shown(&job.path)),
        format!("ranks     {} of {}", ranks.len(), job.size),
    ];
    lines.extend(job.remark().map(|remark| format!("missing   {remark}")));
    if let Some(Counted { facts, .. }) = ranks.first() {
        let arguments = facts.process.arguments.join(" ");
        lines.push(format!("program   {}", say::harmless(&arguments)));
    }
    lines.push(format!("messages  {}", merge::in_words(messages)));
    lines.push(format!("clocks    {alignment}"));
    let heads = ["rank", "process", "host", "events", "lost", "MPI calls", "messages", "ended"];
    let rows: Vec<[String; 8]> = ranks.iter().map(|counted| counted.row.clone()).collect();
    lines.push(String::new());
    lines.extend(table(heads.map(str::to_owned), &rows));
    lines.join("\n")
}

/// The way in which commands put the ranks on one clock.
fn aligned(ranks: &[Counted<'_>]) -> Alignment {
    let places: Vec<_> =
        ranks.iter().map(|counted| (counted.rank.path.as_path(), &counted.facts)).collect();
    let measured: Vec<_> = ranks.iter().map(|counted| counted.clocks.clone()).collect();
    merge::alignment(&places, &measured)
}

fn row(rank: &Rank, (recording, life): (&Recording, Life), counts: &Counts) -> [String; 8] {
    let process = &recording.facts.process;
    let (events, lost) = info::events(counts);
    [
        rank.number.to_string(),
        process.pid.to_string(),
        say::harmless(&process.host),
        events.to_string(),
        lost.to_string(),
        counts.mpi.all_calls().to_string(),
        counts.mpi.sent.to_string(),
        ending(recording, life),
    ]
}

/// Columns as wide as their widest cell, the last one as it is.
fn table(heads: [String; 8], rows: &[[String; 8]]) -> Vec<String> {
    let all = || std::iter::once(&heads).chain(rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..heads.len() - 1).map(width).collect();
    let line = |row: &[String; 8]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
        cells.chain(row.last().cloned()).collect::<Vec<_>>().join("  ")
    };
    all().map(line).collect()
}
