//! The processes of one run: a program that ends may leave children that continue, and one that hangs is
//! looked at before it is ended with them.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::traced::Scratch;

/// Waits until all of a group are over; false when they are not by the end of the time.
pub fn ends(group: u32, limit: Duration) -> Result<bool> {
    let started = Instant::now();
    while !members(group)?.is_empty() {
        if started.elapsed() > limit {
            return Ok(false);
        }
        sleep(Duration::from_millis(2));
    }
    Ok(true)
}

/// Ends whoever is left of a group.
pub fn kill(group: u32) -> Result<()> {
    // Debian's shell knows no `kill -KILL --`.
    let kill = format!("kill -s KILL -- -{group}");
    Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status()?;
    Ok(())
}

/// Writes `stacks.<pid>` for each process of a group. Only where there is gdb, which no test needs.
pub fn keep_stacks(group: u32, scratch: &Scratch) {
    for pid in members(group).unwrap_or_default() {
        let mut gdb = Command::new("gdb");
        gdb.args(["-batch", "-ex", "thread apply all backtrace", "-p", &pid]);
        if let Ok(said) = gdb.output() {
            let _ = fs::write(scratch.path().join(format!("stacks.{pid}")), said.stdout);
        }
    }
}

/// Processes of a group that are not over.
fn members(group: u32) -> Result<Vec<String>> {
    let mut members = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // Others may be gone by now.
        let stat = fs::read_to_string(format!("/proc/{name}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mut fields = fields.split_whitespace();
        let (state, its) = (fields.next(), fields.nth(1));
        if its == Some(&group.to_string()) && state != Some("Z") {
            members.push(name);
        }
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_child_that_outlives_its_parent_is_waited_for() -> Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & exit 0"]).process_group(0);
        let mut parent = command.spawn()?;
        parent.wait()?;
        assert_eq!(members(parent.id())?.len(), 1);
        assert!(!ends(parent.id(), Duration::ZERO)?);
        kill(parent.id())?;
        assert!(ends(parent.id(), LONG)?);
        Ok(())
    }

    #[test]
    fn one_that_is_over_need_not_have_been_waited_for() -> Result<()> {
        let mut over = Command::new("true").process_group(0).spawn()?;
        let ended = ends(over.id(), LONG)?;
        over.wait()?;
        assert!(ended);
        Ok(())
    }
}
