//! `ompttrace report -- PROGRAM` and `ompttrace run --report`: a program is recorded and reported by one command.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::*;

/// `ompttrace report` with these options, of a program that it records.
fn report<S: AsRef<OsStr>>(options: &[&str], program: &[S]) -> Result<Ran> {
    let scratch = Scratch::new()?;
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.env("OMP_NUM_THREADS", "4").env_remove("LD_PRELOAD").current_dir(scratch.path());
    command.arg("report").args(options).arg("--").args(program);
    Ok(Ran { run: process::run(&mut command, LIMIT)?, scratch })
}

fn has_trace(run: &Path) -> bool {
    run.join("trace.pftrace").exists()
}

#[test]
fn one_command_records_and_reports() -> Result<()> {
    let (program, binary) = built("c/hello")?;
    let ran = report(&["--top", "3"], &[&binary])?;
    assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
    let (said, words) = (program.last_line(), &ran.run.stdout);
    assert!(words.starts_with(&format!("{said}\nhello (")), "{words}");
    assert!(words.contains("\nFindings\n") && words.contains("\nParallel regions\n"), "{words}");
    let run = ran.scratch.only_run()?;
    let name = run.file_name().context("a name")?.to_string_lossy().into_owned();
    assert!(!has_trace(&run), "no trace was asked for");
    let end = format!("0 lost; exit status 0; `ompttrace view {name}` shows it\n");
    assert!(ran.run.stderr.ends_with(&end), "{}", ran.run.stderr);
    Ok(())
}

#[test]
fn json_is_all_that_is_on_stdout() -> Result<()> {
    let (program, binary) = built("c/hello")?;
    let ran = report(&["--json"], &[&binary])?;
    let report: Value = serde_json::from_str(&ran.run.stdout)?;
    assert_eq!(report["program"]["executable"].as_str(), binary.to_str());
    assert!(ran.run.stderr.starts_with(&program.last_line()), "{}", ran.run.stderr);
    Ok(())
}

#[test]
fn the_status_is_the_programs_unless_there_is_no_report() -> Result<()> {
    let failed = report(&[], &["sh", "-c", "exit 5"])?;
    assert_eq!(failed.code(), Some(5), "{}", failed.run.stderr);
    let nothing = report(&[], &["true"])?;
    assert_eq!((nothing.code(), &*nothing.run.stdout), (Some(1), ""));
    assert!(nothing.run.stderr.contains("no recording: "), "{}", nothing.run.stderr);
    let missing = report(&[], &["./missing"])?;
    assert_eq!(missing.code(), Some(127), "{}", missing.run.stderr);
    Ok(())
}

/// stdout is the program's, whatever else is asked for.
#[test]
fn a_report_at_the_end_of_a_run_is_on_stderr() -> Result<()> {
    let (program, binary) = built("c/hello")?;
    let ran = run(&["--report"], &[&binary])?;
    assert_eq!(ran.run.stdout, format!("{}\n", program.last_line()));
    assert!(has_trace(&ran.check_traces(1)?[0]));
    let words = &ran.run.stderr;
    assert!(words.contains("` shows it\nhello (") && words.contains("\nFindings\n"), "{words}");
    Ok(())
}

#[test]
fn each_process_has_its_report_and_one_object_is_of_one() -> Result<()> {
    let binary = built("c/fork_parallel")?.1;
    let ran = report(&[], &[&binary])?;
    assert_eq!(ran.run.stdout.matches("\nFindings\n").count(), 2, "{}", ran.run.stdout);
    let line = "2 processes have recorded, and --json and --html are of one";
    let refused = report(&["--json"], &[&binary])?;
    assert_eq!((refused.code(), &*refused.run.stdout), (Some(1), ""), "{}", refused.run.stderr);
    assert!(refused.run.stderr.contains(line), "{}", refused.run.stderr);
    Ok(())
}

#[test]
fn a_recording_and_a_program_exclude_each_other() -> Result<()> {
    let ran = report(&["somewhere"], &["true"])?;
    assert_eq!(ran.code(), Some(2), "{}", ran.run.stderr);
    assert!(ran.run.stderr.contains("cannot be used with"), "{}", ran.run.stderr);
    Ok(())
}
