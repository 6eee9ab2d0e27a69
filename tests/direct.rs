//! All 37 callbacks called directly, whatever runtimes deliver: none allocates, none that has room for its record
//! locks or calls the kernel, each is counted, and every argument comes back from the recording.

mod expected;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use expected::{Chosen, Entry};
use ompttrace_recording::{Event, Id, Recording, Scope};
use ompttrace_tests::oracle::EVENTS;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::traced::Scratch;
use ompttrace_tests::{build, oracle};

/// Measurements and counts that the program printed.
#[derive(Debug, Default)]
struct Report {
    here: u64,
    calls: BTreeMap<usize, u64>,
    allocations: u64,
    locks: u64,
    system_calls: u64,
    steps: u64,
    found_in_words: u64,
    answers: Vec<(i32, i32)>,
    /// The most that a callback took of its caller's stack, by its number; start, initialize and finalize have 64 to 66.
    stacks: BTreeMap<usize, u64>,
}

#[test]
fn no_callback_allocates_and_every_call_is_counted() -> Result<()> {
    // A thousand rounds fill each thread's slots many times over.
    for (rounds, threads) in [(1, 1), (1000, 4), (3, 40)] {
        let scratch = Scratch::new()?;
        let report = report(&run_direct(&Product::find()?.library, rounds, threads, &scratch)?)?;
        assert_eq!(report.allocations, 0, "{rounds} rounds, {threads} threads");
        assert_eq!(report.answers.len(), 2 * threads);
        assert!(report.answers.iter().all(|answer| [(3, 0), (64, 1)].contains(answer)));
        assert_eq!(report.calls.len(), 37, "every callback is called");
        let info = Product::find()?.info(&scratch.only_run()?)?;
        assert_eq!(number(&info, "/events/lost")?, 0);
        assert_eq!(number(&info, "/events/recorded")?, report.calls.values().sum::<u64>());
        assert_eq!(number(&info, "/threads")?, threads as u64);
        for (id, called) in &report.calls {
            let recorded = number(&info, &format!("/callbacks/{}/recorded", EVENTS[*id]))?;
            assert_eq!(recorded, *called, "{} with {threads} threads", EVENTS[*id]);
        }
    }
    Ok(())
}

/// A thread may have 16 KiB of stack in all (PTHREAD_STACK_MIN), of which a callback takes little, also where it is the thread's
/// first, has to write or discard a full buffer, opens a file, unwinds the stack or cannot write any more; and so do the entries
/// that begin and end a recording.
#[test]
fn callbacks_take_little_of_their_callers_stack() -> Result<()> {
    for settings in [
        "OMPTTRACE_BUFFER=64K",
        "OMPTTRACE_BUFFER=4K",
        "OMPTTRACE_BUFFER=4K OMPTTRACE_OVERFLOW=drop",
        "OMPTTRACE_BUFFER=4K OMPTTRACE_OVERFLOW=ring",
        "OMPTTRACE_BUFFER=4K OMPTTRACE_CORES=accounting",
        "OMPTTRACE_BUFFER=4K OMPTTRACE_COUNTERS=page-faults",
        "OMPTTRACE_BUFFER=4K OMPTTRACE_SAMPLE=1000",
        "OMPTTRACE_BUFFER=4K OMPTTRACE_CALLSTACK=regions",
    ] {
        let scratch = Scratch::new()?;
        let mut command = command(&Product::find()?.library, 400, 4, &scratch)?;
        command.env("MEASURE_STACKS", "1");
        command.envs(settings.split(' ').filter_map(|setting| setting.split_once('=')));
        let report = report(&finished(&mut command)?)?;
        // control_tool is called in another way.
        assert_eq!(report.stacks.len(), 36 + 3, "{report:?}");
        for (entry, bytes) in &report.stacks {
            let limit = if *entry < 64 { 4 << 10 } else { 1 << 10 };
            let name = EVENTS.get(*entry).unwrap_or(&"begin or end");
            assert!(
                *bytes <= limit,
                "{name} ({entry}): {bytes} bytes; {settings:?}: {:?}",
                report.stacks
            );
        }
    }
    Ok(())
}

/// Setting that turns off recording of cores: the tool reads switches every 10 ms, on the path that a full buffer takes.
const NO_CORES: (&str, &str) = ("OMPTTRACE_CORES", "off");

/// The first round makes each thread's buffers and reaches every call site in the code; those of the others have
/// room for all.
#[test]
fn no_callback_with_room_locks_or_calls_the_kernel() -> Result<()> {
    let scratch = Scratch::new()?;
    let mut command = command(&Product::find()?.library, 100, 8, &scratch)?;
    command.env("OMPTTRACE_BUFFER", "4M").envs([NO_CORES]);
    let report = report(&finished(&mut command)?)?;
    assert_eq!((report.locks, report.system_calls), (0, 0));
    let info = Product::find()?.info(&scratch.only_run()?)?;
    assert_eq!(number(&info, "/events/recorded")?, report.calls.values().sum::<u64>());
    Ok(())
}

