//! `cargo xtask bench mpi`: what a call of MPI to oneself costs with each part of the recording, on two implementations, with
//! the limits that are to be kept; and the bytes of many polls.

use super::Subject;
use super::bed::bytes_in;
use super::figures::{Times, median, min};
use super::matrix::interleaved;
use super::options::Options;
use super::report::{Report, Row};
use crate::{product, shell};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

pub const SUBJECT: Subject = Subject { name: "mpi", rounds: 11, loads: &[], words: &[], run };

/// Implementations, by the ends of the names of their compilers.
const IMPLEMENTATIONS: [&str; 2] = ["openmpi", "mpich"];

/// Settings under which the program runs: a name, then OMPTTRACE_MPI and OMPTTRACE_START.
const SIDES: [(&str, Side); 5] = [
    ("plain", None),
    ("off", Some(("off", "on"))),
    ("paused", Some(("messages", "off"))),
    ("calls", Some(("calls", "on"))),
    ("messages", Some(("messages", "on"))),
];
type Side = Option<(&'static str, &'static str)>;

/// Calls in the order of the program, and the most nanoseconds that all of them together may take more when everything is
/// recorded: 30 for each that has no message, 200 for a message.
const CALLS: [(&str, f64); 5] = [
    ("MPI_Iprobe", 30.0),
    ("MPI_Test", 30.0),
    ("Irecv+Send+Wait", 200.0),
    ("MPI_Allreduce", f64::NAN),
    ("MPI_Barrier", f64::NAN),
];
/// Limits for enter and leave alone of one call, and for a paused recording.
const CALLS_LIMIT: f64 = 30.0;
const PAUSED_LIMIT: f64 = 12.0;

/// Polls of one request, and as many of several, and the most bytes that they may leave.
const POLLS: &str = "10000000";
const POLLS_LIMIT: u64 = 1 << 20;

const LEGEND: &str = "\
Nanoseconds that a call takes without the tool, and more with it: minima of all rounds, then the median of the differences within
a round. Limits: paused 12; enter and leave (calls) 30 a call; everything (messages) 30 for a poll, 200 for a message.";

fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.table("mpi", LEGEND);
    for mpi in IMPLEMENTATIONS {
        let bed = Bed::new(mpi)?;
        let all = interleaved(&SIDES, options.rounds, |(_, side)| bed.times(*side))?;
        for (at, (call, limit)) in CALLS.into_iter().enumerate() {
            let times = |side: usize| all[side].iter().map(|times| times[at]).collect::<Times>();
            report.row(row(mpi, call, limit, &times));
        }
    }
    report.table("polls", "Bytes that twenty million polls leave: at most a MiB.");
    for mpi in IMPLEMENTATIONS {
        let mut row = Row::new(&[("implementation", mpi)]);
        let bytes = Bed::new(mpi)?.bytes_of_polls()?;
        row.number("bytes", bytes as f64, 0);
        row.number("over", f64::from(u8::from(bytes > POLLS_LIMIT)), 0);
        report.row(row);
    }
    Ok(())
}

fn row(mpi: &str, call: &str, limit: f64, times: &dyn Fn(usize) -> Times) -> Row {
    let mut row = Row::new(&[("call", call), ("mpi", mpi)]);
    let plain = times(0);
    row.number("plain", min(&plain), 1);
    let mut over = 0;
    for (side, (name, _)) in SIDES.iter().enumerate().skip(1) {
        let ours = times(side);
        let least = min(&ours) - min(&plain);
        let added: Times = ours.iter().zip(&plain).map(|(ours, plain)| ours - plain).collect();
        row.number(name, least, 1);
        row.median(name, median(&added));
        let calls = call.split('+').count() as f64;
        let limit = match *name {
            "paused" => PAUSED_LIMIT * calls,
            "calls" => CALLS_LIMIT * calls,
            "messages" => limit,
            _ => f64::NAN,
        };
        over += u8::from(least > limit);
    }
    row.number("over", f64::from(over), 0);
    row
}

/// A program, and where it is recorded.
struct Bed {
    program: PathBuf,
    folder: PathBuf,
}

impl Bed {
    fn new(mpi: &str) -> Result<Bed> {
        let program = shell::target_dir().join("bench").join(format!("mpi.{mpi}"));
        let folder = std::env::temp_dir().join(format!("ompttrace-mpi.{}", std::process::id()));
        std::fs::create_dir_all(shell::target_dir().join("bench"))?;
        let mut compiler = shell::command(&format!("mpicc.{mpi}"));
        compiler.args(["-O2", "-g", "-w", "tests/bench/mpi.c", "-o"]).arg(&program);
        shell::run(&mut compiler)?;
        Ok(Bed { program, folder })
    }

    /// The program under a side: as the only rank, without a launcher.
    fn command(&self, side: Side) -> Command {
        let Some((mode, start)) = side else { return Command::new(&self.program) };
        let mut command = Command::new(product::folder().join("ompttrace"));
        command.args(["run", "--format", "recording", "--output"]).arg(self.run());
        command.env("OMPTTRACE_MPI", mode).env("OMPTTRACE_START", start);
        command.arg("--").arg(&self.program);
        command
    }

    fn run(&self) -> PathBuf {
        self.folder.join("run")
    }

    /// Nanoseconds by call.
    fn times(&self, side: Side) -> Result<Times> {
        let said = shell::output(&mut self.command(side))?;
        self.empty()?;
        CALLS.iter().map(|(call, _)| read(&said, call)).collect()
    }

    fn bytes_of_polls(&self) -> Result<u64> {
        let everything = SIDES[SIDES.len() - 1].1;
        shell::output(self.command(everything).arg(POLLS))?;
        let bytes = bytes_in(&self.run())?;
        self.empty()?;
        Ok(bytes)
    }

    fn empty(&self) -> Result<()> {
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)?;
        }
        Ok(())
    }
}

fn read(said: &str, call: &str) -> Result<f64> {
    let line = said.lines().find_map(|line| line.strip_prefix(call)?.strip_prefix(' '));
    line.and_then(|ns| ns.parse().ok()).with_context(|| format!("no time of {call}: {said:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_by_name() {
        let said = "MPI_Test 12.5\nMPI_Testany 3\n";
        assert_eq!(read(said, "MPI_Test").expect("a time"), 12.5);
        assert!(read(said, "MPI_Barrier").is_err());
    }

    #[test]
    fn what_is_over_its_limit_is_counted() {
        // Plain, off, paused, calls, messages.
        let times = |all: [f64; 5]| move |side: usize| vec![all[side]];
        let over = |all| row("mpich", "MPI_Test", 30.0, &times(all)).shown();
        assert!(over([10.0, 10.0, 22.0, 40.0, 40.0]).trim_end().ends_with(" 0"));
        assert!(over([10.0, 10.0, 23.0, 41.0, 41.0]).trim_end().ends_with(" 3"));
    }
}
