//! Opening a run folder that was given as an argument; for a wrong argument one line reports what it is and what is
//! needed.

use crate::{leftovers, perf_map, say};
use anyhow::{Result, bail};
use ompttrace_recording::reader::Shorter;
use ompttrace_recording::{Recording, folder};
use ompttrace_symbols::StoredNames;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Last part of the messages of commands that read a recording, which asks for a run folder.
const WANTED: &str = "give a run folder of `ompttrace run` (NAME.PID.ompttrace)";
/// The file of an OTF2 archive that readers open.
pub const ANCHOR: &str = "traces.otf2";

/// Opens the recording in the run folder at `path`, packed or not.
pub fn open(path: &Path) -> Result<Recording> {
    check(path)?;
    leftovers::remark(path, "").iter().for_each(|remark| say::remark(remark));
    let recording = ompttrace_packed::open(path)?;
    perf_map::keep(&recording).iter().for_each(|remark| say::remark(remark));
    unreadable_symbols(&recording).iter().for_each(|remark| say::remark(remark));
    if recording.is_incomplete() {
        INCOMPLETE.store(true, Ordering::Relaxed);
        say::remark(&incomplete(&recording));
    }
    Ok(recording)
}

/// A line about names that the recording carries and that cannot be read.
fn unreadable_symbols(recording: &Recording) -> Option<String> {
    let text = recording.symbols_text()?.map_err(|error| error.to_string());
    let error = text.and_then(|text| StoredNames::from_json(&text)).err()?;
    let path = say::shown(&recording.path.join(folder::SYMBOLS));
    Some(format!("{path}: {error}: functions and lines have no names"))
}

/// A line about the parts that the recording lacks, file by file if they are known.
fn incomplete(recording: &Recording) -> String {
    let files: Vec<_> = recording.shorter.iter().map(Shorter::to_string).collect();
    let damage = recording.damage;
    let what = match (files.is_empty(), damage.short, damage.gaps) {
        (false, ..) => files.join(", "),
        (true, false, 1) => "1 buffer of records".to_owned(),
        (true, false, gaps) => format!("{gaps} buffers of records"),
        (true, true, _) => format!("{} bytes", damage.missing),
    };
    let run = say::shown(&recording.path);
    format!(
        "{run} lacks what it had when its program ended, as after a copy that was cut short: {}",
        say::harmless(&what)
    )
}

/// True once a recording was opened that is shorter than when it was closed.
static INCOMPLETE: AtomicBool = AtomicBool::new(false);

/// True if a recording was opened that is shorter than when it was closed: the output is made nonetheless, and the exit
/// status reports it.
pub fn was_incomplete() -> bool {
    INCOMPLETE.load(Ordering::Relaxed)
}

/// Checks that `path` is a run folder; the error names what it is instead. Invalid files are reported when they are
/// opened.
pub fn check(path: &Path) -> Result<()> {
    if is_run(path) {
        return Ok(());
    }
    let shown = say::shown(path);
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("{shown}: there is no such file or folder; {WANTED}")
        }
        Err(error) => bail!("{shown}: {error}; {WANTED}"),
        Ok(metadata) => bail!("{}", instead(path, &metadata)),
    }
}

/// Returns true if a folder has the facts of a recording (`recording.json`), readable or not.
pub fn is_run(path: &Path) -> bool {
    path.join(folder::FACTS).symlink_metadata().is_ok()
}

/// A message that names what lies there, and the folder that may have been meant.
fn instead(path: &Path, metadata: &Metadata) -> String {
    let shown = say::shown(path);
    match run_around(path).map(|run| say::shown(&run)) {
        Some(run) if is_trace(path) => {
            format!("{shown} is a trace; give the run folder it came from: {run}")
        }
        Some(run) => format!("{shown} is part of the run folder {run}; give that folder"),
        None if is_trace(path) => {
            format!("{shown} is a trace; give the run folder it came from (NAME.PID.ompttrace)")
        }
        None if metadata.is_dir() => folder_instead(path, &shown),
        None => format!("{shown} is not a recording; {WANTED}"),
    }
}

fn folder_instead(path: &Path, shown: &str) -> String {
    let entries: Vec<PathBuf> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let mut runs: Vec<&PathBuf> = entries.iter().filter(|entry| is_run(entry)).collect();
    runs.sort();
    match runs[..] {
        [] if entries.is_empty() => format!("{shown} is an empty folder; {WANTED}"),
        [] => format!("{shown} has no recording (no {} in it); {WANTED}", folder::FACTS),
        [run] => format!("{shown} is not a run folder, but contains one: give {}", say::shown(run)),
        [run, ..] => format!(
            "{shown} is not a run folder, but contains {}: give one of them, such as {}",
            runs.len(),
            say::shown(run)
        ),
    }
}

/// True if it is a trace of any format, by its name.
pub fn is_trace(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".pftrace", ".pftrace.gz", ".perfetto-trace", ".json", ".json.gz"];
    let has_name = endings.iter().any(|ending| name.ends_with(ending)) && name != folder::FACTS;
    has_name || is_otf2(path)
}

/// True if it is an OTF2 archive, or its anchor.
pub fn is_otf2(path: &Path) -> bool {
    path.join(ANCHOR).is_file() || path.extension().is_some_and(|ending| ending == "otf2")
}

/// The run folder that a file or an archive lies in.
fn run_around(path: &Path) -> Option<PathBuf> {
    let whole = path.canonicalize().ok()?;
    let around = whole.ancestors().skip(1).take(2).find(|folder| is_run(folder))?;
    // As it was given where that can be printed, otherwise the whole path.
    let steps = whole.ancestors().position(|folder| folder == around)?;
    let given = path.ancestors().nth(steps).filter(|given| !given.as_os_str().is_empty());
    let same = given.filter(|given| given.canonicalize().is_ok_and(|one| one == around));
    Some(same.map_or_else(|| around.to_owned(), Path::to_owned))
}