/// A thread may be stopped after any instruction of a callback: no other has to wait for it.
#[cfg(target_arch = "x86_64")]
#[test]
fn no_callback_holds_up_another_thread_at_any_step() -> Result<()> {
    let scratch = Scratch::new()?;
    let mut command = command(&Product::find()?.library, 1, 0, &scratch)?;
    command.env("OMPTTRACE_BUFFER", "16M").envs([NO_CORES]);
    let found = report(&finished(&mut command)?)?;
    assert_eq!((found.locks, found.system_calls), (0, 0));
    // Two rounds of the one; two of the other before it steps, and one at each step.
    assert!(found.steps > 1000 && found.calls[&29] == 4 + found.steps, "{found:?}");
    let tool = oracle::shared("tests/direct/locking.c", "liblocking.so")?;
    let locking = report(&run_direct(&tool, 1, 0, &Scratch::new()?)?)?;
    assert_eq!(locking.system_calls, 1, "{locking:?}");
    Ok(())
}

/// A handler's calls after each instruction of a thread's callbacks, from its first to its last, are recorded or
/// counted as lost, and nothing that was recorded is harmed. With the slow clock, for which no callback has the fast
/// path, between whose instructions a handler's records are lost and nobody knows.
#[cfg(target_arch = "x86_64")]
#[test]
fn no_call_of_a_handler_is_uncounted_at_any_step() -> Result<()> {
    for (rounds, overflow) in [(1, "wait"), (2, "drop"), (2, "ring")] {
        let scratch = Scratch::new()?;
        let mut command = command(&Product::find()?.library, rounds, -1, &scratch)?;
        command.env("OMPTTRACE_CLOCK", "quanta").env("OMPTTRACE_BUFFER", "4K");
        command.env("OMPTTRACE_OVERFLOW", overflow);
        let run = finished(&mut command)?;
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        let report = report(&run)?;
        assert!(report.steps > 5_000, "{report:?}");
        let info = Product::find()?.info(&scratch.only_run()?)?;
        let count = |name: &str, what| number(&info, &format!("/callbacks/{name}/{what}"));
        for (id, called) in &report.calls {
            let (name, lost) = (EVENTS[*id], count(EVENTS[*id], "lost")?);
            let recorded = count(name, "recorded")?;
            assert_eq!(recorded + lost, *called, "{name}: {lost} lost, {rounds}, {overflow}");
            let is_handlers = ["mutex_acquired", "mutex_released"].contains(&name);
            assert!(lost == 0 || is_handlers || overflow == "ring", "{name}: {lost} lost");
        }
        for what in ["unreadable_bytes", "torn_fragments", "missing_bytes"] {
            assert_eq!(number(&info, &format!("/damage/{what}"))?, 0, "{what}");
        }
        assert_eq!(Recorded::read(&scratch.only_run()?)?.backwards, 0, "{rounds}, {overflow}");
    }
    Ok(())
}

/// The watch sees what a tool does, so its silence about ours means something.
#[test]
fn what_callbacks_must_not_do_would_be_noticed() -> Result<()> {
    let tool = oracle::shared("tests/direct/careless.c", "libcareless.so")?;
    let report = report(&run_direct(&tool, 3, 2, &Scratch::new()?)?)?;
    // One malloc and one free for each flush.
    assert_eq!((report.calls[&29], report.allocations), (6, 12));
    // Two threads, two rounds of each being warm. Elsewhere the kernel need not report it.
    let system_calls = if cfg!(target_arch = "x86_64") { 4 } else { 0 };
    assert_eq!((report.locks, report.system_calls), (4, system_calls));
    Ok(())
}

#[test]
fn every_argument_comes_back() -> Result<()> {
    let scratch = Scratch::new()?;
    let report = report(&run_direct(&Product::find()?.library, 1, 1, &scratch)?)?;
    let found = records(&scratch.only_run()?)?;
    let chosen = chosen(report.here, &found)?;
    check_ids(&chosen);
    assert_eq!(report.found_in_words, 0, "in words that runtimes want empty");
    let wanted = expected::records(&chosen);
    for (at, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert_eq!(found, wanted, "record {at}");
    }
    assert_eq!(found.len(), wanted.len());
    Ok(())
}

fn run_direct(tool: &Path, rounds: usize, threads: usize, scratch: &Scratch) -> Result<Finished> {
    finished(&mut command(tool, rounds, threads as isize, scratch)?)
}

