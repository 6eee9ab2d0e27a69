//! Refusals of `ompttrace inspect`: users who may not look at a process, and targets that are not recorded or do not exist.

use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::runtimes;

use super::hanging::{On, Running, look};

#[test]
fn what_is_not_traced_or_not_there_is_said_in_one_line() -> Result<()> {
    let own = std::process::id().to_string();
    for (target, words) in [
        (own.as_str(), "is not being traced"),
        ("4294967295", "there is no process 4294967295"),
        ("nowhere.1.ompttrace", "there is no such file or folder"),
        ("/proc", "has no recording"),
    ] {
        let look = look(&[target])?;
        let said = String::from_utf8_lossy(&look.stderr);
        ensure!(look.status.code() == Some(1) && said.contains(words), "{target}: {look:?}");
    }
    Ok(())
}

/// Another user sees nothing of root's process; the test needs root, as all that make other users do.
#[test]
fn another_user_may_not_look() -> Result<()> {
    let running = Running::hanging(&On::Ompt(runtimes::libomp_19()?), "contended")?;
    let program = Product::find()?.program;
    let line = format!("{} inspect {}", program.display(), running.child.id());
    let asked = Command::new("su").args(["nobody", "-s", "/bin/sh", "-c", &line]).output()?;
    let said = String::from_utf8_lossy(&asked.stderr);
    ensure!(asked.status.code() == Some(1), "{asked:?}");
    ensure!(said.contains("only the process's user and root may read it"), "{said}");
    Ok(())
}
