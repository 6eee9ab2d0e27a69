//! Scheduling of threads on cores (OMPTTRACE_CORES): the recording agrees with the kernel's accounting, for root and for an
//! ordinary user, falls back to sums where perf events are refused, and does not disturb the program.

mod streams;

use anyhow::{Context, Result, ensure};
use ompttrace_recording::Recording;
use ompttrace_recording::events::cores as reason;
use ompttrace_tests::directives::End;
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::sync::Mutex;
use streams::{Cores, is_of_cores};

/// Memory that a user may lock for perf is limited for all processes together, so that one test at a time uses it.
static BUDGET: Mutex<()> = Mutex::new(());

/// A run that is over.
struct Run {
    said: Finished,
    recording: Recording,
    cores: Vec<Cores>,
    /// True if the program ran as a user that has no other process.
    is_alone: bool,
    scratch: Scratch,
}

impl Run {
    /// Numbers of the program's lines that begin with a word.
    fn lines(&self, word: &str) -> Vec<Vec<u64>> {
        let lines = self.said.stdout.lines().filter_map(|line| line.strip_prefix(word));
        lines.map(|rest| rest.split_whitespace().filter_map(|n| n.parse().ok()).collect()).collect()
    }

    fn number(&self, word: &str) -> Result<u64> {
        let first = self.lines(word).first().and_then(|line| line.first().copied());
        first.with_context(|| format!("no {word} in {:?}", self.said))
    }

    /// Numbers of threads recorded by context switches, by the kernel's sums, and by neither.
    fn threads(&self) -> [u64; 3] {
        let facts = &self.recording.facts.cores;
        [facts.threads_by_switches, facts.threads_by_accounting, facts.threads_unknown]
    }

    /// Checks that apply to every setting; returns true if this user may use perf events and enough memory could be locked.
    fn check(&self) -> Result<bool> {
        for cores in &self.cores {
            cores.check().with_context(|| format!("thread {}", cores.os_thread))?;
            ensure!(cores.is_whole() || cores.ends_unknown(), "no end: {:?}", cores.records.last());
        }
        for at in 0..self.recording.threads.len() {
            let mut stream = self.recording.stream(at);
            while let Some(code) = stream.take(|record| record.code) {
                ensure!(!is_of_cores(code), "{code:?} among the thread's own records");
            }
        }
        ensure!(self.number("pinned")? == 0, "more memory than perf's own budget was taken");
        // Another process of this user may have it.
        let had_memory = !self.recording.facts.cores.why.contains("locked memory");
        Ok(self.number("perf")? == 1 && had_memory)
    }
}

/// User that a program runs as.
#[derive(Clone, Copy, Debug, PartialEq)]
enum User {
    Own,
    /// A user that has no other process, where the test is root and other users can read the build output.
    Ordinary,
}

fn run(words: &[&str], by: By, user: User, setting: &str) -> Result<Run> {
    let _one_at_a_time = BUDGET.lock();
    let mut program = programs::of_test("tests/cores/cores.c")?.with(words);
    let mut command = match by {
        By::Gomp => {
            program = program.by_gcc();
            program.command_as_linked()?
        }
        _ => program.command(&runtimes::libomp_19()?)?,
    };
    let scratch = Scratch::new()?;
    scratch.attach(&mut command, by)?;
    command.env(RECORD_ONLY.0, RECORD_ONLY.1).env("OMPTTRACE_CORES", setting);
    let mut is_alone = false;
    if user == User::Ordinary && fs::metadata("/proc/self")?.uid() == 0 {
        let reachable = program
            .build()?
            .ancestors()
            .all(|path| fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 1 != 0));
        if reachable {
            fs::set_permissions(scratch.path(), Permissions::from_mode(0o777))?;
            let nobody_else = 3_000_000 + std::process::id();
            command.uid(nobody_else).gid(nobody_else);
            is_alone = true;
        }
    }
    let said = process::run(command.current_dir(scratch.path()), program.directives.timeout)?;
    let killed = words == ["kill"];
    let end = if killed { End::Signal(9) } else { program.directives.end };
    ensure!(said.ended_by(end), "{said:?}");
    ensure!(killed || said.last_line() == program.last_line(), "{said:?}");
    let runs = scratch.runs_of(said.pid.into());
    let [own] = &runs[..] else { anyhow::bail!("{runs:?}, {said:?}") };
    let (recording, cores) = streams::read(own)?;
    Ok(Run { said, recording, cores, is_alone, scratch })
}

