//! An export that is interrupted, as by Ctrl-C: it says that the recording is as it was, and leaves nothing unfinished.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};

/// The names in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>> {
    let names = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Starts an export and stops it when it has begun to write; `None`: it was done before.
fn amid_export(run: &Path, format: &str) -> Result<Option<Child>> {
    let mut command = Command::new(Product::find()?.program);
    command.args(["export", "--format", format, "--detail", "all", "--exact"]).arg(run);
    let mut export = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    loop {
        if names(run)?.iter().any(|name| name.ends_with(".part")) {
            return Ok(Some(export));
        }
        if export.try_wait()?.is_some() {
            return Ok(None);
        }
        std::thread::yield_now();
    }
}

#[test]
fn an_interrupted_export_leaves_the_recording_and_says_so() -> Result<()> {
    let program = programs::by_name("c/many_events")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let before = names(&run)?;
    for (format, signal) in [("perfetto", "INT"), ("chrome", "TERM"), ("otf2", "INT")] {
        // One that is over before it hears of it proves nothing.
        for attempt in 1.. {
            ensure!(attempt <= 50, "{format}: no export was caught");
            let Some(export) = amid_export(&run, format)? else { continue };
            // Where it is over by now there is nobody to hear it, and it has not been waited for.
            build::run(
                Command::new("kill").arg(format!("-{signal}")).arg(export.id().to_string()),
                "",
            )?;
            let output = export.wait_with_output()?;
            if output.status.success() {
                continue;
            }
            let said = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.signal().is_some(), "{format}: {:?}: {said}", output.status);
            let words =
                format!("ended by SIG{signal}: no trace was made, and the recording is unchanged");
            ensure!(said.contains(&words), "{format}: {said}");
            ensure!(!names(&run)?.iter().any(|name| name.contains(".part")), "{:?}", names(&run)?);
            break;
        }
    }
    // Traces of exports that were done before they were interrupted.
    let left = names(&run)?;
    ensure!(before.iter().all(|name| left.contains(name)), "{left:?} without some of {before:?}");
    let reported = Product::find()?.export(&run)?;
    ensure!(reported["lost"] == 0, "{reported}");
    reported["trace"].as_str().context("a trace")?;
    Ok(())
}
