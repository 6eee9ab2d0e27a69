//! The largest memory of a command.

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, ensure};

/// Runs it to its end; in bytes, and whether it succeeded.
pub fn of(command: &mut Command) -> Result<(u64, bool)> {
    let mut child = command.spawn()?;
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
        let line = status.as_ref().ok().and_then(|text| text.split("VmHWM:").nth(1));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kibibytes.unwrap_or(0) * 1024);
        sleep(Duration::from_millis(1));
    }
    ensure!(peak > 0, "it was over before it was looked at");
    Ok((peak, child.wait()?.success()))
}
