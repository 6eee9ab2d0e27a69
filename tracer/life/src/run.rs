//! The run folder of this process: its creation, the start of recording into it, and its facts.

use crate::config::Config;
use crate::{
    began, closing, cores, counters, facts_file, pattern, process, room, samples, surroundings,
};
use ompttrace_recorder::{
    AppendFile, ArmError, ClockSource, Locked, Output, OwnFolder, Plan, State,
};
use ompttrace_recording::excerpt::excerpt;
use ompttrace_recording::facts::{Clock, Facts, Life, Runtime};
use ompttrace_recording::folder::POOL;
use ompttrace_recording::pool::{Division, PAGE_SIZES};
use ompttrace_recording::{FORMAT_VERSION, PinnedFolder, settings};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A run folder and its facts.
pub(crate) struct Run {
    /// Absolute path of the folder.
    pub(crate) path: PathBuf,
    /// The folder itself, wherever it is moved.
    pub(crate) folder: Arc<OwnFolder>,
    /// Content of `recording.json`, which may not be written yet.
    pub(crate) facts: Facts,
    /// Number of its runtimes that have reported their end.
    pub(crate) finalized: usize,
    /// File of what devices did, once one reports anything.
    pub(crate) device_records: Option<AppendFile>,
    /// The process to which the run belongs: a forked child inherits this memory but not the run.
    pub(crate) owner: u32,
}

/// Number of threads for whose buffers /dev/shm must have space: in a container it may be small, and a pool that is
/// full cannot be moved elsewhere.
const THREADS_WITH_ROOM: usize = 64;
/// Minimum limit on file sizes with which tracing makes sense, in bytes.
const SMALLEST_LIMIT: u64 = 1 << 20;

/// Number of run folders with one name that are numbered in their order.
const LAST_IN_ORDER: u64 = 1000;

static RUN: Locked<Option<Run>> = Locked::new(None);

/// Works on this process's run, if it has one.
pub(crate) fn with<T>(work: impl FnOnce(&mut Run) -> T) -> Option<T> {
    RUN.with(|run| run.as_mut().filter(|run| run.owner == std::process::id()).map(work))?
}

/// The runtimes that were initialised and not yet finalised at the fork of this child.
pub(crate) fn inherited_runtimes() -> Vec<Runtime> {
    let alive = |run: &mut Option<Run>| {
        let run = run.as_ref()?;
        Some(run.facts.runtimes.iter().skip(run.finalized).cloned().collect())
    };
    RUN.with(alive).flatten().unwrap_or_default()
}

/// Locks the run before a fork.
pub(crate) fn park() {
    RUN.park();
}

/// Unlocks the run in the parent after a fork.
pub(crate) fn release() {
    RUN.release();
}

/// Unlocks the run in the child after a fork.
pub(crate) fn release_in_child() {
    RUN.release_in_child();
}

/// Creates the run folder and begins to record into it; returns the folder. If that was done before, nothing is done,
/// and `None` is returned.
pub(crate) fn begin(config: &Config, state: State) -> Result<Option<Arc<OwnFolder>>, String> {
    if with(|_| ()).is_some() {
        return Ok(None);
    }
    check_machine()?;
    ompttrace_recorder::heed_forbidden_counter();
    let (path, folder) = make_folder(config)?;
    let run = arm(config, (path.clone(), Arc::clone(&folder)), state).inspect_err(|_| {
        ompttrace_recorder::abandon();
        // All that can be in it is a draft of the facts.
        let _ = folder.pin().and_then(|folder| folder.remove(facts_file::DRAFT));
        let _ = std::fs::remove_dir(&path);
    })?;
    RUN.with(|slot| *slot = Some(run));
    Ok(Some(folder))
}

/// Checks for conditions under which recording would fail later, in unclear ways.
fn check_machine() -> Result<(), String> {
    let page = ompttrace_recorder::page_bytes();
    if !PAGE_SIZES.contains(&page) {
        return Err(format!("pages of {page} bytes are not supported; the program runs untraced"));
    }
    if ompttrace_recorder::largest_file() < SMALLEST_LIMIT {
        return Err(
            "files are limited to less than 1 MiB here (ulimit -f); the program runs untraced"
                .into(),
        );
    }
    Ok(())
}

/// Numbers for run folders of one name: first in their order, and if there are very many of them, numbers that hardly
/// any other process tries.
fn numbers(process: u32) -> impl Iterator<Item = u64> {
    let own = u64::from(process) + LAST_IN_ORDER;
    (1..LAST_IN_ORDER).chain(own..own + LAST_IN_ORDER)
}