/// The times that threads waited for a core agree with those that the kernel accounts to them.
fn check_delays(run: &Run) -> Result<()> {
    let said = run.lines("thread");
    ensure!(said.len() == 4, "{:?}", run.said);
    for line in &said {
        let [thread, begin, end, delay] = line[..] else { anyhow::bail!("{line:?}") };
        let cores = run.cores.iter().find(|cores| u64::from(cores.os_thread) == thread);
        let cores = cores.with_context(|| format!("no stream of {thread}"))?;
        if cores.is_by_switches() {
            let waited = cores.waited(begin, end);
            let off = waited.abs_diff(delay);
            ensure!(off <= delay / 20 + 1_000_000, "{thread}: {waited} ns, by the kernel {delay}");
            ensure!(waited > 0 && cores.unknown().is_empty() || !cores.unknown().is_empty());
        } else {
            let sums = cores.sums();
            let [first, .., last] = &sums[..] else { anyhow::bail!("{cores:?}") };
            ensure!(last.delay_ns - first.delay_ns >= delay, "{first:?} {last:?}, not {delay}");
            ensure!(last.involuntary >= first.involuntary + 10, "{first:?} {last:?}");
        }
    }
    Ok(())
}

#[test]
fn switches_are_those_of_the_kernel() -> Result<()> {
    for (by, user, setting) in [
        (By::Runtime, User::Ordinary, "auto"),
        (By::Runtime, User::Own, "auto"),
        (By::Gomp, User::Ordinary, "switches"),
    ] {
        let run = run(&["spin", "closes"], by, user, setting)?;
        let may = run.check()?;
        let facts = &run.recording.facts.cores;
        ensure!(facts.asked == setting, "{facts:?}");
        if may {
            ensure!(run.threads() == [4, 0, 0] && facts.used == "switches", "{facts:?}");
            ensure!(
                facts.why.is_empty() && run.number("mapped")? == 4,
                "{facts:?}, {:?}",
                run.said
            );
        }
        if may || setting == "auto" {
            check_delays(&run).with_context(|| format!("{by:?}, {user:?}"))?;
        }
    }
    Ok(())
}

#[test]
fn the_kernels_sums_are_recorded_where_that_is_wanted() -> Result<()> {
    for by in [By::Runtime, By::Gomp] {
        let run = run(&["spin"], by, User::Own, "accounting")?;
        run.check()?;
        ensure!(run.threads() == [0, 4, 0], "{:?}", run.recording.facts.cores);
        ensure!(run.number("mapped")? == 0, "{:?}", run.said);
        check_delays(&run)?;
    }
    Ok(())
}

#[test]
fn where_perf_is_refused_the_recording_says_so() -> Result<()> {
    for (setting, threads) in [("auto", [0, 4, 0]), ("switches", [0, 0, 4])] {
        let run = run(&["refused"], By::Runtime, User::Ordinary, setting)?;
        run.check()?;
        let facts = &run.recording.facts.cores;
        ensure!(run.threads() == threads, "{setting}: {facts:?}");
        ensure!(facts.why.contains("perf events are refused: Permission denied"), "{facts:?}");
        for cores in &run.cores {
            ensure!(cores.unknown() == [reason::REFUSED], "{cores:?}");
        }
        if setting == "auto" {
            check_delays(&run)?;
        }
    }
    Ok(())
}

/// The tool opens neither another perf event, which the filter would answer with the end of the program, nor a file, which it
/// refuses.
#[test]
fn nothing_is_opened_behind_a_filter_that_came_later() -> Result<()> {
    let first = run(&["filtered"], By::Runtime, User::Ordinary, "auto")?;
    first.check()?;
    let facts = &first.recording.facts.cores;
    ensure!(facts.threads_unknown == 2, "{facts:?}");
    ensure!(first.cores.iter().filter(|cores| cores.unknown() == [reason::FILTERED]).count() == 2);
    let run = run(&["late"], By::Runtime, User::Ordinary, "accounting")?;
    ensure!(run.cores.len() == 4, "{:?}", run.cores);
    for cores in &run.cores {
        cores.check()?;
        ensure!(cores.unknown() == [reason::FILTERED], "{cores:?}");
    }
    Ok(())
}

