//! The largest memory of a command, as the kernel accounts it: reading `/proc` now and then misses the end of a
//! process, and more of it on a busy machine.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::otf2_judge::PYTHON;

/// Runs the words after its first and writes their largest memory in KiB and their status there.
const ACCOUNT: &str = "import os, resource, sys
status = os.spawnvp(os.P_WAIT, sys.argv[2], sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open(sys.argv[1], 'w').write(f'{peak} {status}')";

/// Runs a command to its end: its largest resident memory in bytes, and whether it succeeded.
pub fn of(command: &Command) -> Result<(u64, bool)> {
    let folder = tempfile::tempdir()?;
    let account = folder.path().join("account");
    within(command, &account).status().context("cannot start python3")?;
    let account = fs::read_to_string(account).context("it was not started")?;
    let (kibibytes, status) = account.split_once(' ').context("two numbers")?;
    Ok((kibibytes.parse::<u64>()? * 1024, status == "0"))
}

/// The command within the script.
fn within(command: &Command, account: &Path) -> Command {
    let mut within = Command::new(PYTHON);
    within.args(["-c", ACCOUNT]).arg(account).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => within.env(name, value),
            None => within.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        within.current_dir(folder);
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_held_shortly_is_seen() {
        let holds = |bytes: u32| {
            let mut python = Command::new(PYTHON);
            python.args(["-c", &format!("x = b'1' * {bytes}; del x")]);
            of(&python).unwrap()
        };
        let ((small, _), (large, is_over)) = (holds(1), holds(200 << 20));
        assert!(large > small + (190 << 20) && large < small + (220 << 20), "{small}, {large}");
        assert!(is_over);
        assert!(!of(Command::new("sh").args(["-c", "exit 3"])).unwrap().1);
    }
}
