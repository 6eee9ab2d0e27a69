//! Compressed traces: `export --compress` in front of Perfetto's trace processor, which reads what is compressed inside as it
//! reads the trace itself, and `export --gzip`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};
use serde_json::Value;

/// Query for all slices of all tracks in the order of time.
const ALL: &str = "select s.ts || ' ' || s.dur || ' ' || s.name || ' on ' || coalesce(t.name, '') \
                   from slice s join track t on t.id = s.track_id order by s.ts, s.track_id, s.depth";

#[test]
fn what_is_compressed_inside_shows_the_same_and_is_smaller() -> Result<()> {
    let program = programs::by_name("c/many_tasks")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let export = |options: &[&str]| -> Result<(Judged, Vec<u8>)> {
        let reported = Product::find()?.export_with(&run, options)?;
        let path = PathBuf::from(reported["trace"].as_str().context("a path")?);
        ensure!(path.to_string_lossy().ends_with(".pftrace"), "{path:?}");
        Ok((Judged::of(&path, reported, Value::Null)?, std::fs::read(&path)?))
    };
    let (mut plain, bytes) = export(&["--detail", "all"])?;
    let expected = plain.lines(ALL)?;
    let (mut one, by_one) = export(&["--detail", "all", "--compress", "--jobs", "1"])?;
    let (_, by_several) = export(&["--detail", "all", "--compress", "--jobs", "3"])?;
    assert!(one.lines(ALL)? == expected, "the compressed trace shows something else");
    assert_eq!(one.judge().stats_errors()?, []);
    assert!(by_one == by_several, "what is written depends on the number of threads");
    assert!(by_one.len() * 2 < bytes.len(), "{} of {} bytes", by_one.len(), bytes.len());
    // An overview, whose drafts are given up at sizes before any compression.
    let (mut overview, small) = export(&["--limit", "1MB", "--compress"])?;
    assert_eq!(overview.judge().stats_errors()?, []);
    assert!(overview.count("select count(*) from slice")? > 0 && small.len() < 1_000_000);
    Ok(())
}

#[test]
fn a_trace_of_one_file_is_gzipped_as_a_whole() -> Result<()> {
    let program = programs::by_name("c/hello")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    for (format, name) in [("perfetto", "trace.pftrace"), ("chrome", "trace.json")] {
        let product = Product::find()?;
        product.export_with(&run, &["--format", format])?;
        product.export_with(&run, &["--format", format, "--gzip"])?;
        let gzipped = run.join(format!("{name}.gz"));
        let output = Command::new("gzip").args(["-d", "-c"]).arg(&gzipped).output()?;
        let plain = std::fs::read(run.join(name))?;
        ensure!(output.status.success() && output.stdout == plain, "{format}: {output:?}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_compressed_so_is_refused_in_one_line() -> Result<()> {
    let program = Product::find()?.program;
    let wrong: [(&[&str], &str); 6] = [
        (&["--compress", "--format", "chrome"], "--compress is for --format perfetto"),
        (&["--compress", "--format", "perfetto,otf2"], "--compress is for --format perfetto"),
        (&["--compress", "--format", "parquet"], "--compress is for --format perfetto"),
        (&["--compress", "--gzip"], "give one"),
        (&["--gzip", "--format", "perfetto,otf2"], "--gzip is for formats of one file"),
        (&["--gzip", "--format", "parquet"], "--gzip is for formats of one file"),
    ];
    for (options, words) in wrong {
        let mut command = Command::new(&program);
        let output = command.arg("export").args(options).arg(".").output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(!output.status.success() && said.contains(words), "{options:?}: {said}");
    }
    Ok(())
}