/// The kernel's buffers are the parent's: children have none of them, and begin anew if they continue at all.
#[test]
fn children_have_streams_of_their_own() -> Result<()> {
    let run = run(&["forks"], By::Runtime, User::Own, "auto")?;
    run.check()?;
    let is_parents =
        |thread| run.recording.threads.iter().any(|one| one.os_thread == thread && thread != 0);
    ensure!(run.cores.len() == 2, "{:?}", run.cores);
    ensure!(run.cores.iter().all(|cores| is_parents(cores.os_thread)), "{:?}", run.cores);
    let own = run.scratch.runs_of(run.said.pid.into());
    let others: Vec<_> = run.scratch.runs()?.into_iter().filter(|run| !own.contains(run)).collect();
    ensure!(!others.is_empty(), "the forked child has no recording");
    for other in others {
        let (recording, cores) = streams::read(&other)?;
        // One that ends by _exit takes with it what was not written.
        ensure!(!cores.is_empty() || !recording.facts.closed, "{}", other.display());
        for cores in cores {
            cores.check().with_context(|| other.display().to_string())?;
            ensure!(!is_parents(cores.os_thread), "{} is of the parent", cores.os_thread);
        }
    }
    Ok(())
}

#[test]
fn off_is_off() -> Result<()> {
    let run = run(&["spin"], By::Runtime, User::Own, "off")?;
    run.check()?;
    ensure!(run.cores.is_empty() && run.threads() == [0; 3], "{:?}", run.cores);
    ensure!(run.number("mapped")? == 0, "{:?}", run.said);
    Ok(())
}

#[test]
fn many_switches_fill_many_fragments() -> Result<()> {
    let run = run(&["yield"], By::Runtime, User::Ordinary, "switches")?;
    if run.check()? {
        for cores in &run.cores {
            ensure!(cores.check()? >= 2000, "{} switches", cores.check()?);
        }
        ensure!(run.recording.facts.cores.storms == 0, "{:?}", run.recording.facts.cores);
    }
    Ok(())
}

/// Switches of a thread in a second that are a storm whenever they come.
const STORM: u64 = 100_000;

/// A storm of switches is recorded as sums: to record each switch would take as long as the switches. There is none where other programs
/// have the core most of the time.
#[test]
fn of_a_storm_of_switches_there_are_the_sums() -> Result<()> {
    let run = run(&["storm"], By::Runtime, User::Ordinary, "auto")?;
    if run.check()? && run.number("rate")? > STORM {
        let storms = run.recording.facts.cores.storms;
        ensure!(storms >= run.cores.len() as u64, "{:?}", run.recording.facts.cores);
        for cores in &run.cores {
            ensure!(cores.unknown().contains(&reason::OVERFLOWED), "{:?}", cores.unknown());
            ensure!(cores.sums().len() >= 3, "{:?}", cores.sums());
        }
    }
    Ok(())
}

#[test]
fn what_came_too_fast_is_unknown_and_counted() -> Result<()> {
    let run = run(&["silent"], By::Runtime, User::Ordinary, "auto")?;
    if run.check()? {
        let facts = &run.recording.facts.cores;
        ensure!(facts.lost_switches > 0, "{facts:?}");
        for cores in &run.cores {
            ensure!(cores.unknown().contains(&reason::OVERFLOWED), "{:?}", cores.unknown());
            // What that cost is known, at least.
            ensure!(cores.sums().len() >= 2, "{:?}", cores.sums());
        }
    }
    Ok(())
}

#[test]
fn a_killed_run_has_what_was_written() -> Result<()> {
    let run = run(&["kill"], By::Runtime, User::Ordinary, "auto")?;
    ensure!(run.recording.facts.cores.used.is_empty(), "{:?}", run.recording.facts.cores);
    if run.is_alone && run.number("perf")? == 1 {
        ensure!(run.cores.len() == 2, "{:?}", run.cores);
    }
    for cores in &run.cores {
        cores.check()?;
        ensure!(!cores.is_whole(), "a kill cannot be foreseen");
    }
    Ok(())
}

#[test]
fn of_very_many_threads_some_do_with_less() -> Result<()> {
    let run = run(&["many"], By::Runtime, User::Ordinary, "auto")?;
    run.check()?;
    let (threads, facts) = (run.threads(), &run.recording.facts.cores);
    ensure!(threads.iter().sum::<u64>() == 512 && threads[2] == 0, "{facts:?}");
    ensure!(run.cores.len() == 512, "{} streams", run.cores.len());
    let by_switches = run.cores.iter().filter(|cores| cores.is_by_switches()).count() as u64;
    ensure!(by_switches == threads[0], "{facts:?}");
    ensure!((threads[1] == 0) == facts.why.is_empty(), "{facts:?}");
    Ok(())
}
