//! Many ranks made of few: real recordings under other names, on other machines, with other clocks, each of them with a
//! dataset of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::product::Product;
use crate::traced::{self, By, RECORD_ONLY, Traced};
use crate::{build, programs, runtimes};

/// Ranks of a job that others are made of.
const OF_A_JOB: usize = 4;
/// Ranks on one machine.
const ON_A_NODE: usize = 8;
/// Exports at a time.
const AT_A_TIME: usize = 2;
/// Difference of the clocks of consecutive ranks, in nanoseconds.
const CLOCKS: u64 = 137_000;

/// Recordings of a program that is more uneven from one to the next, of this many rounds.
pub fn recorded(rounds: u32, count: u32) -> Result<Vec<Traced>> {
    let record = |uneven: u32| {
        let mut program = programs::of_test("tests/tables/rank.c")?;
        program.directives.args = vec![rounds.to_string(), (uneven + 1).to_string()];
        let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
        ensure!(traced.run.ended_by(program.directives.end), "{:?}", traced.run);
        Ok(traced)
    };
    (0..count).map(record).collect()
}

/// Ranks of a job that exchange messages, [`OF_A_JOB`] of them: as many messages of each as this, and a sum for each 80.
pub fn recorded_job(folder: &Path, messages: usize) -> Result<Bases> {
    let source = build::root().join("tests/tables/exchange.c");
    let program = folder.join("exchange");
    let mut compile = Command::new("mpicc.mpich");
    build::run(compile.args(["-O1", "-g", "-w", "-o"]).arg(&program).arg(&source), "libmpich-dev")?;
    let mut job = Command::new("mpirun.mpich");
    job.args(["-n", &OF_A_JOB.to_string()]).arg(Product::find()?.program).args([
        "run",
        "--format",
        "recording",
    ]);
    job.args(["--output", "rank.%r", "--"]).arg(program).current_dir(folder);
    // Half of them go to each neighbour.
    job.args(["40", &messages.div_ceil(80).to_string()]);
    build::run(&mut job, "mpich")?;
    let runs = (0..OF_A_JOB).map(|rank| folder.join(format!("rank.{rank}"))).collect();
    Ok(Bases { runs, are_of_a_job: true })
}

/// Recordings that ranks are made of.
pub struct Bases {
    /// Their run folders.
    pub runs: Vec<PathBuf>,
    /// True if they are all ranks of one job: others made of them are further jobs of as many ranks.
    are_of_a_job: bool,
}

impl Bases {
    /// Recordings that have nothing to do with each other.
    pub fn alone(bases: &[Traced]) -> Result<Bases> {
        let runs = bases.iter().map(|base| base.scratch.only_run()).collect::<Result<_>>()?;
        Ok(Bases { runs, are_of_a_job: false })
    }

    /// The run folder of a rank: the number of its job is that of the folder around it.
    fn run(&self, folder: &Path, rank: usize) -> PathBuf {
        let (job, of_job) = (rank / self.runs.len(), rank % self.runs.len());
        match self.are_of_a_job {
            true => folder.join(format!("made.{job}.ompttrace/rank.{of_job}")),
            false => folder.join(format!("run.{rank}")),
        }
    }
}

/// Makes the datasets `rank.N/trace-parquet` of this many ranks in a folder, with these options of `ompttrace export`.
pub fn make(folder: &Path, bases: &Bases, ranks: usize, options: &[&str]) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        loop {
            let rank = next.fetch_add(1, Ordering::Relaxed);
            if rank >= ranks {
                return;
            }
            if let Err(error) = one(folder, bases, rank, options) {
                *failed.lock().expect("nobody panics") = Some(error);
                return;
            }
        }
    };
    thread::scope(|scope| (0..AT_A_TIME).for_each(|_| drop(scope.spawn(work))));
    failed.into_inner().expect("nobody panics").map_or(Ok(()), Err)
}

fn one(folder: &Path, bases: &Bases, rank: usize, options: &[&str]) -> Result<()> {
    let (base, run) = (&bases.runs[rank % bases.runs.len()], bases.run(folder, rank));
    let dataset = folder.join(format!("rank.{rank}"));
    disguise(base, &run, rank)?;
    fs::create_dir(&dataset)?;
    let mut export = Command::new(Product::find()?.program);
    export.args(["export", "--quiet", "--format", "parquet", "--jobs", "1"]).args(options);
    export.arg("--output").arg(dataset.join("trace-parquet")).arg(&run);
    build::run(&mut export, "")?;
    Ok(fs::remove_dir_all(run)?)
}

/// The recording under another name: its files are the same ones.
fn disguise(base: &Path, run: &Path, rank: usize) -> Result<()> {
    fs::create_dir_all(run)?;
    for entry in fs::read_dir(base)? {
        let entry = entry?;
        let to = run.join(entry.file_name());
        // Another file system has no second names for them.
        fs::hard_link(entry.path(), &to).or_else(|_| fs::copy(entry.path(), &to).map(drop))?;
    }
    let path: PathBuf = run.join("recording.json");
    let mut facts: Value = serde_json::from_slice(&fs::read(&path)?)?;
    let realtime = facts["clock"]["realtime"].as_u64().context("a clock")?;
    facts["clock"]["realtime"] = json!(realtime + CLOCKS * rank as u64);
    facts["process"]["rank"] = json!(rank);
    facts["process"]["pid"] = json!(1000 + rank);
    facts["process"]["host"] = json!(format!("node{}", rank / ON_A_NODE));
    // The file itself is the base's as well.
    fs::remove_file(&path)?;
    Ok(fs::write(&path, facts.to_string())?)
}
