//! Terminals of their own for commands, which `script` makes.

use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

/// A shell that executes these words with a terminal of its own, of which our stdout gets all.
pub fn shell(words: &str) -> Command {
    // A program started in the background may ignore some signals from the start.
    let mut script = Command::new("env");
    script.args([
        "--default-signal",
        "script",
        "--quiet",
        "--return",
        "--command",
        words,
        "/dev/null",
    ]);
    script
}

/// True if `script` can make a terminal on this machine: a bare chroot has none.
pub fn can_be_made() -> Result<bool> {
    let run = shell("exit 3").stdin(Stdio::null()).output()?;
    let no_terminal = String::from_utf8_lossy(&run.stderr).contains("pseudo-terminal");
    ensure!(no_terminal || run.status.code() == Some(3), "script: {run:?}");
    Ok(!no_terminal)
}
