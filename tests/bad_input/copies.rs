//! Copies of recordings that lack files, or ends of files: each command says so, makes its output of what is there, and ends with
//! status 3.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};

/// The exit status of an incomplete recording.
const INCOMPLETE: i32 = ompttrace_recording::INCOMPLETE_STATUS as i32;

/// Several event files, of which each has several fragments.
fn recorded() -> Result<Traced> {
    let mut program = programs::of_test("tests/starvation/works.c")?;
    program.directives.args = vec!["2000".to_owned()];
    let settings = [RECORD_ONLY, ("OMPTTRACE_BUFFER", "16K"), ("OMPTTRACE_CORES", "off")];
    traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &settings)
}

fn copy(run: &Path, scratch: &Scratch, name: &str) -> Result<std::path::PathBuf> {
    let copy = scratch.path().join(name);
    fs::create_dir(&copy)?;
    for entry in fs::read_dir(run)? {
        let entry = entry?;
        fs::copy(entry.path(), copy.join(entry.file_name()))?;
    }
    Ok(copy)
}

fn command(name: &str, run: &Path) -> Result<Output> {
    let mut command = Command::new(Product::find()?.program);
    let format: &[&str] = if name == "export" { &["--format", "chrome"] } else { &[] };
    Ok(command.arg(name).args(format).arg(run).output()?)
}

/// Each command that reads ends with the status and says which file it is.
fn check(run: &Path, status: i32, file: &str) -> Result<()> {
    for name in ["info", "export", "report"] {
        let output = command(name, run)?;
        let (out, said) = (&output.stdout, String::from_utf8_lossy(&output.stderr));
        let what = || format!("{name} {}: {output:?}", run.display());
        ensure!(output.status.code() == Some(status), what());
        ensure!(said.contains("as after a copy") == (status == INCOMPLETE), what());
        ensure!(said.contains(file) && !(out.is_empty() && name != "export"), what());
        let says_buffers = String::from_utf8_lossy(out).contains("in no file");
        ensure!(says_buffers == (name != "report" && file.contains("buffer")), what());
    }
    ensure!(
        run.join("trace.json").is_file() && command("inspect", run)?.status.code() == Some(status)
    );
    Ok(())
}

#[test]
fn what_a_copy_lacks_is_said() -> Result<()> {
    let traced = recorded()?;
    let (run, scratch) = (traced.scratch.only_run()?, Scratch::new()?);
    check(&copy(&run, &scratch, "whole")?, 0, "")?;
    for file in ["events.0", "events.1", "modules"] {
        let lacking = copy(&run, &scratch, &format!("without {file}"))?;
        fs::remove_file(lacking.join(file))?;
        check(&lacking, INCOMPLETE, &format!("{file} (0 of "))?;
    }
    let cut = copy(&run, &scratch, "cut")?;
    let events = File::options().write(true).open(cut.join("events.1"))?;
    // Between two fragments, where nothing is torn.
    let length = events.metadata()?.len();
    events.set_len(length / 2 / 4096 * 4096)?;
    check(&cut, INCOMPLETE, "events.1 (")?;
    let report = String::from_utf8(command("report", &cut)?.stdout)?;
    ensure!(report.contains("The recording is incomplete"), "{report}");
    ensure!(report.contains("None are looked for") && !report.contains("Expected:"), "{report}");
    Ok(())
}

/// An event file in another one's place is as long as that one was: what is missing shows in the numbers of threads and chunks.
#[test]
fn files_that_are_long_enough_and_hold_something_else_are_noticed() -> Result<()> {
    let traced = recorded()?;
    let (run, scratch) = (traced.scratch.only_run()?, Scratch::new()?);
    let mistaken = copy(&run, &scratch, "mistaken")?;
    let (of, length) =
        (fs::read(run.join("events.0"))?, fs::metadata(run.join("events.1"))?.len() as usize);
    fs::write(mistaken.join("events.1"), of.repeat(length.div_ceil(of.len())))?;
    check(&mistaken, INCOMPLETE, "1 buffer of records")?;
    let repeated = copy(&run, &scratch, "repeated")?;
    let events = fs::read(repeated.join("events.1"))?;
    let at = areas(&events);
    ensure!(at.len() > 3, "{at:?}");
    // The second area is gone; the others come twice.
    let others = [&events[..at[1]], &events[at[2]..]].concat();
    fs::write(repeated.join("events.1"), others.repeat(2))?;
    check(&repeated, INCOMPLETE, "1 buffer of records")?;
    ensure!(command("pack", &repeated)?.status.code() == Some(INCOMPLETE));
    check(&repeated, INCOMPLETE, "1 buffer of records")
}

/// Offsets of the areas in an event file, in bytes: the blocks that begin with the signature of a fragment.
fn areas(events: &[u8]) -> Vec<usize> {
    let blocks = events.chunks(4096).enumerate();
    blocks.filter(|(_, block)| block.starts_with(b"OMPTFRAG")).map(|(at, _)| 4096 * at).collect()
}

/// The packed file stands for all event files; what they lacked before stays said.
#[test]
fn a_packed_copy_says_the_same() -> Result<()> {
    let traced = recorded()?;
    let (run, scratch) = (traced.scratch.only_run()?, Scratch::new()?);
    let (packed, lacking) = (copy(&run, &scratch, "packed")?, copy(&run, &scratch, "lacking")?);
    ensure!(command("pack", &packed)?.status.success());
    check(&packed, 0, "")?;
    fs::remove_file(packed.join("events.packed"))?;
    check(&packed, INCOMPLETE, "events.0 (0 of ")?;
    fs::remove_file(lacking.join("events.1"))?;
    ensure!(command("pack", &lacking)?.status.code() == Some(INCOMPLETE));
    let length = fs::metadata(run.join("events.1")).context("its length")?.len();
    check(&lacking, INCOMPLETE, &format!("{length} bytes"))
}
