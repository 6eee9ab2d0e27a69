//! The exporter is missing, killed or no program: the recording is closed all the same.

use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The library with this beside it as `ompttrace`: text and mode.
fn with_exporter(exporter: Option<(&str, u32)>) -> Result<Starved> {
    starved_with(exporter, |_| ())
}

fn starved_with(
    exporter: Option<(&str, u32)>,
    change: impl FnOnce(&mut Command),
) -> Result<Starved> {
    starved(2000, |scratch, command| {
        let library = scratch.path().join("libompttrace.so");
        fs::copy(Product::find()?.library, &library)?;
        if let Some((text, mode)) = exporter {
            let program = scratch.path().join("ompttrace");
            fs::write(&program, text)?;
            fs::set_permissions(&program, PermissionsExt::from_mode(mode))?;
        }
        command.env("OMP_TOOL_LIBRARIES", library).env("PATH", "/usr/bin:/bin");
        change(command);
        Ok(())
    })
}

/// Checks that stderr has one line with these words and the command that makes the trace, and that this command makes it.
fn ends_with(starved: &Starved, words: &str) -> Result<()> {
    let (stderr, reported) = (&starved.run.stderr, starved.reported()?);
    ensure!(reported.lost == 0 && reported.closed, "{reported:?}");
    let run = starved.folder()?;
    let name = run.file_name().context("a name")?.to_string_lossy();
    ensure!(stderr.lines().count() == 1 && stderr.contains(words), "{stderr}");
    ensure!(stderr.contains(&format!("ompttrace export {name}")), "{stderr}");
    let trace = Product::find()?.export(&run)?;
    ensure!(trace["trace"].as_str().is_some_and(|trace| Path::new(trace).is_file()), "{trace}");
    Ok(())
}

#[test]
fn missing() -> Result<()> {
    ends_with(&with_exporter(None)?, "no exporter beside the library")
}

#[test]
fn killed() -> Result<()> {
    let exporter = Some(("#!/bin/sh\nkill -9 $$\n", 0o700));
    ends_with(&with_exporter(exporter)?, "ended with status 137")
}

#[test]
fn failed() -> Result<()> {
    ends_with(&with_exporter(Some(("#!/bin/sh\nexit 7\n", 0o700)))?, "ended with status 7")
}

#[test]
fn no_program() -> Result<()> {
    ends_with(&with_exporter(Some(("text\n", 0o600)))?, "cannot be started")
}

/// The exporter can be interrupted, whatever signals the program has blocked.
#[test]
fn open_to_signals() -> Result<()> {
    // No shell, which would open itself to signals.
    let exporter = "#!/usr/bin/awk -f\nBEGIN { while ((getline line < \"/proc/self/status\") > 0) \
                    if (line ~ /SigBlk/) print line > \"blocked\"; exit 3 }\n";
    let exporter = Some((exporter, 0o700));
    let starved = starved_with(exporter, |command| {
        let mut env = Command::new("env");
        env.arg("--block-signal=INT,TERM");
        before(env, command);
    })?;
    let blocked = fs::read_to_string(starved.scratch.path().join("blocked"))?;
    ensure!(blocked.trim() == "SigBlk:\t0000000000000000", "{blocked}");
    Ok(())
}

/// A pipe that nobody reads would end the program with a signal at our first word.
#[test]
fn nobody_listens() -> Result<()> {
    for line in ["no exporter", "a wrong setting", "a full disk"] {
        let scratch = Scratch::new()?;
        let program = program(4000)?;
        let mut command = program.command(&runtimes::libomp_19()?)?;
        scratch.attach(&mut command, By::Runtime)?;
        let library = scratch.path().join("libompttrace.so");
        fs::copy(Product::find()?.library, &library)?;
        command.env("OMP_TOOL_LIBRARIES", library).env("PATH", "/usr/bin:/bin");
        match line {
            "a wrong setting" => drop(command.env("OMPTTRACE_VIEW", "wrong")),
            "a full disk" => disks::preload(&mut command, scratch.path(), Some(100 << 10), 0)?,
            _ => {}
        }
        let (reader, writer) = std::io::pipe()?;
        drop(reader);
        let output = command.stderr(writer).output()?;
        ensure!(output.status.code() == Some(0), "{line}: {output:?}");
        ensure!(output.stdout == b"ok works\n", "{line}: {output:?}");
    }
    Ok(())
}