/// Creates a folder that did not exist: an earlier run is never touched.
fn make_folder(config: &Config) -> Result<(PathBuf, Arc<OwnFolder>), String> {
    let parts = pattern::Parts {
        program: process::name(),
        process: std::process::id(),
        host: process::host(),
        rank: config.rank,
    };
    let name = pattern::fill(&config.output, &parts);
    // Where the program was when it began: a child that changed it keeps its parent's folder.
    let name = config.base.join(name);
    let complain = |error: io::Error| {
        format!(
            "cannot create the run folder {} (OMPTTRACE_OUTPUT): {error}; the program runs untraced",
            excerpt(&name)
        )
    };
    let parent = name.parent().unwrap_or(Path::new("/"));
    let open = || PinnedFolder::open(parent);
    let made = |_| std::fs::create_dir_all(parent).and_then(|()| open());
    let parent = open().or_else(made).map_err(complain)?;
    let last = name.file_name().ok_or_else(|| complain(io::ErrorKind::AlreadyExists.into()))?;
    for number in numbers(std::process::id()) {
        let numbered = |name: &OsStr| {
            let mut name = name.to_owned();
            if number > 1 {
                name.push(format!(".{number}"));
            }
            name
        };
        match parent.private(numbered(last)) {
            Ok(made) => {
                let path = PathBuf::from(numbered(name.as_os_str()));
                let folder = OwnFolder::new(&path, &made).map_err(complain)?;
                return Ok((path, Arc::new(folder)));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(complain(error)),
        }
    }
    Err(complain(io::ErrorKind::AlreadyExists.into()))
}

fn arm(
    config: &Config,
    (path, folder): (PathBuf, Arc<OwnFolder>),
    begin: State,
) -> Result<Run, String> {
    let cannot = |error: io::Error| cannot_begin(&path, &error);
    let output = Output::new(&folder).map_err(cannot)?;
    let division = division(config);
    let plan = Plan {
        pool_files: pool_files(config, &path, division),
        run: path.clone(),
        slot_bytes: division.slot,
        overflow: config.overflow,
        cores: config.cores,
        counters: config.counters.clone(),
        sampling: config.sample,
        session: 1,
        force_quanta: config.clock == settings::Clock::Quanta,
        begin,
    };
    let (pool, source) = ompttrace_recorder::arm(output, &plan).map_err(message)?;
    match source {
        ClockSource::Quanta if config.clock == settings::Clock::Auto => {
            closing::say("the processor's counter is unreliable here: using a slower clock");
        }
        ClockSource::System => {
            closing::say(
                "the program may not read the processor's counter (PR_SET_TSC): using a slower clock",
            );
        }
        _ => {}
    }
    let in_run_folder = pool.parent() == Some(&path);
    let pool = if in_run_folder { POOL.into() } else { pool.to_string_lossy().into_owned() };
    let facts = Facts {
        record_picoseconds: ompttrace_recorder::record_cost(),
        format: FORMAT_VERSION,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        little_endian: cfg!(target_endian = "little"),
        process: process::facts((config.rank, config.ranks), config.started_by()),
        surroundings: surroundings::now(),
        clock: Clock {
            source: source.name().to_owned(),
            pairs: vec![ompttrace_recorder::best_clock_pair()],
            realtime: ompttrace_recorder::realtime(),
            boottime_offset: slept(),
        },
        life: Life { began: began::began(), paused: begin == State::Paused, ..Life::default() },
        pool: Some(pool),
        buffer_bytes: division.slot as u64,
        overflow: config.overflow.name().to_owned(),
        cores: cores::asked(config.cores),
        counters: counters::facts(),
        samples: samples::facts(),
        ..Facts::default()
    };
    if let Some(refusal) = counters::refusal(&facts.counters) {
        closing::say(&refusal);
    }
    let (finalized, owner) = (0, std::process::id());
    let run = Run { path, folder, facts, finalized, device_records: None, owner };
    run.write_facts().map_err(|error| cannot_begin(&run.path, &error))?;
    ompttrace_recorder::open_early();
    Ok(run)
}

/// Time for which the machine has slept since it was booted, in nanoseconds.
fn slept() -> u64 {
    let clock = ompttrace_recorder::nanoseconds_of;
    clock(libc::CLOCK_BOOTTIME).saturating_sub(clock(libc::CLOCK_MONOTONIC))
}

fn cannot_begin(run: &Path, error: &io::Error) -> String {
    format!("no recording in {}: {error}; the program runs untraced", excerpt(run))
}

fn message(error: ArmError) -> String {
    let ArmError::Pool(tried) = error;
    let paths: Vec<_> =
        tried.iter().map(|(path, error)| format!("{}: {error}", excerpt(path))).collect();
    format!("no space for the buffers ({}); the program runs untraced", paths.join("; "))
}

/// Layout of the pools on this machine: slots are whole pages.
fn division(config: &Config) -> Division {
    let page = ompttrace_recorder::page_bytes();
    Division { page, slot: config.slot_bytes().next_multiple_of(page) }
}

/// Paths of possible files for the pool, the best first.
fn pool_files(config: &Config, run: &Path, division: Division) -> Vec<PathBuf> {
    let in_run = run.join(POOL);
    let wanted = (THREADS_WITH_ROOM * division.block_bytes()) as u64;
    if config.buffer.in_run_folder || room::is_short(c"/dev/shm", wanted) {
        return vec![in_run];
    }
    // The time makes the name one that no earlier process with this number can have left behind.
    let name = format!("ompttrace.{}.{:x}", std::process::id(), ompttrace_recorder::realtime());
    vec![Path::new("/dev/shm").join(name), in_run]
}

impl Run {
    /// Brings `recording.json` up to date.
    pub(crate) fn write_facts(&self) -> io::Result<()> {
        facts_file::write(&self.folder.pin()?, &self.facts)
    }
}
