//! The program's arguments are those of its exec, whatever it makes of them.

use std::path::Path;

use anyhow::Result;
use ompttrace_tests::build;

use super::*;

/// A program that writes over them, and its words.
fn retitling(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("retitles");
    let mut clang = Command::new("clang-19");
    clang.arg("-fopenmp").arg(build::root().join("tests/run_command/retitles.c"));
    build::run(clang.arg("-o").arg(&program), "clang-19")?;
    Ok(program)
}

fn arguments(run: &Path) -> Result<serde_json::Value> {
    let facts: serde_json::Value =
        serde_json::from_slice(&std::fs::read(run.join("recording.json"))?)?;
    Ok(facts["process"]["arguments"].clone())
}

#[test]
fn a_program_that_writes_over_its_arguments_was_started_with_those_of_the_command() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = retitling(folder.path())?;
    let words = [program.to_str().expect("text"), "one", "", "three words"];
    let ran = run(&[], &words)?;
    assert_eq!(arguments(&ran.check_traces(1)?.remove(0))?, serde_json::json!(words));
    Ok(())
}

/// Nothing is known of them but what it had at its own exec.
#[test]
fn a_program_behind_another_one_has_its_own_arguments() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = retitling(folder.path())?;
    let program = program.to_str().expect("text");
    let ran = run(&[], &["sh", "-c", "exec \"$0\" a b", program])?;
    let found = arguments(&ran.check_traces(1)?.remove(0))?;
    assert!(!found.to_string().contains("exec"), "{found}");
    Ok(())
}

#[test]
fn a_library_that_is_there_before_main_has_them_itself() -> Result<()> {
    let (folder, scratch) = (tempfile::tempdir()?, Scratch::new()?);
    let mut command = Command::new(retitling(folder.path())?);
    process::without_settings(&mut command);
    command.env("OMP_NUM_THREADS", "2");
    scratch.attach(&mut command, traced::By::Preload)?;
    process::run(command.args(["one", "", "three words"]), LIMIT)?;
    let found = arguments(&scratch.only_run()?)?;
    assert_eq!(found.as_array().expect("a list")[1..], ["one", "", "three words"]);
    Ok(())
}
