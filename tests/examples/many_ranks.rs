//! Tables of many ranks, made of real recordings, and how long the queries that ship take by DuckDB on two threads.
//! `--ranks N` (1000): of 200 rounds each; `--intervals N` (0): as many ranks with some ten million events and the
//! table of intervals; `--messages N` (0): each of the ranks of MPI programs instead, with as many messages;
//! `--spark`: by Spark as well, with equal results; `--job FOLDER`, with `--messages N`: makes one job of all ranks there, which stays,
//! and corrects its clocks.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::many_ranks::{self, Bases};
use ompttrace_tests::product::Product;
use ompttrace_tests::tables::{Tables, shipped};
use ompttrace_tests::trace_processor::Rows;
use ompttrace_tests::{build, made_job, peak, process, wheels};
use serde_json::Value;

const QUERIES: [&str; 5] = ["worst_sites", "imbalance", "slowest_path", "blockers", "changed"];
/// Scripts that join the tables of MPI, and queries of what they make.
const JOINS: [&str; 5] = ["open_mpi", "clocks", "messages", "collectives", "waits"];
const OF_MESSAGES: [&str; 4] = ["worst_calls", "communication", "late_senders", "last_ranks"];
const OF_INTERVALS: [&str; 1] = ["longest_waits"];
const ALL_INTERVALS: &str =
    "select state, sum(self_ns), count(*), max(dur_ns) from intervals group by state";

/// 450 MB; takes Java 17 or later.
const SPARK: &[&str] = &["pyspark==4.1.4", "py4j==0.10.9.9"];
/// Recordings that ranks are made of.
const BASES: u32 = 4;
/// Rounds of a rank, and of one with some ten million events.
const ROUNDS: u32 = 200;
const MANY_ROUNDS: u32 = 110_000;

#[derive(Default)]
struct Options {
    ranks: usize,
    intervals: usize,
    messages: usize,
    spark: bool,
    job: Option<PathBuf>,
}

impl Options {
    fn read() -> Result<Options> {
        let mut options = Options { ranks: 1000, ..Options::default() };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|text| text.parse().ok());
            match word.as_str() {
                "--ranks" => options.ranks = number().context("--ranks takes a number")?,
                "--intervals" => {
                    options.intervals = number().context("--intervals takes a number")?
                }
                "--messages" => options.messages = number().context("--messages takes a number")?,
                "--spark" => options.spark = true,
                "--job" => options.job = Some(words.next().context("--job takes a folder")?.into()),
                _ => bail!("no option is called {word}"),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let options = Options::read()?;
    if let Some(path) = &options.job {
        return job(&options, path);
    }
    if options.messages > 0 {
        return messages(&options);
    }
    if options.ranks > 0 {
        rollups(&options)?;
    }
    if options.intervals > 0 { intervals(options.intervals) } else { Ok(()) }
}

fn rollups(options: &Options) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let bases = many_ranks::recorded(ROUNDS, BASES)?;
    let since = Instant::now();
    // Bins as many as a run of some minutes has of a second.
    many_ranks::make(folder.path(), &Bases::alone(&bases)?, options.ranks, &["--bin", "2ms"])?;
    let datasets = folder.path().join("rank.*/trace-parquet");
    let mut tables = said_of(folder.path(), &datasets, since)?;
    tables.query(&format!("SET VARIABLE before = '{}'", datasets.display()))?;
    tables.query(&shipped("open_before")?)?;
    let mut answers = Vec::new();
    for query in QUERIES {
        answers.push(timed(&mut tables, query, &shipped(query)?)?);
    }
    if options.spark { by_spark(&datasets, &QUERIES, &answers) } else { Ok(()) }
}

fn intervals(ranks: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let bases = many_ranks::recorded(MANY_ROUNDS, 1)?;
    let since = Instant::now();
    many_ranks::make(folder.path(), &Bases::alone(&bases)?, ranks, &["--intervals"])?;
    let datasets = folder.path().join("rank.*/trace-parquet");
    let mut tables = said_of(folder.path(), &datasets, since)?;
    tables.query(&shipped("open_intervals")?)?;
    println!("{} intervals", tables.number("select count(*) from intervals")?);
    for query in OF_INTERVALS {
        timed(&mut tables, query, &shipped(query)?)?;
    }
    timed(&mut tables, "all intervals by state", ALL_INTERVALS).map(drop)
}