fn command(tool: &Path, rounds: usize, threads: isize, scratch: &Scratch) -> Result<Command> {
    let mut command = Command::new(direct()?);
    command.arg(tool).args([rounds.to_string(), threads.to_string()]);
    process::without_settings(&mut command);
    command.env("OMPTTRACE_OUTPUT", scratch.path().join("run.%p"));
    command.env("OMPTTRACE_FORMAT", "recording");
    Ok(command)
}

fn finished(command: &mut Command) -> Result<Finished> {
    // One that stops after each instruction takes two seconds of a core, and many times as long beside other work.
    let run = process::run(command, Duration::from_secs(150))?;
    assert_eq!(run.status.and_then(|status| status.code()), Some(0), "{run:?}");
    Ok(run)
}

fn direct() -> Result<PathBuf> {
    let folder = build::root().join("tests/direct");
    let names = ["direct.c", "direct.h", "handler.h", "stack.h", "steps.h", "watch.h"];
    let sources = names.map(|name| folder.join(name));
    // The tool's calls shall come to the watch's functions.
    let flags = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-rdynamic"];
    oracle::compiled(&sources, "direct", &flags)
}

fn report(run: &Finished) -> Result<Report> {
    let mut report = Report::default();
    for line in run.stdout.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["here", address] => report.here = address.parse()?,
            ["calls", id, count] => drop(report.calls.insert(id.parse()?, count.parse()?)),
            ["stack", entry, bytes] => drop(report.stacks.insert(entry.parse()?, bytes.parse()?)),
            ["found", "in", "words", found] => report.found_in_words = found.parse()?,
            ["allocations", count] => report.allocations = count.parse()?,
            ["locks", count] => report.locks = count.parse()?,
            ["system", "calls", count] => report.system_calls = count.parse()?,
            ["steps", count] => report.steps = count.parse()?,
            ["control", command, "answered", answer] => {
                report.answers.push((command.parse()?, answer.parse()?));
            }
            _ => anyhow::bail!("the program printed {line:?}"),
        }
    }
    Ok(report)
}

/// The only thread's records without those that the tool makes for itself.
fn records(run: &Path) -> Result<Vec<Entry>> {
    let recording = Recording::open(run)?;
    let mut stream = recording.stream(0);
    let mut entries = Vec::new();
    while let Some(entry) = stream.take(|record| (record.code.scope(), record.event())) {
        if !matches!(entry.1, Event::ThreadInfo(_) | Event::CodeSite(_) | Event::Wait(_)) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// The ids that the tool made, from the events that make them.
fn chosen(here: u64, found: &[Entry]) -> Result<Chosen> {
    let mut made: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (scope, event) in found {
        let (kind, id) = match (scope, event) {
            (Scope::Begin, Event::ImplicitTask(task)) => ("implicit", task.task),
            (_, Event::ParallelBegin(region)) => ("region", region.region),
            (_, Event::TaskCreate(task)) => ("task", task.new_task),
            (Scope::Begin, Event::TargetEmi(target)) => ("target", target.target),
            (Scope::Begin, Event::TargetDataOpEmi(data)) => ("data", data.host_op),
            (Scope::Begin, Event::TargetSubmitEmi(kernel)) => ("kernel", kernel.host_op),
            _ => continue,
        };
        made.entry(kind).or_default().push(id);
    }
    let id = |kind: &str, at: usize| {
        let id = made.get(kind).and_then(|ids| ids.get(at)).copied();
        id.with_context(|| format!("{kind} {at} is not in the recording"))
    };
    Ok(Chosen {
        here,
        initial: id("implicit", 0)?,
        region: id("region", 0)?,
        implicit: id("implicit", 1)?,
        closing: id("implicit", 2)?,
        task: id("task", 0)?,
        other: id("task", 1)?,
        target: id("target", 0)?,
        data_op: id("data", 0)?,
        submit: id("kernel", 0)?,
        region_without_storage: id("region", 1)?,
        task_without_storage: id("task", 2)?,
    })
}

/// Ids contain their thread and call site, and no two are the same.
fn check_ids(chosen: &Chosen) {
    let [initial, implicit, closing] = [chosen.initial, chosen.implicit, chosen.closing].map(Id);
    let [task, other] = [chosen.task, chosen.other].map(Id);
    let region = Id(chosen.region);
    assert!(
        closing.is_implicit()
            && initial.is_implicit()
            && implicit.is_implicit()
            && !region.is_implicit()
    );
    assert!(task.is_fresh() && other.is_fresh() && !region.is_fresh());
    assert!(region.site() != 0 && region.site() == implicit.site() && initial.site() == 0);
    assert!(task.site() != other.site() && task.site() != region.site());
    let mut all = vec![chosen.target, chosen.data_op, chosen.submit];
    all.extend([chosen.region_without_storage, chosen.task_without_storage]);
    all.extend([initial, implicit, closing, task, other, region].map(|id| id.0));
    all.sort_unstable();
    all.dedup();
    assert!(all.len() == 11 && all[0] != 0, "{all:x?}");
}
