//! Run folders that another user puts into a shared working folder while a program runs.

use std::os::unix::fs::{chown, lchown};

use anyhow::Context;

use super::*;

/// Another user than all others here.
const MALLORY: u32 = 65_534;

/// Every user can see the name of a run's socket, which is not the word of the run.
#[test]
fn the_word_of_a_run_is_not_public() -> Result<()> {
    let ran = run(&[], &["sh", "-c", "cat /proc/net/unix; echo variable $OMPTTRACE_RUN"])?;
    let said = &ran.run.stdout;
    let variable = said.lines().find_map(|line| line.strip_prefix("variable ")).context("none")?;
    let (word, socket) = variable.split_once('.').with_context(|| variable.to_owned())?;
    let sockets: Vec<_> = said.lines().filter(|line| !line.starts_with("variable ")).collect();
    ensure!(sockets.iter().any(|line| line.ends_with(&format!("@{socket}"))), "{said}");
    ensure!(!sockets.iter().any(|line| line.contains(word)), "{said}");
    Ok(())
}

/// A recording with the run's own word, as if that had become known; and one by a link.
#[test]
fn a_run_folder_of_another_user_is_left_alone() -> Result<()> {
    let scratch = Scratch::new()?;
    if chown(scratch.path(), Some(MALLORY), Some(MALLORY)).is_err() {
        // Only root can.
        return Ok(());
    }
    let program = programs::by_name("c/hello")?.build()?;
    let made = run(&["--format", "recording"], &[program.as_os_str()])?;
    let recording = made.scratch.only_run()?;
    let plant = format!(
        "cp -r '{}' sh.1.ompttrace
        sed -i \"s/\\\"started_by\\\": \\\"[^\\\"]*/\\\"started_by\\\": \\\"${{OMPTTRACE_RUN%.*}}/\" sh.1.ompttrace/recording.json
        cp -r sh.1.ompttrace elsewhere; ln -s elsewhere sh.2.ompttrace
        chown -R {MALLORY} sh.1.ompttrace",
        recording.display()
    );
    let mut command = command(&scratch, &[])?;
    let said = process::run(command.args(["sh", "-c", &plant]), LIMIT)?;
    let planted = scratch.path().join("sh.1.ompttrace");
    ensure!(planted.join("recording.json").is_file(), "{said:?}");
    for trace in [planted.join("trace.pftrace"), scratch.path().join("elsewhere/trace.pftrace")] {
        ensure!(!trace.exists(), "{}: {said:?}", trace.display());
    }
    let lines: Vec<_> =
        said.stderr.lines().filter(|line| line.contains("ompttrace export")).collect();
    ensure!(
        lines.len() == 1 && lines[0].contains("sh.1.ompttrace: it belongs to another user"),
        "{said:?}"
    );
    lchown(scratch.path(), Some(0), Some(0))?;
    Ok(())
}
