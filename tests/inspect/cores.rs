//! A core file of a program that hangs says by OMPD what the program itself said.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::{build, programs, runtimes};
use serde_json::{Value, json};

use super::hanging::{On, Running, json as answer_of, look};
use super::ompd::LIBRARY;

/// What of an answer stays from look to look, by thread: waiting threads come and go in the kernel, not in their teams.
fn settled(answer: &Value) -> BTreeMap<u64, Value> {
    let region = |at: &Value| answer["parallels"][at.as_u64().unwrap_or(u64::MAX) as usize].clone();
    let threads = answer["threads"].as_array().into_iter().flatten();
    let settled = threads.map(|thread| {
        let regions = thread["parallels"].as_array().into_iter().flatten().map(region);
        let known = json!([thread["icvs"], regions.collect::<Vec<_>>(), thread["tool_data"]]);
        (thread["id"].as_u64().unwrap_or_default(), known)
    });
    settled.collect()
}

/// The thread's number among its variables.
fn number(icvs: &Value) -> Option<u64> {
    let icv = icvs.as_array()?.iter().find(|icv| icv["name"] == "thread-num-var")?;
    icv["value"].as_str()?.parse().ok()
}

#[test]
fn a_core_says_what_the_process_said() -> Result<()> {
    let mut program = programs::of_test("tests/inspect/hangs.c")?;
    program.directives.env.push(("OMP_DEBUG".into(), "enabled".into()));
    let on = On::Ompt(runtimes::by_name("intel-2026")?);
    let mut running = Running::start(&program, &on, &["barrier"])?;
    running.until(|seen| {
        let all = seen["threads"].as_array().into_iter().flatten();
        all.filter(|thread| thread["waits"]["for"] == "barrier").count() == 3
    })?;
    let pid = running.child.id().to_string();
    let library = format!("--ompd={LIBRARY}");
    let live = look(&[&pid, &library])?;
    let live = answer_of(&live)?.with_context(|| format!("{live:?}"))?;
    let core = running.scratch.path().join("core");
    let mut gcore = Command::new("gcore");
    build::run(gcore.arg("-o").arg(&core).arg(&pid), "gdb")?;
    running.kill()?;
    let path = format!("{}.{pid}", core.display());
    let dead = look(&[&path, &library])?;
    let dead = answer_of(&dead)?.with_context(|| format!("{dead:?}"))?;
    assert_eq!(settled(&dead["ompd"]), settled(&live["ompd"]));
    let numbers = settled(&dead["ompd"]).into_values().map(|known| number(&known[0]));
    assert_eq!(numbers.collect::<BTreeSet<_>>(), (0..4).map(Some).collect());
    // Half of it is an error or says less, in one line.
    let file = std::fs::File::options().write(true).open(&path)?;
    file.set_len(file.metadata()?.len() / 2)?;
    let half = look(&[&path, &library])?;
    ensure!(answer_of(&half)?.is_none(), "{half:?}");
    Ok(())
}
