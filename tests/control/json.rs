//! `--json` of `ompttrace control`, `record` and `snapshot`: it follows its schemas, and says what happened.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::traced::By;
use serde_json::Value;

use super::outside::{LONG, OFF, Running, ompttrace, regions};
use crate::schemas;

/// `--json` of a command to the program; the exit status is that of the command without it.
fn json_of(command: &str, run: &Path, arguments: &[&str], status: i32) -> Result<Value> {
    let output = ompttrace(command, run, &[&["--json"], arguments].concat())?;
    ensure!(output.status.code() == Some(status), "{command}: {output:?}");
    let value: Value = serde_json::from_slice(&output.stdout)?;
    if command != "record" {
        schemas::follows(&value, &format!("{command}-1"))?;
        ensure!(value["programs"][0]["run"].as_str() == run.to_str(), "{value:#}");
    }
    Ok(value)
}

#[test]
fn json_of_commands_follows_its_schemas() -> Result<()> {
    let ring = [OFF, ("OMPTTRACE_OVERFLOW", "ring")];
    let mut running = Running::start("steady", By::Runtime, &ring)?;
    let run = &running.run;
    let trace = json_of("record", run, &["--for=50ms", "--format=chrome", LONG], 0)?;
    let path = trace["traces"][0]["path"].as_str().or(trace["trace"].as_str());
    ensure!(path.is_some_and(|path| Path::new(path).is_file()), "{trace:#}");
    for (command, before, after, status) in [
        ("start", "paused", "recording", 0),
        ("start", "recording", "recording", 0),
        ("end", "recording", "ended", 0),
        ("flush", "ended", "ended", 1),
    ] {
        if command == "end" {
            let value = json_of("snapshot", run, &[], 0)?;
            ensure!(value["programs"][0]["threads"].as_u64() > Some(0), "{value:#}");
            let path = value["snapshot"].as_str().context("a path")?;
            ensure!(regions(path.as_ref())? > 0, "{value:#}");
        }
        let value = json_of("control", run, &[command, LONG], status)?;
        let program = &value["programs"][0];
        let found = (&program["before"], &program["after"], &program["done"]);
        ensure!(found == (&before.into(), &after.into(), &(status == 0).into()), "{value:#}");
        ensure!(program["pid"] == running.child.id(), "{value:#}");
    }
    running.stop().map(drop)
}
