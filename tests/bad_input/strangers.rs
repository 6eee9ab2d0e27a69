//! Pipes, devices, folders and endless files in the places of a run folder's own: both commands come to
//! an end in little memory, and a failure is one line with the file's name in it.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::Product;

use super::small;

/// What takes the file's place.
const STRANGERS: [&str; 6] = ["pipe", "folder", "device", "loop", "large", "nothing"];

fn put(stranger: &str, path: &Path) -> Result<()> {
    fs::remove_file(path)?;
    match stranger {
        "pipe" => ensure!(Command::new("mkfifo").arg(path).status()?.success()),
        "folder" => fs::create_dir(path)?,
        "device" => symlink("/dev/zero", path)?,
        "loop" => symlink(path.file_name().context("a name")?, path)?,
        "large" => File::create(path)?.set_len(300 << 20)?,
        _ => {}
    }
    Ok(())
}

/// Without a limit of memory a reader of /dev/zero would only end with the machine.
fn run(command: &str, folder: &Path) -> Result<process::Finished> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 1000000; exec \"$@\"", "sh"]);
    shell.arg(Product::find()?.program).arg(command).arg(folder);
    process::run(&mut shell, Duration::from_secs(60))
}

#[test]
fn strangers_in_a_run_folder() -> Result<()> {
    for name in ["recording.json", "events.0", "modules"] {
        for stranger in STRANGERS {
            let (_traced, folder) = small()?;
            put(stranger, &folder.join(name))?;
            for command in ["info", "export"] {
                let run = run(command, &folder)?;
                let what = format!("{stranger} for {name}, {command}: {run:?}");
                let code = run.status.and_then(|status| status.code()).context(what.clone())?;
                ensure!(code == 0 || code == 1, "{what}");
                ensure!(!run.stderr.contains("memory"), "{what}");
                // Names are lost without modules, nothing else; a large file of events has no end
                // that matters.
                ensure!(code == 0 || name != "modules", "{what}");
                ensure!(code == 1 || name != "recording.json", "{what}");
                if code == 1 {
                    let (line, folder) = (&run.stderr, folder.to_string_lossy());
                    let named = line.contains(&*folder) && line.contains(name);
                    ensure!(line.lines().count() == 1 && named, "{what}");
                    let reason = line.trim().rsplit(": ").next().unwrap_or_default();
                    ensure!(line.matches(reason).count() == 1, "said twice: {what}");
                }
            }
        }
    }
    Ok(())
}
