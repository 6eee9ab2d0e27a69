//! The expected size of a trace, which is said before it is written.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use serde_json::Value;

use super::{recorded, recorded_in_small_buffers, trace};

/// By a few windows of the run, and by the begin of one that has too few.
#[test]
fn the_size_of_everything_is_reported_before_it_is_written() -> Result<()> {
    let (_scratch, run) = recorded()?;
    for format in ["perfetto", "chrome", "otf2"] {
        let short = export(&run, format)?.output()?;
        ensure!(short.stderr.is_empty(), "it is there at once: {short:?}");
        check(&run, format, &[])?;
        check(&run, format, &["--window-size", "65536"])?;
    }
    Ok(())
}

/// The first windows are no measure of the others.
#[test]
fn the_size_is_estimated_by_windows_of_the_whole_run() -> Result<()> {
    let (_scratch, run) = recorded_in_small_buffers("tests/overview/phases.c")?;
    ["perfetto", "otf2"]
        .iter()
        .try_for_each(|format| check(&run, format, &["--window-size", "65536"]))
}

fn export(run: &Path, format: &str) -> Result<Command> {
    let mut export = Command::new(Product::find()?.program);
    process::without_settings(&mut export);
    export.args(["export", "--detail", "all", "--json", "--format", format]).arg(run);
    Ok(export)
}

/// Compares the size that is said with that of the trace.
fn check(run: &Path, format: &str, how: &[&str]) -> Result<()> {
    let output = export(run, format)?.args(["--announced", "1000"]).args(how).output()?;
    let said = String::from_utf8(output.stderr)?;
    let reported = serde_json::from_slice::<Value>(&output.stdout)?;
    let size = said.split("the output will take about ").nth(1).context(said.clone())?;
    let [number, unit, ..] = size.split(' ').collect::<Vec<_>>()[..] else { bail!("{said}") };
    let unit = [("KiB", 1 << 10), ("MiB", 1 << 20)].iter().find(|(name, _)| *name == unit);
    let size = number.parse::<f64>()? * f64::from(unit.with_context(|| said.clone())?.1);
    let written = bytes(&trace(&reported)?)? as f64;
    let is_near = (0.75..1.25).contains(&(size / written));
    ensure!(is_near, "{format}, {how:?}: {said}, and it is {written}");
    Ok(())
}

/// Size of a trace's file in bytes, or of all files of the archive whose anchor file it is.
fn bytes(trace: &Path) -> Result<u64> {
    if trace.extension().is_none_or(|extension| extension != "otf2") {
        return Ok(trace.metadata()?.len());
    }
    let folder = trace.parent().context("a folder")?;
    let all = [folder.to_owned(), folder.join("traces")];
    let files = all.iter().filter_map(|folder| folder.read_dir().ok()).flatten();
    let files = files.map(|file| Ok(file?.metadata()?)).collect::<Result<Vec<_>>>()?;
    Ok(files.iter().filter(|file| file.is_file()).map(|file| file.len()).sum())
}
