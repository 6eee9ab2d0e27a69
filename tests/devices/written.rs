//! Archives and tables have what the devices did, by readers that are not ours.

use super::{Run, near, real};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::tables::{self, READERS, Tables, shipped};
use ompttrace_tests::{build, otf2_judge};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The archive of a run.
pub(super) fn archive(run: &Path) -> Result<PathBuf> {
    let exported = Product::find()?.export_with(run, &["--format", "otf2"])?;
    let anchor = exported["trace"].as_str().context("no archive")?;
    Ok(Path::new(anchor).parent().context("a folder")?.to_owned())
}

/// The lines that otf2-print writes of it, with warnings as errors.
pub(super) fn printed(archive: &Path, options: &[&str]) -> Result<Vec<String>> {
    let mut print = Command::new("otf2-print");
    print.args(["-Werror"]).args(options).arg(archive.join("traces.otf2"));
    let output = build::run(&mut print, "")?;
    Ok(String::from_utf8(output)?.lines().map(str::to_owned).collect())
}

#[test]
fn archives_have_streams_and_copies() -> Result<()> {
    let run = Run::new(&["3"], "")?;
    let archive = archive(&run.path())?;
    let statistics = otf2_judge::check(&archive)?;
    let kernel = statistics.region("scale").context("no region of the kernel's name")?;
    ensure!(kernel.paradigm == "CUDA", "{kernel:?}");
    let definitions = printed(&archive, &["-G"])?;
    let has = |words: &[&str]| {
        let with = |line: &&String| words.iter().all(|word| line.contains(word));
        definitions.iter().filter(with).count()
    };
    ensure!(has(&["LOCATION_GROUP ", "ACCELERATOR", "device 0"]) == 1, "{definitions:#?}");
    // Two streams that do something, and the device's memory, with which they exchange.
    ensure!(has(&["LOCATION ", "ACCELERATOR_STREAM", "device 0 stream"]) == 2, "{definitions:#?}");
    ensure!(has(&["LOCATION ", "ACCELERATOR_STREAM", "device 0 memory"]) == 1, "{definitions:#?}");
    ensure!(has(&["PARADIGM ", "CUDA", "ACCELERATOR"]) > 0, "{definitions:#?}");
    let events = printed(&archive, &[])?;
    // A stream gets from the host what is copied to the device, and puts there what is copied from it.
    let (mut moved, mut copies) = (0, 0);
    for line in
        events.iter().filter(|line| ["RMA_GET ", "RMA_PUT "].iter().any(|of| line.starts_with(of)))
    {
        let bytes = line.split("Bytes: ").nth(1).and_then(|rest| rest.split([',', ' ']).next());
        let bytes: u64 = bytes.with_context(|| line.clone())?.parse()?;
        let get = line.starts_with("RMA_GET ");
        ensure!(bytes == if get { 1 << 20 } else { 1 << 10 }, "{line}");
        (moved, copies) = (moved + bytes, copies + 1);
    }
    ensure!((moved, copies) == (run.said("bytes")?, run.said("copies")?), "{events:#?}");
    let complete = events.iter().filter(|line| line.starts_with("RMA_OP_COMPLETE")).count();
    ensure!(complete as u64 == copies, "{complete} of {copies}");
    Ok(())
}

#[test]
fn the_archive_of_a_real_device_has_its_copies() -> Result<()> {
    let folder = real()?;
    let archive = archive(folder.path())?;
    otf2_judge::check(&archive)?;
    let events = printed(&archive, &[])?;
    let transfers = ["RMA_GET ", "RMA_PUT "];
    let is_transfer = |line: &&String| transfers.iter().any(|of| line.starts_with(of));
    ensure!(events.iter().filter(is_transfer).count() == 6);
    Ok(())
}

#[test]
fn the_table_of_devices_has_what_the_program_printed() -> Result<()> {
    let run = Run::new(&["4"], "")?;
    tables::export(&run.path(), &[])?;
    let mut tables = Tables::open(run.path().join("trace-parquet"))?;
    tables.query(&shipped("open_devices")?)?;
    let counts = [("kernel", "kernels"), ("copy", "copies"), ("memset", "sets")];
    for (kind, said) in counts {
        let sql = format!("select count(*) from device_activity where kind = '{kind}'");
        ensure!(tables.number(&sql)? as u64 == run.said(said)?, "{kind}");
    }
    let sql = "select sum(dur_ns)::bigint from device_activity where kind = 'kernel'";
    near(tables.number(sql)? as u64, run.said("kernel_ns")?)?;
    let answer = tables.query(&shipped("devices")?)?;
    let row: Vec<_> =
        answer.rows.first().context("a row")?.iter().map(ToString::to_string).collect();
    let [kernels, copies, bytes] = ["kernels", "copies", "copied_bytes"]
        .map(|name| answer.columns.iter().position(|column| column == name).unwrap_or(usize::MAX));
    let number = |at: usize| row.get(at).and_then(|text| text.parse::<u64>().ok());
    ensure!(number(kernels) == Some(run.said("kernels")?), "{row:?}");
    ensure!(number(copies) == Some(run.said("copies")?), "{row:?}");
    ensure!(number(bytes) == Some(run.said("bytes")?), "{row:?}");
    // Each of them was caused by the target construct, memsets by none.
    let sql = "select count(*) from device_activity where (construct = 'target') <> (kind <> 'memset') or \
               (host_thread is null) <> (kind = 'memset')";
    ensure!(tables.number(sql)? == 0);
    let file = run.path().join("trace-parquet/rank=0/device_activity.parquet");
    for reader in READERS {
        let columns = tables.columns(&file, reader)?;
        let promised = ompttrace_parquet::all_columns();
        let promised = promised.iter().filter(|column| column.table == "device_activity");
        let names: Vec<_> = promised.map(|column| column.name.to_owned()).collect();
        let found: Vec<_> = columns.into_iter().map(|(name, _)| name).collect();
        ensure!(found == names, "{reader}: {found:?}");
    }
    Ok(())
}
