//! Jobs: ranks in one folder, their messages matched, one trace and one report of them all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::Product;
use serde_json::Value;

use super::judged::{IMPLEMENTATIONS, Mpi};

/// Messages that judge.c sends, of both ranks.
pub(super) const MESSAGES: u64 = 150;

/// From a send to what receives its message in another process.
const ARROWS: &str = "select count(*) from flow join slice a on a.id = slice_out join slice b on b.id = slice_in \
    join thread_track ta on ta.id = a.track_id join thread_track tb on tb.id = b.track_id \
    join thread tha on tha.utid = ta.utid join thread thb on thb.utid = tb.utid \
    where tha.upid != thb.upid and a.name glob '*MPI_*[Ss]end*' and b.name = 'received' and a.ts <= b.ts";

/// Collective calls, and those of them that say which rank came last.
const NAMED: &str = "select count(distinct s.id) from slice s join args a using (arg_set_id) \
    where s.name glob '*MPI_*' and a.key = 'debug.last rank'";
const COLLECTIVE: &str = "select count(*) from slice where name glob '*MPI_Barrier' or name glob '*MPI_Bcast' \
    or name glob '*MPI_Allreduce' or name glob '*MPI_Gather' or name glob '*MPI_Reduce'";

/// A job that was recorded.
pub struct Recorded {
    _scratch: tempfile::TempDir,
    /// Its folder.
    pub folder: PathBuf,
    /// Output of the program, and remarks of the command.
    pub stdout: String,
    stderr: String,
}

impl Recorded {
    /// Each rank under the command of its own.
    pub fn new(mpi: Mpi, source: &str, arguments: &[&str]) -> Result<Recorded> {
        Recorded::launched(mpi.launcher(), mpi, source, arguments)
    }

    /// Each of so many ranks under the command of its own.
    pub fn of_ranks(mpi: Mpi, source: &str, ranks: usize) -> Result<Recorded> {
        Recorded::launched(mpi.launcher_of(ranks), mpi, source, &[])
    }

    fn launched(
        mut launcher: Command,
        mpi: Mpi,
        source: &str,
        arguments: &[&str],
    ) -> Result<Recorded> {
        launcher.arg(Product::find()?.program).args(["run", "--"]);
        Recorded::by(launcher.arg(mpi.compiled(source)?).args(arguments))
    }

    fn by(command: &mut Command) -> Result<Recorded> {
        let scratch = tempfile::tempdir()?;
        let output = command.current_dir(scratch.path()).output()?;
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let found = fs::read_dir(scratch.path())?.map(|entry| Ok(entry?.path()));
        let found = found.collect::<Result<Vec<_>>>()?;
        ensure!(found.len() == 1, "{found:?} instead of one folder: {stderr}");
        let folder = found[0].clone();
        Ok(Recorded { _scratch: scratch, folder, stdout, stderr })
    }

    fn entries(&self) -> Result<Vec<String>> {
        let names = fs::read_dir(&self.folder)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names.collect::<Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    /// Prints as JSON.
    pub fn json(&self, command: &[&str]) -> Result<Value> {
        Ok(serde_json::from_str(&command_of(command, &self.folder)?)?)
    }

    /// Matched messages, and ends of others, in `info`.
    pub fn messages(&self) -> Result<(u64, u64)> {
        let messages = self.json(&["info", "--json"])?["messages"].clone();
        let all = messages.as_object().context("messages")?;
        let sum: u64 = all.values().filter_map(Value::as_u64).sum();
        let matched = messages["matched"].as_u64().context("matched")?;
        Ok((matched, sum - matched))
    }
}

/// The output of a command with a run folder or job.
pub(super) fn command_of(command: &[&str], folder: &Path) -> Result<String> {
    let mut ompttrace = Command::new(Product::find()?.program);
    ompttrace.arg(command[0]).arg(folder).args(&command[1..]);
    Ok(String::from_utf8(build::run(&mut ompttrace, "")?)?)
}

#[test]
fn ranks_leave_one_folder_that_every_command_takes() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let recorded = Recorded::new(mpi, "judge.c", &[])?;
        ensure!(recorded.entries()? == ["rank.0", "rank.1"], "{mpi:?}: {:?}", recorded.entries()?);
        let name = recorded.folder.file_name().context("a name")?.to_string_lossy();
        ensure!(name.starts_with("judge.") && name.ends_with(".ompttrace"), "{mpi:?}: {name}");
        // Rank 0 names the commands, and no other rank says anything; none has made a trace.
        let said = recorded.stderr.matches("ompttrace report").count();
        ensure!(said == 1, "{mpi:?}: {}", recorded.stderr);
        ensure!(!recorded.folder.join("rank.0/trace.pftrace").exists(), "{mpi:?}: a trace");

