//! Judges tables of Parquet by engines that are not ours: DuckDB answers in SQL, and DuckDB, pyarrow and Polars say
//! which columns they find. They come from PyPI, once.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::trace_processor::Rows;
use crate::{build, process, wheels};

/// The engines, from PyPI: 170 MB in all.
pub const ENGINES: &[&str] =
    &["duckdb==2.0.0", "pyarrow==26.0.1", "polars==2.1.0", "polars-runtime-32==2.1.0"];

/// The readers, by name.
pub const READERS: [&str; 3] = ["duckdb", "pyarrow", "polars"];

/// A session of DuckDB.
#[derive(Debug)]
pub struct Tables {
    python: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Tables {
    /// A session that knows no tables.
    pub fn new() -> Result<Tables> {
        let mut command = Command::new("python3");
        process::without_settings(&mut command);
        command.arg(build::root().join("tests/harness/tables.py"));
        command.env("PYTHONPATH", wheels::packages("test-wheels-tables", ENGINES)?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut python = command.spawn().context("cannot run python3")?;
        let requests = python.stdin.take().context("stdin is piped")?;
        let answers = BufReader::new(python.stdout.take().context("stdout is piped")?);
        Ok(Tables { python, requests, answers })
    }

    /// A session in which the views that ship stand for these datasets: a pattern of their folders.
    pub fn open(datasets: impl AsRef<Path>) -> Result<Tables> {
        let mut tables = Tables::new()?;
        let datasets = datasets.as_ref().display();
        tables.query(&format!("SET VARIABLE datasets = '{datasets}'"))?;
        tables.query(&shipped("open")?)?;
        Ok(tables)
    }

    /// Asks a question.
    pub fn query(&mut self, sql: &str) -> Result<Rows> {
        self.request(&json!({ "sql": sql })).with_context(|| sql.to_owned())
    }

    /// The one number that answers a question.
    pub fn number(&mut self, sql: &str) -> Result<i64> {
        let rows = self.query(sql)?.rows;
        let one = rows.first().and_then(|row| row.first()).and_then(Value::as_i64);
        one.with_context(|| format!("{sql}: {rows:?}"))
    }

    /// The columns of a file with their types, as a reader says.
    pub fn columns(&mut self, file: &Path, reader: &str) -> Result<Vec<(String, String)>> {
        let rows = self.request(&json!({ "schema": file, "by": reader }))?.rows;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(rows.iter().map(|row| (text(&row[0]), text(&row[1]))).collect())
    }

    fn request(&mut self, request: &Value) -> Result<Rows> {
        writeln!(self.requests, "{request}")?;
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "python3 is gone");
        let answer: Value = serde_json::from_str(&line)?;
        match answer["error"].as_str() {
            Some(error) => bail!("{error}"),
            None => Ok(serde_json::from_value(answer)?),
        }
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        let _ = self.python.kill();
        let _ = self.python.wait();
    }
}

/// A query that ships.
pub fn shipped(name: &str) -> Result<String> {
    let path = build::root().join(format!("viewer-configs/sql/{name}.sql"));
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// Makes the dataset of a run folder, with these options.
pub fn export(run: &Path, options: &[&str]) -> Result<()> {
    let product = crate::product::Product::find()?;
    let mut command = Command::new(product.program);
    command.args(["export", "--quiet", "--format", "parquet"]).args(options);
    build::run(command.arg(run), "").map(drop)
}
