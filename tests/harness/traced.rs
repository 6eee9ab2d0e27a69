//! One traced run of a program in a folder of its own: what it left there, and the files outside
//! it that a killed run leaves, which are removed with it.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_recording::Recording;
use ompttrace_recording::pool::PAGE;
use ompttrace_recording::reader::PoolFile;
use tempfile::TempDir;

use crate::oracle::{self, Counts};
use crate::process::{self, Finished};
use crate::product::Product;
use crate::programs::{self, Program};
use crate::runtimes::{self, Runtime};

/// The run folder's name in the scratch folder; the process id follows.
const RUN: &str = "run.";
const COUNTS: &str = "counts.";

/// Way in which the tool is loaded into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The runtime loads the tool (OMP_TOOL_LIBRARIES).
    Runtime,
    /// The tool is preloaded (LD_PRELOAD).
    Preload,
    /// The library that replaces libgomp's functions is preloaded.
    Gomp,
    /// The tool is linked into the program.
    Linked,
    /// The runtime loads the oracle, which forwards events to the tool.
    Oracle,
    /// The oracle and the tool are preloaded; the oracle forwards events.
    OraclePreloaded,
}

/// A folder for the run folders of one program's run.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    is_kept: bool,
}

/// A finished run, with the folder of its files.
#[derive(Debug)]
pub struct Traced {
    /// The end of the process that was started.
    pub run: Finished,
    /// Folder of the run's files.
    pub scratch: Scratch,
}

/// The setting with which the tool only records.
pub const RECORD_ONLY: (&str, &str) = ("OMPTTRACE_FORMAT", "recording");

/// Runs a program with the tool and these settings in a new scratch folder. One that does not end within its time limit
/// is an error.
pub fn run(
    program: &Program,
    runtime: &Runtime,
    by: By,
    settings: &[(&str, &str)],
) -> Result<Traced> {
    let scratch = Scratch::new()?;
    let run = run_in(&scratch, program, runtime, by, settings)?;
    Ok(Traced { run, scratch })
}

/// Runs a program as [`run`] does, with the run folder in memory: for tests that change its files thousands of times.
pub fn run_in_memory(
    program: &Program,
    runtime: &Runtime,
    by: By,
    settings: &[(&str, &str)],
) -> Result<Traced> {
    let scratch = Scratch::below("/dev/shm".as_ref())?;
    let run = run_in(&scratch, program, runtime, by, settings)?;
    Ok(Traced { run, scratch })
}

/// Runs a program in a scratch folder that may have other runs; the folder is the working directory as well.
pub fn run_in(
    scratch: &Scratch,
    program: &Program,
    runtime: &Runtime,
    by: By,
    settings: &[(&str, &str)],
) -> Result<Finished> {
    start(scratch, program, program.command(runtime)?, by, settings)
}

/// Runs a program on the runtime that it is linked with, with the tool and these settings.
pub fn run_as_linked(program: &Program, by: By, settings: &[(&str, &str)]) -> Result<Traced> {
    let scratch = Scratch::new()?;
    let run = start(&scratch, program, program.command_as_linked()?, by, settings)?;
    Ok(Traced { run, scratch })
}

/// Runs a program of a test's own: built by GCC where the tool stands in front of libgomp, otherwise on LLVM's runtime. It ends
/// as its directives say.
pub fn run_own(
    source: &str,
    arguments: &[&str],
    by: By,
    settings: &[(&str, &str)],
) -> Result<Traced> {
    let program = programs::of_test(source)?.with(arguments);
    let end = program.directives.end;
    let traced = match by {
        By::Gomp => run_as_linked(&program.by_gcc(), by, settings)?,
        _ => run(&program, &runtimes::libomp_19()?, by, settings)?,
    };
    ensure!(traced.run.ended_by(end), "{:?}", traced.run);
    Ok(traced)
}

fn start(
    scratch: &Scratch,
    program: &Program,
    mut command: Command,
    by: By,
    settings: &[(&str, &str)],
) -> Result<Finished> {
    scratch.attach(&mut command, by)?;
    command.envs(settings.iter().copied()).current_dir(scratch.path());
    let limit = program.directives.timeout;
    let run = process::run(&mut command, limit)?;
    ensure!(
        run.status.is_some(),
        "{} was not over after {limit:?} and was killed: {run:?}",
        program.name
    );
    Ok(run)
}

impl Scratch {
    /// An empty one.
    pub fn new() -> Result<Scratch> {
        Scratch::below(&std::env::temp_dir())
    }

