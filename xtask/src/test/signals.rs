//! Signals as a terminal has them: a shell that starts a command in the background lets it ignore SIGINT, programs inherit
//! that, and some tests are about SIGINT.

use anyhow::{Context, Result};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Starts this command again with all signals at their defaults, if SIGINT is ignored.
pub fn by_default() -> Result<()> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    if !ignores_sigint(&status) {
        return Ok(());
    }
    let mut again = Command::new("env");
    again.arg("--default-signal").arg(std::env::current_exe()?).args(std::env::args_os().skip(1));
    Err(again.exec()).context("cannot start env --default-signal")
}

/// SIGINT is the second bit of the ignored signals.
fn ignores_sigint(status: &str) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 0b10 != 0)
}

#[cfg(test)]
mod tests {
    use super::ignores_sigint;

    #[test]
    fn the_mask_of_ignored_signals_is_read() {
        assert!(ignores_sigint("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000006\n"));
        assert!(!ignores_sigint("SigBlk:\t0000000000000002\nSigIgn:\t0000000000001000\n"));
        assert!(!ignores_sigint(""));
    }
}