        ensure!(recorded.messages()? == (MESSAGES, 0), "{mpi:?}: {:?}", recorded.messages()?);
        crate::schemas::outputs_of_job_follow(&recorded.folder)?;
        for command in [&["info"][..], &["inspect"], &["report"], &["export"], &["pack"]] {
            let text = command_of(command, &recorded.folder)?;
            ensure!(text.contains("judge"), "{mpi:?}, {command:?}: {text}");
        }
        ensure!(recorded.entries()? == ["rank.0", "rank.1", "trace.pftrace"], "{mpi:?}");
        ensure!(recorded.messages()? == (MESSAGES, 0), "{mpi:?}: packed");
        let output = recorded.folder.join("merged.pftrace");
        let output = output.to_str().context("a path")?;
        command_of(&["merge", "--output", output], &recorded.folder)?;
        let merged = fs::read(output)?;
        ensure!(
            merged == fs::read(recorded.folder.join("trace.pftrace"))?,
            "{mpi:?}: another trace"
        );
    }
    Ok(())
}

#[test]
fn the_command_in_front_of_a_launcher_records_the_ranks() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let launcher = mpi.launcher();
        let mut command = Command::new(Product::find()?.program);
        super::judged::without_launcher(&mut command);
        for (name, value) in launcher.get_envs() {
            command.envs(value.map(|value| (name, value)));
        }
        command.args(["run", "--"]).arg(launcher.get_program()).args(launcher.get_args());
        let recorded = Recorded::by(command.arg(mpi.compiled("judge.c")?))?;
        ensure!(recorded.entries()? == ["rank.0", "rank.1"], "{mpi:?}: {:?}", recorded.entries()?);
        ensure!(recorded.stderr.contains("recordings of 2 processes"), "{}", recorded.stderr);
        ensure!(recorded.messages()? == (MESSAGES, 0), "{mpi:?}: {:?}", recorded.messages()?);
    }
    Ok(())
}

#[test]
fn arrows_lead_from_sends_to_receives_of_other_ranks() -> Result<()> {
    for (mpi, source) in [(Mpi::OpenMpi, "judge.c"), (Mpi::Mpich, "judge.c")] {
        let recorded = Recorded::new(mpi, source, &[])?;
        let export = recorded.json(&["export", "--json", "--exact"])?;
        let trace = PathBuf::from(export["trace"].as_str().context("a trace")?);
        let mut judged = Judged::of(&trace, export, Value::Null)?;
        let faults = judged.judge().stats_errors()?;
        ensure!(faults.is_empty(), "{mpi:?}: {faults:?}");
        let arrows = judged.count(ARROWS)?;
        ensure!(arrows == MESSAGES, "{mpi:?}: {arrows} arrows");
        let (named, all) = (judged.count(NAMED)?, judged.count(COLLECTIVE)?);
        ensure!(named == all && all > 0, "{mpi:?}: {named} of {all} collective calls");
    }
    Ok(())
}

