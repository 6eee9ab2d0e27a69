//! The recordings that are exported: taken once and kept, because two runs of one program differ.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{damage, exports};
use crate::build;
use crate::product::Product;
use crate::programs;
use crate::runtimes;
use crate::soak::{self, Plan};
use crate::traced::{self, By, RECORD_ONLY, Scratch};

/// Programs that are recorded on libgomp and with call stacks as well.
const FEW: [&str; 8] = [
    "c/critical",
    "c/for_doacross",
    "c/for_ordered",
    "c/nested",
    "c/task_tied",
    "c/taskloop",
    "c/sections",
    "cpp/tasks_in_lambdas",
];
const STACKS: (&str, &str) = ("OMPTTRACE_CALLSTACK", "regions");
/// One of so many recordings is damaged as well.
const DAMAGED: usize = 4;
/// One of so many seeds excludes groups of events.
const LEFT_OUT: u64 = 4;
/// Time limit for the end of a program's child processes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A source of recordings: one for each process that had a traced runtime.
pub struct Source {
    /// Path of its recordings, relative to the folder of all recordings.
    pub name: String,
    take: Box<dyn Fn() -> Result<Scratch> + Send + Sync>,
}

impl Source {
    /// A source that runs something.
    pub fn new(name: String, take: impl Fn() -> Result<Scratch> + Send + Sync + 'static) -> Source {
        Source { name, take: Box::new(take) }
    }

    /// Makes its recordings unless they exist. `number` decides whether they are damaged, and how.
    pub fn record(&self, folder: &Path, number: usize) -> Result<()> {
        let path = folder.join(&self.name);
        if path.is_dir() {
            return Ok(());
        }
        build::make_in_place(&path, |draft| {
            fs::create_dir_all(draft)?;
            let scratch = (self.take)()?;
            for (at, run) in scratch.runs()?.iter().enumerate() {
                let copy = draft.join(format!("run.{}", at + 1));
                keep(run, &copy)?;
                if number.is_multiple_of(DAMAGED) && at == 0 {
                    damage::make(&copy, number as u64)?;
                }
            }
            Ok(())
        })
        .with_context(|| self.name.clone())
    }

    /// The recordings it left.
    pub fn recordings(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder.join(&self.name))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    }
}

/// All sources of this crate, with this many seeds of the soak.
pub fn sources(seeds: u64) -> Result<Vec<Source>> {
    let mut sources = samples()?;
    let libomp = runtimes::libomp_19()?;
    for program in programs::all()?.into_iter().filter(|program| program.runs_on(&libomp)) {
        let is_one_of_few = FEW.contains(&program.name.as_str());
        let short = program.name.replace('/', "-");
        if is_one_of_few {
            let (with_stacks, runtime) = (program.clone(), libomp.clone());
            sources.push(Source::new(format!("stacks/{short}"), move || {
                let settings = [RECORD_ONLY, STACKS];
                Ok(traced::run(&with_stacks, &runtime, By::Runtime, &settings)?.scratch)
            }));
            let by_gcc = program.by_gcc();
            sources.push(Source::new(format!("gomp/{short}"), move || {
                Ok(traced::run_as_linked(&by_gcc, By::Gomp, &[RECORD_ONLY])?.scratch)
            }));
        }
        let runtime = libomp.clone();
        sources.push(Source::new(format!("programs/{short}"), move || {
            Ok(traced::run(&program, &runtime, By::Runtime, &[RECORD_ONLY])?.scratch)
        }));
    }
    for seed in 0..seeds {
        let runtime = libomp.clone();
        let plan = if seed % LEFT_OUT == 1 { Plan::leaving_out } else { Plan::new };
        sources
            .push(Source::new(format!("soak/{seed}"), move || soak::record(plan(seed), &runtime)));
    }
    Ok(sources)
}

/// The kept samples of every version of the format.
fn samples() -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    let folder = build::root().join("tracer/recording/tests/samples");
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            sources.push(Source::new(format!("samples/{name}"), move || {
                let scratch = Scratch::new()?;
                exports::copy(&path, &scratch.path().join("run"))?;
                Ok(scratch)
            }));
        }
    }
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(sources)
}

/// Copies a run folder, and into it the buffers of a killed program, which lie elsewhere.
fn keep(run: &Path, copy: &Path) -> Result<()> {
    wait_for_its_end(run)?;
    exports::copy(run, copy)?;
    let Some(pool) = traced::pool_of(run)? else { return Ok(()) };
    let facts = copy.join("recording.json");
    let mut said: Value = serde_json::from_slice(&fs::read(&facts)?)?;
    said["pool"] = "pool".into();
    fs::write(&facts, serde_json::to_vec_pretty(&said)?)?;
    if pool.is_file() && !copy.join("pool").exists() {
        fs::copy(&pool, copy.join("pool"))?;
    }
    Ok(())
}

/// Children may outlive the program that was waited for.
fn wait_for_its_end(run: &Path) -> Result<()> {
    let (product, started) = (Product::find()?, Instant::now());
    while product.info(run)?["running"] == true && started.elapsed() < PATIENCE {
        sleep(Duration::from_millis(20));
    }
    Ok(())
}
