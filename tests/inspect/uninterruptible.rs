//! A thread that the kernel keeps, so that it does not stop: nobody is attached to it any more when its look is over, so that
//! it does not stop later either.

use std::fs;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::{process, programs, runtimes};
use serde_json::Value;

use super::hanging::{On, Running};

const LIMIT: Duration = Duration::from_secs(20);
/// Bytes that a pipe of Linux holds.
const PIPE: usize = 65536;

/// Waits for something.
fn until<T>(what: &str, mut found: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(found) = found()? {
            return Ok(found);
        }
        ensure!(started.elapsed() < LIMIT, "{what}: not within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The thread of a process that waits for its child in vfork: it has a child, and it is in state D, in which any thread may be
/// for a short wait for a disk.
fn kept(pid: u32) -> Result<Option<u32>> {
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let path = task?.path();
        if fs::read_to_string(path.join("children"))?.is_empty() {
            continue;
        }
        let stat = fs::read_to_string(path.join("stat"))?;
        if stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('D')) {
            return Ok(path.file_name().and_then(|name| name.to_str()?.parse().ok()));
        }
    }
    Ok(None)
}

/// Id of the process that traces a thread; 0 if there is none.
fn tracer(thread: u32) -> Result<u32> {
    let status = fs::read_to_string(format!("/proc/{thread}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    Ok(line.context("no TracerPid")?.trim().parse()?)
}

/// A look that cannot end: the pipe for what it says is full.
fn look(pid: u32) -> Result<(Child, io::PipeReader)> {
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(&[b' '; PIPE])?;
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.args(["inspect", "--json", &pid.to_string()]).stdin(Stdio::null());
    Ok((command.stdout(writer).spawn()?, reader))
}

#[test]
fn a_thread_that_does_not_stop_is_left_at_once() -> Result<()> {
    let program = programs::of_test("tests/inspect/uninterruptible.c")?;
    let running = Running::start(&program, &On::Ompt(runtimes::libomp_19()?), &[])?;
    let thread = until("a thread in vfork", || kept(running.child.id()))?;
    // Its start has been recorded by now, as vfork comes after it.
    let (mut command, mut reader) = look(running.child.id())?;
    until("an attachment", || Ok((tracer(thread)? != 0).then_some(())))?;
    let left = until("its end", || Ok((tracer(thread)? == 0).then_some(())));
    ensure!(command.try_wait()?.is_none(), "the look has ended before");
    let mut said = Vec::new();
    reader.read_to_end(&mut said)?;
    command.wait()?;
    left?;
    let snapshot: Value = serde_json::from_slice(&said)?;
    let mut threads = snapshot["threads"].as_array().into_iter().flatten();
    let seen = threads.find(|one| one["os"]["id"] == thread).context("not seen")?;
    let note = seen["os"]["stack_note"].as_str().unwrap_or_default();
    ensure!(note.starts_with("it did not stop within"), "{seen}");
    Ok(())
}