#[test]
fn a_part_of_a_jobs_time_and_an_overview_are_traces_of_all_ranks() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[])?;
    let slices = |options: &[&str]| -> Result<Vec<u64>> {
        let export = recorded.json(&[&["export", "--json"], options].concat())?;
        let processes = export["processes"].as_array().context("processes")?.clone();
        let trace = PathBuf::from(export["trace"].as_str().context("a trace")?);
        let mut judged = Judged::of(&trace, export, Value::Null)?;
        let faults = judged.judge().stats_errors()?;
        ensure!(faults.is_empty(), "{options:?}: {faults:?}");
        let drawn = judged.count("select count(*) from process where name glob '*:rank[0-9]'")?;
        ensure!(drawn == 2, "{options:?}: {drawn} processes");
        processes.iter().map(|one| one["slices"].as_u64().context("slices")).collect()
    };
    let whole = slices(&[])?;
    let overview = slices(&["--detail", "1ms"])?;
    ensure!(overview.iter().zip(&whole).all(|(part, all)| part <= all), "{overview:?}, {whole:?}");
    // All of the job lies in ten minutes, and nothing of it in a window after them.
    ensure!(slices(&["--from", "0s", "--to", "600s"])? == whole, "all of it in a window");
    let later = recorded.json(&["export", "--json", "--from", "600s", "--to", "601s"])?;
    ensure!(later["processes"][0]["slices"] == 0, "{later}");
    Ok(())
}

/// The time of waits of a kind in calls of a function, in nanoseconds: by the report, and by the program's readings.
fn waits(mpi: Mpi, pattern: &str, kind: &str, function: &str) -> Result<(f64, f64)> {
    let recorded = Recorded::new(mpi, "patterns.c", &[pattern])?;
    waits_in(&recorded.json(&["report", "--json"])?, &recorded.stdout, (kind, function))
}

/// The time of waits, as [`waits`] has it, in a report and by the output of the program.
pub(super) fn waits_in(
    report: &Value,
    stdout: &str,
    (kind, function): (&str, &str),
) -> Result<(f64, f64)> {
    let said = stdout.lines().find_map(|line| line.trim().strip_prefix("waited: "));
    let said: f64 = said.and_then(|text| text.strip_suffix(" ns")).context("a time")?.parse()?;
    let all = report["waits"].as_array().context("waits")?;
    let ours = all.iter().filter(|wait| wait["kind"] == kind && wait["function"] == function);
    Ok((ours.filter_map(|wait| wait["time_ns"].as_f64()).sum(), said))
}

/// The machine may take the core away between a reading of the clock and the call: of a few runs one agrees.
#[test]
fn waits_are_those_that_the_program_measures() -> Result<()> {
    let patterns = [
        ("late_sender", "late_sender", "MPI_Recv"),
        ("late_receiver", "late_receiver", "MPI_Send"),
        ("barrier", "wait_at_barrier", "MPI_Barrier"),
        ("moving", "wait_at_barrier", "MPI_Barrier"),
    ];
    for mpi in IMPLEMENTATIONS {
        for (pattern, kind, function) in patterns {
            let mut tried = Vec::new();
            while !tried
                .iter()
                .any(|(found, said): &(f64, f64)| (found - said).abs() < said / 100.0)
            {
                ensure!(tried.len() < 4, "{mpi:?}, {pattern}: {tried:?}");
                tried.push(waits(mpi, pattern, kind, function)?);
            }
        }
    }
    Ok(())
}

#[test]
fn messages_after_a_pause_and_of_a_killed_rank_are_not_guessed() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        // Of 20 messages 10 are sent before the pause, one in it, and 9 after it.
        let paused = Recorded::new(mpi, "patterns.c", &["paused"])?.messages()?;
        ensure!(paused == (10, 10 + 9), "{mpi:?}: {paused:?}");
        let (matched, others) = Recorded::new(mpi, "patterns.c", &["killed"])?.messages()?;
        ensure!(matched + others == 10, "{mpi:?}: {matched} and {others}");
    }
    Ok(())
}

#[test]
fn missing_ranks_are_named() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "judge.c", &[])?;
    fs::remove_dir_all(recorded.folder.join("rank.1"))?;
    let info = recorded.json(&["info", "--json"])?;
    ensure!(info["size"] == 2 && info["missing"] == serde_json::json!([1]), "{info:#}");
    ensure!(recorded.messages()?.0 == 0, "{:?}", recorded.messages()?);
    let mut export = Command::new(Product::find()?.program);
    let output = export.arg("export").arg(&recorded.folder).output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success() && said.contains("no recording of rank 1 of 2"), "{said}");
    Ok(())
}