    /// An empty one in this folder.
    pub fn below(folder: &Path) -> Result<Scratch> {
        let folder = tempfile::Builder::new().prefix("ompttrace-test").tempdir_in(folder)?;
        Ok(Scratch { folder, is_kept: false })
    }

    /// Leaves everything where it is, the buffers of killed runs as well, and reports where.
    pub fn keep(mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.is_kept = true;
        self.path().to_path_buf()
    }

    /// Path of the scratch folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts the tool into a command, with a run folder `run.<pid>` for each process.
    pub fn attach(&self, command: &mut Command, by: By) -> Result<()> {
        let library = Product::find()?.library;
        command.env("OMPTTRACE_OUTPUT", self.path().join(format!("{RUN}%p")));
        match by {
            By::Runtime => {
                command.env("OMP_TOOL_LIBRARIES", library);
            }
            By::Linked => {}
            By::Preload => runtimes::prepend(command, "LD_PRELOAD", &library),
            By::Gomp => runtimes::prepend(command, "LD_PRELOAD", &Product::find()?.gomp),
            By::Oracle => self.attach_oracle(command, &library)?,
            By::OraclePreloaded => {
                self.attach_oracle(command, &library)?;
                command.env_remove("OMP_TOOL_LIBRARIES");
                runtimes::prepend(command, "LD_PRELOAD", &library);
                runtimes::prepend(command, "LD_PRELOAD", &oracle::library()?);
            }
        }
        Ok(())
    }

    fn attach_oracle(&self, command: &mut Command, tool: &Path) -> Result<()> {
        oracle::attach(command, &self.path().join(format!("{COUNTS}%p")), Some(tool))
    }

    /// File to which the oracle writes the counts of a process.
    pub fn counts_file(&self, pid: u32) -> PathBuf {
        self.path().join(format!("{COUNTS}{pid}"))
    }

    /// Every run folder, by name.
    pub fn runs(&self) -> Result<Vec<PathBuf>> {
        let folders = self.entries("")?.into_iter();
        Ok(folders.filter(|path| path.join("recording.json").is_file()).collect())
    }

    /// Names of all entries of the scratch folder.
    pub fn names(&self) -> Result<Vec<String>> {
        let entries = self.entries("")?;
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into();
        Ok(entries.iter().map(name).collect())
    }

    /// The run folders of one process, oldest first: after exec there may be several.
    pub fn runs_of(&self, pid: u64) -> Vec<PathBuf> {
        let first = self.path().join(format!("{RUN}{pid}"));
        let later = (2..100).map(|n| self.path().join(format!("{RUN}{pid}.{n}")));
        [first].into_iter().chain(later).take_while(|path| path.is_dir()).collect()
    }

    /// The one run folder there is.
    pub fn only_run(&self) -> Result<PathBuf> {
        let runs = self.runs()?;
        match &runs[..] {
            [run] => Ok(run.clone()),
            _ => bail!("one run folder was expected, not {runs:?}"),
        }
    }

    /// The oracle's counts, one for each process.
    pub fn counts(&self) -> Result<Vec<Counts>> {
        self.entries(COUNTS)?.iter().map(|path| Counts::read(path)).collect()
    }

    fn entries(&self, prefix: &str) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.path())? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                found.push(entry.path());
            }
        }
        found.sort();
        Ok(found)
    }
}

impl Drop for Scratch {
    /// The pools of runs that were killed lie in /dev/shm, where they would stay until the next boot.
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        for run in self.runs().unwrap_or_default() {
            if let Ok(Some(pool)) = pool_of(&run) {
                // Gone already after a normal end.
                let _ = fs::remove_file(pool);
            }
        }
    }
}

/// The pool's file, named by `recording.json`, whether it is still there or not.
pub fn pool_of(run: &Path) -> Result<Option<PathBuf>> {
    let recording = Recording::open(run).with_context(|| run.display().to_string())?;
    Ok(recording.facts.pool.map(|pool| run.join(pool)))
}

/// Pools in /dev/shm that name a run folder in the scratch folder, whether that is there or not.
pub fn pools_in_memory(scratch: &Scratch) -> Result<Vec<PathBuf>> {
    let folder = scratch.path().as_os_str().as_bytes();
    let mut pools = Vec::new();
    for entry in fs::read_dir("/dev/shm")? {
        let path = entry?.path();
        if !path.file_name().is_some_and(PoolFile::is_name) {
            continue;
        }
        // Those of other tests come and go.
        let bytes = fs::read(&path).unwrap_or_default();
        let head = bytes.get(..PAGE).unwrap_or_default();
        if head.windows(folder.len()).any(|window| window == folder) {
            pools.push(path);
        }
    }
    Ok(pools)
}
