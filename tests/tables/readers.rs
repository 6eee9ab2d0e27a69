//! DuckDB, pyarrow and Polars find the columns that the writer and its README promise.

use anyhow::{Context, Result, ensure};
use ompttrace_parquet::{SCHEMA, all_columns};
use ompttrace_tests::build;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::tables::{READERS, Tables, export};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use std::collections::BTreeMap;

/// Name of a column's type in a reader.
fn named(kind: &str, reader: &str) -> Result<&'static str> {
    let names = match kind {
        "int32" => ["INTEGER", "int32", "Int32"],
        "int64" => ["BIGINT", "int64", "Int64"],
        "string" => ["VARCHAR", "string", "String"],
        _ => anyhow::bail!("{kind}"),
    };
    let at = READERS.iter().position(|one| *one == reader).context("a reader")?;
    Ok(names[at])
}

#[test]
fn every_reader_finds_the_columns() -> Result<()> {
    let program = programs::by_name("c/hello")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    export(&run, &["--intervals"])?;
    let mut of_table = BTreeMap::new();
    for column in all_columns() {
        of_table.entry(column.table).or_insert_with(Vec::new).push(column);
    }
    // There are no calls of MPI: tests/mpi reads those tables.
    for table in ["mpi_calls", "mpi_messages", "mpi_collectives"] {
        of_table.remove(table).context("its columns")?;
    }
    // Nor are there devices (tests/devices) or phases (tests/phases).
    for table in ["device_activity", "phases"] {
        of_table.remove(table).context("its columns")?;
    }
    ensure!(of_table.len() == 6, "{of_table:?}");
    let mut tables = Tables::new()?;
    for (table, columns) in &of_table {
        let file = run.join(format!("trace-parquet/rank=0/{table}.parquet"));
        for reader in READERS {
            let mut wanted = Vec::new();
            for column in columns {
                wanted.push((column.name.to_owned(), named(column.kind, reader)?.to_owned()));
            }
            let found = tables.columns(&file, reader).with_context(|| reader.to_owned())?;
            ensure!(found == wanted, "{table}, {reader}: {found:?}");
        }
    }
    let key = format!(
        "select value::varchar from parquet_kv_metadata('{}') where key = 'ompttrace.schema'",
        run.join("trace-parquet/rank=0/rollup.parquet").display()
    );
    let version = tables.query(&key)?.rows;
    ensure!(version.len() == 1 && version[0][0] == SCHEMA, "{version:?}");
    Ok(())
}

/// The README has a table in Markdown for each table of the export, with a row for each column.
#[test]
fn every_column_is_described() -> Result<()> {
    let text = std::fs::read_to_string(build::root().join("writers/parquet/README.md"))?;
    let mut rows = Vec::new();
    let mut table = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### `").and_then(|rest| rest.strip_suffix('`')) {
            table = name;
        }
        if let Some(row) = line.strip_prefix("| `") {
            let mut cells = row.split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
            let [name, kind] = [cells.next(), cells.next()].map(Option::unwrap_or_default);
            rows.push((table.to_owned(), name, kind));
        }
    }
    let optional = |is_optional| if is_optional { "?" } else { "" };
    let wanted: Vec<_> = all_columns()
        .iter()
        .map(|column| {
            let kind = format!("{}{}", column.kind, optional(column.is_optional));
            (column.table.to_owned(), column.name.to_owned(), kind)
        })
        .collect();
    ensure!(rows == wanted, "the README has {rows:#?}");
    ensure!(text.contains(&format!("Version {SCHEMA}")), "the version");
    Ok(())
}
