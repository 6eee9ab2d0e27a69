//! Tables of a job's ranks: joined by an engine, they have what the report of the job has.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::tables::{Tables, export, shipped};
use serde_json::Value;

use super::jobs::Recorded;
use super::judged::{IMPLEMENTATIONS, Mpi};

/// Scripts that open the tables of MPI and join them, in their order.
const JOINS: [&str; 5] = ["open_mpi", "clocks", "messages", "collectives", "waits"];

/// The joined tables of a job.
fn joined(recorded: &Recorded) -> Result<Tables> {
    export(&recorded.folder, &[])?;
    let mut tables = Tables::open(recorded.folder.join("rank.*/trace-parquet"))?;
    JOINS.iter().try_for_each(|name| tables.query(&shipped(name)?).map(drop))?;
    Ok(tables)
}

/// Rows of a query that ships, in any order: these columns as text, and these as numbers.
type Rows = BTreeMap<Vec<String>, Vec<i64>>;

fn rows(values: &[Value], names: &[&str], numbers: &[&str]) -> Result<Rows> {
    let row = |value: &Value| -> Result<(Vec<String>, Vec<i64>)> {
        let text = |name: &&str| value[*name].as_str().unwrap_or_default().to_owned();
        let number =
            |name: &&str| value[*name].as_i64().with_context(|| format!("{name}: {value}"));
        let numbers = numbers.iter().map(number).collect::<Result<_>>()?;
        Ok((names.iter().map(text).collect(), numbers))
    };
    values.iter().map(row).collect()
}

fn asked(tables: &mut Tables, name: &str) -> Result<Vec<Value>> {
    let answer = tables.query(&shipped(name)?)?;
    let row = |row: Vec<Value>| answer.columns.iter().cloned().zip(row).collect();
    Ok(answer.rows.into_iter().map(row).map(Value::Object).collect())
}

/// Rows of numbers, sorted.
fn pairs(values: &[Value], columns: [&str; 5]) -> Result<Vec<Vec<i64>>> {
    let row = |value: &Value| -> Result<Vec<i64>> {
        let number =
            |name: &&str| value[*name].as_i64().with_context(|| format!("{name}: {value}"));
        columns.iter().map(number).collect()
    };
    let mut all = values.iter().map(row).collect::<Result<Vec<_>>>()?;
    all.sort();
    Ok(all)
}

const PLACES: [&str; 5] = ["kind", "function", "location", "cause_function", "cause_location"];

/// Every wait of the report, and every pair of ranks, to the nanosecond.
fn compare(mpi: Mpi, source: &str, arguments: &[&str]) -> Result<()> {
    let recorded = Recorded::new(mpi, source, arguments)?;
    let report = recorded.json(&["report", "--json"])?;
    let mut tables = joined(&recorded)?;
    let list = |name: &str| report[name].as_array().cloned().context(name.to_owned());
    let found = asked(&mut tables, "worst_calls")?;
    let found = rows(&found, &PLACES, &["waits", "wait_ns", "cause_rank", "cause_rank_ns"])?;
    let wanted =
        rows(&list("waits")?, &PLACES, &["count", "time_ns", "cause_rank", "cause_rank_ns"])?;
    ensure!(!found.is_empty() && found == wanted, "{found:#?} but the report has {wanted:#?}");
    let found = asked(&mut tables, "communication")?;
    let found = pairs(&found, ["sender", "receiver", "messages", "bytes", "wait_ns"])?;
    let wanted = pairs(&list("matrix")?, ["from", "to", "messages", "bytes", "waiting_ns"])?;
    ensure!(found == wanted, "{found:?} but the report has {wanted:?}");
    // Late senders and last ranks are sums of the same waits.
    let time = |waits: &[Value], field: &str| -> i64 {
        waits.iter().filter_map(|wait| wait[field].as_i64()).sum()
    };
    let of = |is_late_sender: bool| -> Result<Vec<Value>> {
        let is_wanted = |wait: &Value| match wait["kind"].as_str() {
            Some("late_sender") => is_late_sender,
            Some("late_receiver") | None => false,
            Some(_) => !is_late_sender,
        };
        Ok(list("waits")?.into_iter().filter(is_wanted).collect())
    };
    let late = asked(&mut tables, "late_senders")?;
    ensure!(time(&late, "wait_ns") == time(&of(true)?, "time_ns"), "{late:?}");
    let last = asked(&mut tables, "last_ranks")?;
    ensure!(time(&last, "caused_ns") == time(&of(false)?, "time_ns"), "{last:?}");
    // One rank is the last one at each operation.
    let operations = tables.number("select count(distinct operation) from collectives")?;
    ensure!(time(&last, "last") == operations && operations > 0, "{operations}: {last:?}");
    Ok(())
}

#[test]
fn joins_of_tables_have_the_waits_and_messages_of_the_jobs_report() -> Result<()> {
    IMPLEMENTATIONS.into_iter().try_for_each(|mpi| compare(mpi, "judge.c", &[]))
}

/// A table without rows is there, empty, so that the scripts open all of them.
#[test]
fn a_job_without_messages_has_an_empty_table_of_them() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "patterns.c", &["barrier"])?;
    let mut tables = joined(&recorded)?;
    let [messages, operations] = ["messages", "collectives"]
        .map(|table| tables.number(&format!("select count(*) from {table}")));
    let (messages, operations) = (messages?, operations?);
    ensure!(messages == 0 && operations > 0, "{messages} messages, {operations} parts");
    Ok(())
}

/// Messages that have no number are ends without a message, and are joined with none.
#[test]
fn ends_of_messages_after_a_pause_are_joined_with_none() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "patterns.c", &["paused"])?;
    let (matched, others) = recorded.messages()?;
    let mut tables = joined(&recorded)?;
    let messages = tables.number("select count(*) from messages")?;
    let ends = tables.number("select count(*) from mpi_messages")?;
    let numbered = tables.number("select count(message) from mpi_messages")?;
    ensure!(messages == matched as i64, "{messages} of {matched}");
    ensure!(ends - 2 * messages == others as i64, "{ends} ends, {messages} messages, {others}");
    ensure!(numbered < ends, "{numbered} of {ends} have a number");
    Ok(())
}
