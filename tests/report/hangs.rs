//! Programs that poll a lock or wait for ever: what is lost is that lock's, and what never ended comes first.

use super::{list, report};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs;
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::Scratch;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The report of a program under `ompttrace run`, which sees how it ends, and what the program printed.
fn report_of(name: &str, runtime: &Runtime) -> Result<(Value, String)> {
    let program = programs::of_test(&format!("tests/report/{name}.c"))?;
    let (scratch, itself) = (Scratch::new()?, program.command(runtime)?);
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.args(["run", "--format", "recording", "--cores", "off", "--"]);
    command.arg(itself.get_program()).current_dir(scratch.path());
    command.envs(itself.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let finished = process::run(&mut command, program.directives.timeout)?;
    Ok((report(&scratch.only_run()?)?, finished.stdout))
}

/// The words of the only finding, which promises nothing.
fn unfinished(report: &Value) -> Result<&str> {
    let [finding] = list(report, "findings")? else { anyhow::bail!("{}", report["findings"]) };
    ensure!(finding["kind"] == "unfinished" && finding["gain"]["high_ns"] == 0, "{finding}");
    finding["text"].as_str().context("words")
}

#[test]
fn a_lock_that_is_polled_is_contended() -> Result<()> {
    // LLVM 14 and 16 and Intel's of 2024 report no test that is refused.
    let (report, said) = report_of("polled", &runtimes::libomp_19()?)?;
    let said: Vec<u64> = said.split_whitespace().flat_map(str::parse).collect();
    let [refused, lacked] = said[..] else { anyhow::bail!("{said:?}") };
    let lock = list(&report, "locks")?.first().context("a lock")?;
    ensure!(number(lock, "/refused")? == refused, "{lock}: {refused}");
    let (polled, waited) = (number(lock, "/polled_ns")?, number(lock, "/wait_ns")?);
    // The program reads its clock after the refusal and after it has the lock.
    ensure!(polled.abs_diff(lacked) <= lacked / 10 + 5_000_000, "{lock}: {lacked}");
    ensure!(polled <= waited && number(lock, "/contended")? > 0, "{lock}");
    // All of it while the other one held it, but for the naps after it was given back.
    let charged: u64 =
        list(&report, "holders")?.iter().map(|one| number(one, "/blame_ns")).sum::<Result<_>>()?;
    ensure!(charged <= waited && charged >= waited * 7 / 10, "{charged} of {waited}");
    let found = list(&report, "findings")?.iter().find(|one| one["kind"] == "lock");
    let words = found.context("a finding")?["text"].as_str().context("words")?;
    ensure!(words.contains("others wait"), "{words}");
    Ok(())
}

#[test]
fn a_deadlock_is_named_with_who_holds_what() -> Result<()> {
    let (report, _) = report_of("deadlock", &runtimes::libomp_19()?)?;
    let words = unfinished(&report)?;
    for part in [
        "thread 0 waits for lock deadlock.c:11",
        "thread 1 waits for lock deadlock.c:10",
        "at deadlock.c:19, which thread 1 holds",
        "at deadlock.c:19, which thread 0 holds",
        "a deadlock",
        "(SIGALRM)",
    ] {
        ensure!(words.contains(part), "{part}: {words}");
    }
    for one in list(&report, "unfinished")? {
        // It waited from 50 ms on until the alarm after 2 s.
        ensure!((1_700_000_000..2_500_000_000).contains(&number(one, "/waited_ns")?), "{one}");
    }
    Ok(())
}

#[test]
fn a_barrier_that_one_thread_never_reaches_is_named() -> Result<()> {
    let (report, _) = report_of("missing", &runtimes::libomp_19()?)?;
    let words = unfinished(&report)?;
    // Threads have numbers in the order of their first events.
    let waiting = ["threads 0 and 1", "threads 0 and 2"]
        .map(|threads| format!("{threads} wait at `barrier (explicit)` at missing.c:13"));
    ensure!(waiting.iter().any(|waiting| words.contains(waiting)), "{words}");
    ensure!(!words.contains("deadlock"), "{words}");
    Ok(())
}

/// A child of a fork waits for a thread that exists in its parent only: inspect says so while it waits, and its report after its
/// end, which `ompttrace run` sees though it is nobody's child.
#[test]
fn a_fork_whose_team_stayed_behind_says_so() -> Result<()> {
    let program = programs::of_test("tests/report/forked.c")?;
    let (scratch, product) = (Scratch::new()?, Product::find()?);
    let mut command = Command::new(&product.program);
    process::without_settings(&mut command);
    command.args(["run", "--format", "recording", "--cores", "off", "--"]).arg(program.build()?);
    command.current_dir(scratch.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = command.spawn()?;
    let (parent, child, said) = seen_waiting(&scratch, &product).inspect_err(|_| {
        let _ = running.kill();
    })?;
    let why = format!(
        "This process is a fork of {parent}, which had used OpenMP: 1 thread of its team does not exist here"
    );
    ensure!(said.contains(&why) && said.contains("forked.c:1"), "{said}");
    // A wait that ended soon would be none to speak of.
    std::thread::sleep(Duration::from_millis(400));
    running.stdin.take().context("piped")?.write_all(b"\n")?;
    ensure!(running.wait_with_output()?.stdout == b"15\n");
    let report = report(&child)?;
    // Since Linux 6.15 the kernel says how it ended.
    let to = report["life"]["to"].as_str().context("an end")?;
    ensure!(["signal", "unknown"].contains(&to), "{}", report["life"]);
    let words = unfinished(&report)?;
    ensure!(words.contains(&why), "{words}");
    Ok(())
}

/// The parent's number, the child's run folder, and what inspect says of the child once it has waited for long enough.
fn seen_waiting(scratch: &Scratch, product: &Product) -> Result<(u64, PathBuf, String)> {
    let until = Instant::now() + Duration::from_secs(15);
    while Instant::now() < until {
        for run in scratch.runs()? {
            let Ok(info) = product.info(&run) else { continue };
            let Ok(parent) = number(&info, "/process/fork_of/pid") else { continue };
            let mut inspect = Command::new(&product.program);
            let said = inspect.args(["inspect", "--no-stacks"]).arg(&run).output()?.stdout;
            let said = String::from_utf8(said)?;
            if said.contains("This process is a fork") {
                return Ok((parent, run, said));
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    anyhow::bail!("no child that waits was seen")
}
