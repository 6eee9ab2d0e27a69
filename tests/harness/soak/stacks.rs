//! Where a program hangs: the call stacks of all its processes, kept beside what else it left. Only where
//! there is gdb, which no test needs.

use std::fs;
use std::process::Command;

use crate::traced::Scratch;

/// Writes `stacks.<pid>` for each process of the group.
pub fn keep(group: u32, scratch: &Scratch) {
    for pid in members(group) {
        let mut gdb = Command::new("gdb");
        gdb.args(["-batch", "-ex", "thread apply all backtrace", "-p", &pid]);
        if let Ok(said) = gdb.output() {
            let _ = fs::write(scratch.path().join(format!("stacks.{pid}")), said.stdout);
        }
    }
}

fn members(group: u32) -> Vec<String> {
    let found = Command::new("pgrep").args(["-g", &group.to_string()]).output();
    let found = found.map(|found| found.stdout).unwrap_or_default();
    String::from_utf8_lossy(&found).lines().map(str::to_owned).collect()
}