/// Joins the tables of MPI's ranks, once, and asks.
fn messages(options: &Options) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let job = tempfile::tempdir()?;
    let bases = many_ranks::recorded_job(job.path(), options.messages)?;
    let since = Instant::now();
    many_ranks::make(folder.path(), &bases, options.ranks, &[])?;
    let datasets = folder.path().join("rank.*/trace-parquet");
    let mut tables = said_of(folder.path(), &datasets, since)?;
    tables.query("SET memory_limit = '4GiB'")?;
    for script in JOINS {
        let since = Instant::now();
        tables.query(&shipped(script)?)?;
        println!("DuckDB, {script}: {:.2} s", since.elapsed().as_secs_f64());
    }
    let count = |what: &str| format!("select count(*) from {what}");
    let ends = tables.number(&count("mpi_messages"))?;
    let [messages, operations, waits] =
        ["messages", "collectives", "waits"].map(|table| tables.number(&count(table)));
    let (messages, operations, waits) = (messages?, operations?, waits?);
    println!("{ends} ends of {messages} messages, {operations} parts of operations, {waits} waits");
    ensure!(ends == 2 * messages, "messages without their other end");
    let mut answers = Vec::new();
    for query in OF_MESSAGES {
        answers.push(timed(&mut tables, query, &shipped(query)?)?);
    }
    if options.spark { by_spark(&datasets, &OF_MESSAGES, &answers) } else { Ok(()) }
}

/// Makes a job of all ranks, and measures the correction of its clocks alone: nothing of the trace is in the time window.
fn job(options: &Options, path: &Path) -> Result<()> {
    ensure!(options.messages > 0, "--job takes --messages as well");
    let scratch = tempfile::tempdir()?;
    let bases = many_ranks::recorded_job(scratch.path(), options.messages)?;
    let since = Instant::now();
    made_job::make(path, &bases.runs, u32::try_from(options.ranks)?)?;
    println!(
        "{}: {} ranks, made in {:.0} s",
        path.display(),
        options.ranks,
        since.elapsed().as_secs_f64()
    );
    let mut export = Command::new(Product::find()?.program);
    export.arg("export").arg(path).args(["--quiet", "--correct-clocks", "--to", "1ns"]);
    export.arg("--output").arg(scratch.path().join("trace"));
    let since = Instant::now();
    let (bytes, succeeded) = peak::of(&export)?;
    ensure!(succeeded, "{export:?}");
    let (seconds, mebibytes) = (since.elapsed().as_secs_f64(), bytes >> 20);
    println!("clocks corrected in {seconds:.1} s, {mebibytes} MiB of memory");
    Ok(())
}

/// Says what was made, and opens it.
fn said_of(folder: &Path, datasets: &Path, since: Instant) -> Result<Tables> {
    let seconds = since.elapsed().as_secs_f64();
    let size = build::run(Command::new("du").arg("-sb").arg(folder), "coreutils")?;
    let size = String::from_utf8_lossy(&size);
    let bytes: u64 = size.split_whitespace().next().context("a size")?.parse()?;
    let mut tables = Tables::open(datasets)?;
    let [ranks, events, rows] =
        ["count(*) from runs", "sum(events)::bigint from runs", "count(*) from rollup"]
            .map(|what| tables.number(&format!("select {what}")));
    let (ranks, events, rows) = (ranks?, events?, rows?);
    println!(
        "{ranks} ranks, {events} events: tables made in {seconds:.1} s, {:.1} MB, {rows} rows of the rollup",
        bytes as f64 / 1e6
    );
    Ok(tables)
}

/// Asks twice, and says how long the second time took: files are in memory then.
fn timed(tables: &mut Tables, name: &str, sql: &str) -> Result<Rows> {
    tables.query(sql)?;
    let since = Instant::now();
    let rows = tables.query(sql)?;
    println!("DuckDB, {name}: {:.2} s, {} rows", since.elapsed().as_secs_f64(), rows.rows.len());
    Ok(rows)
}

/// Runs the queries in Spark and compares their answers with DuckDB's.
fn by_spark(datasets: &Path, queries: &[&str], answers: &[Rows]) -> Result<()> {
    let mut command = Command::new("python3");
    process::without_settings(&mut command);
    command.arg(build::root().join("tests/tables/spark.py")).arg(datasets);
    let folder: PathBuf = build::root().join("viewer-configs/sql");
    command.args(queries.iter().map(|query| folder.join(format!("{query}.sql"))));
    command.env("PYTHONPATH", wheels::packages("test-wheels-spark", SPARK)?);
    command.env_remove("SPARK_HOME");
    let said = build::run(&mut command, "python3")?;
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with('{')).collect();
    ensure!(lines.len() == answers.len(), "{said}");
    for ((query, line), wanted) in queries.iter().zip(lines).zip(answers) {
        let answer: Value = serde_json::from_str(line)?;
        let (seconds, workers) = (&answer["seconds"], &answer["workers"]);
        let rows: Rows = serde_json::from_value(answer.clone())?;
        ensure!(
            rows.columns == wanted.columns && rows.rows.len() == wanted.rows.len(),
            "{query}: {line}"
        );
        let all = rows.rows.iter().flatten().zip(wanted.rows.iter().flatten());
        for (one, other) in all {
            ensure!(is_same(one, other), "{query}: Spark has {one}, DuckDB {other}");
        }
        println!(
            "Spark, {query}: {seconds:.2} s on {workers} workers, the same",
            seconds = seconds.as_f64().unwrap_or(0.0)
        );
    }
    Ok(())
}

/// Shares are rounded to the sixth digit, by either engine.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() <= 2e-6,
        _ => one == other,
    }
}
