//! Endings of runs that keep only the newest events, or drop what a slow disk does not take: what was
//! lost until a kill is counted to the last event, and stays with the recording wherever it goes.

use super::*;
use ompttrace_tests::{build, oracle};
use serde_json::Value;

/// The preloaded disk, on which each write takes 30 ms: more than a thread may spend.
fn slow_disk(command: &mut Command, scratch: &Scratch) -> Result<()> {
    let source = build::root().join("tests/starvation/disk.c");
    let flags = ["-O1", "-fPIC", "-shared", "-ldl"];
    let disk = oracle::compiled(&[source], "starvation/libdisk.so", &flags)?;
    runtimes::prepend(command, "LD_PRELOAD", &disk);
    command.env("DISK_PATH", scratch.path().join("run.")).env("DISK_DELAY", "30000");
    Ok(())
}

#[test]
fn a_kill_leaves_each_event_or_its_count() -> Result<()> {
    let program = programs::of_test("tests/endings/endless.c")?;
    let mut lost = 0;
    for round in 0..kills() {
        let policy = ["ring", "drop"][round % 2];
        let buffer = ["4K", "16K", "4K@run"][round / 2 % 3];
        let scratch = Scratch::new()?;
        let mut set = Ok(());
        kill_at_some_instant(&program, &scratch, By::Oracle, |command| {
            command.env("OMPTTRACE_OVERFLOW", policy).env("OMPTTRACE_BUFFER", buffer);
            if policy == "drop" {
                set = slow_disk(command, &scratch);
            }
        })?;
        set?;
        lost += check(&scratch).with_context(|| format!("round {round}: {policy} {buffer}"))?;
    }
    // Or there was nothing to check.
    ensure!(lost > 0);
    Ok(())
}

/// The sums after the kill, after the recovery that an export begins with, and of a packed recording;
/// returns what was lost.
fn check(scratch: &Scratch) -> Result<u64> {
    let (product, run) = (Product::find()?, scratch.only_run()?);
    let exact = |when: &str| -> Result<Value> {
        let said = exactness::check_sums(scratch)?;
        ensure!(said.is_empty(), "{when}\n{said}");
        Ok(product.info(&run)?["callbacks"].clone())
    };
    let killed = exact("killed")?;
    let lost = number(&product.info(&run)?, "/events/lost")?;
    let export = product.export(&run)?;
    ensure!(number(&export, "/lost")? >= lost, "{lost} of {export}");
    ensure!(exact("exported")? == killed);
    build::run(Command::new(&product.program).arg("pack").arg(&run), "")?;
    ensure!(exact("packed")? == killed);
    Ok(lost)
}

/// All programs whose endings the runtime reports, as rings that hold a part of their events.
#[test]
fn a_ring_ends_as_exactly() {
    let runtime = runtimes::libomp_19().unwrap();
    crowd::check_all(&runtime, |program, runtime| {
        let scratch = Scratch::new()?;
        let settings = [RECORD_ONLY, ("OMPTTRACE_OVERFLOW", "ring"), ("OMPTTRACE_BUFFER", "4K")];
        let run = traced::run_in(&scratch, program, runtime, By::Oracle, &settings)?;
        let ended = exactness::ending(program, &run)?;
        if program.name == "c/control_tool" {
            // It ends its recording, and its threads continue.
            return Ok(ended);
        }
        let said = exactness::check_sums(&scratch)?;
        for run in scratch.runs()? {
            check_drawn(&run).with_context(|| program.name.clone())?;
        }
        Ok(ended + &said)
    });
}

/// A trace that begins in the middle accounts for every record as well.
fn check_drawn(run: &Path) -> Result<()> {
    let export = Product::find()?.export(run)?;
    let at = |pointer: &str| number(&export, pointer);
    let dropped = export["records"]["dropped"].as_object().context("dropped is a table")?;
    let dropped: u64 = dropped.values().filter_map(Value::as_u64).sum();
    let sum = at("/records/interpreted")? + at("/records/absorbed")? + dropped;
    ensure!(sum == at("/records/read")?, "records do not add up: {}", export["records"]);
    Ok(())
}
