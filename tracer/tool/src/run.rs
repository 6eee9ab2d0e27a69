//! The run folder of this process: made, armed, described.

use crate::config::Config;
use crate::{modules, pattern, process};
use ompttrace_recorder::{ArmError, Output, Plan, State};
use ompttrace_recording::facts::{Clock, Facts, Runtime};
use ompttrace_recording::{FORMAT_VERSION, folder};
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A run folder and its facts.
pub(crate) struct Run {
    /// The folder, absolute.
    pub(crate) path: PathBuf,
    /// What `recording.json` says, or will say.
    pub(crate) facts: Facts,
    /// How many of its runtimes have said that they are done.
    pub(crate) finalized: usize,
    /// The process that it belongs to: a forked child inherits this memory but not the run.
    pub(crate) owner: u32,
}

static RUN: Mutex<Option<Run>> = Mutex::new(None);

/// Works on this process's run, if it has one.
pub(crate) fn with<T>(work: impl FnOnce(&mut Run) -> T) -> Option<T> {
    let mut run = RUN.lock().ok()?;
    run.as_mut().filter(|run| run.owner == std::process::id()).map(work)
}

/// The runtimes that a forked child found initialised.
pub(crate) fn inherited_runtimes() -> Vec<Runtime> {
    let run = RUN.lock().ok();
    run.and_then(|run| Some(run.as_ref()?.facts.runtimes.clone())).unwrap_or_default()
}

/// Makes the run folder and begins to record into it; does nothing if that was done before.
pub(crate) fn begin(config: &Config) -> Result<(), String> {
    if with(|_| ()).is_some() {
        return Ok(());
    }
    let path = make_folder(config)?;
    let run = arm(config, path.clone()).inspect_err(|_| {
        let _ = std::fs::remove_dir(&path);
    })?;
    if let Ok(mut place) = RUN.lock() {
        *place = Some(run);
    }
    modules::open(&path.join(folder::MODULES));
    Ok(())
}

/// Makes a folder that did not exist: an earlier run is never touched.
fn make_folder(config: &Config) -> Result<PathBuf, String> {
    let name =
        pattern::fill(&config.output, &process::name(), std::process::id(), &process::host());
    let name =
        std::path::absolute(&name).map_err(|error| format!("{}: {error}", name.display()))?;
    let complain = |error: io::Error| {
        format!(
            "cannot make the run folder {:?} (OMPTTRACE_OUTPUT): {error}; the program runs untraced",
            name.display().to_string()
        )
    };
    if let Some(parent) = name.parent() {
        std::fs::create_dir_all(parent).map_err(complain)?;
    }
    for attempt in 1..1000 {
        let mut candidate = OsString::from(&name);
        if attempt > 1 {
            candidate.push(format!(".{attempt}"));
        }
        match std::fs::DirBuilder::new().mode(0o700).create(&candidate) {
            Ok(()) => return Ok(candidate.into()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(complain(error)),
        }
    }
    Err(complain(io::ErrorKind::AlreadyExists.into()))
}

fn arm(config: &Config, path: PathBuf) -> Result<Run, String> {
    let output = Output::new(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let plan = Plan {
        pool_files: pool_files(config, &path),
        slot_bytes: config.slot_bytes,
        session: 1,
        force_quanta: config.force_quanta,
        begin: if config.start_paused { State::Paused } else { State::Recording },
    };
    let (pool, source) = ompttrace_recorder::arm(output, &plan).map_err(told)?;
    if source == ompttrace_recorder::ClockSource::Quanta && !config.force_quanta {
        crate::closing::say("the processor's counter is not sound here: a slower clock serves");
    }
    let in_run_folder = pool.parent() == Some(&path);
    let pool =
        if in_run_folder { folder::POOL.into() } else { pool.to_string_lossy().into_owned() };
    let facts = Facts {
        format: FORMAT_VERSION,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        little_endian: cfg!(target_endian = "little"),
        process: process::facts(),
        clock: Clock {
            source: source.name().to_owned(),
            pairs: vec![ompttrace_recorder::best_clock_pair()],
            realtime: ompttrace_recorder::realtime(),
        },
        pool: Some(pool),
        ..Facts::default()
    };
    let run = Run { path, facts, finalized: 0, owner: std::process::id() };
    run.write_facts().map_err(|error| format!("{}: {error}", run.path.display()))?;
    Ok(run)
}

fn told(error: ArmError) -> String {
    let ArmError::Pool(tried) = error;
    let places: Vec<_> =
        tried.iter().map(|(path, error)| format!("{}: {error}", path.display())).collect();
    format!("no place for the buffers ({}); the program runs untraced", places.join("; "))
}

/// Where the pool may lie, best place first.
fn pool_files(config: &Config, run: &Path) -> Vec<PathBuf> {
    let in_run = run.join(folder::POOL);
    if config.pool_in_run_folder {
        return vec![in_run];
    }
    // The time makes the name one that no earlier process with this number can have left behind.
    let name = format!("ompttrace.{}.{:x}", std::process::id(), ompttrace_recorder::realtime());
    vec![Path::new("/dev/shm").join(name), in_run]
}

impl Run {
    /// Writes `recording.json` beside its name and renames it: a reader finds the old or the new.
    pub(crate) fn write_facts(&self) -> io::Result<()> {
        let name = self.path.join(folder::FACTS);
        let draft = self.path.join(format!("{}.new", folder::FACTS));
        let mut file = std::fs::File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&draft)?;
        file.write_all(&serde_json::to_vec_pretty(&self.facts)?)?;
        std::fs::rename(draft, name)
    }
}
