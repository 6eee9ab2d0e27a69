//! Selection of the trace of a run to show: the newest one, or one that is made now.

use super::age;
use crate::arguments::ExportArguments;
use crate::formats::table::Format;
use crate::job::{self, Job};
use crate::{export, interrupted, leftovers, run_folder, say};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The trace to show: `path` itself if it is a trace, otherwise one of the run folder `path`.
pub fn find(path: &Path) -> Result<PathBuf> {
    if run_folder::is_otf2(path) {
        bail!("{} is for Vampir: ompttrace view --vampir", say::shown(path));
    }
    if path.is_file() && run_folder::is_trace(path) {
        return Ok(path.to_owned());
    }
    let job = Job::at(path)?;
    if job.is_none() {
        run_folder::check(path)?;
    }
    let is_trace = |name: &str| {
        let name = name.strip_suffix(".gz").unwrap_or(name);
        name.starts_with("trace") && name.ends_with(".pftrace")
    };
    let Some(trace) = newest(path, is_trace) else {
        return match job {
            Some(job) => made_of_job(&job, &ExportArguments::of(path)),
            None => make(path, Format::Perfetto),
        };
    };
    leftovers::remark(path, "").iter().for_each(|remark| say::remark(remark));
    Ok(trace)
}

/// The newest file or folder in `folder` whose name fits, one of a whole run if there is one. Pipes are left out, since
/// a reader would wait without end.
pub fn newest(folder: &Path, fits: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let found = entries.filter(|entry| fits(&entry.file_name().to_string_lossy()));
    let paths = found.map(|entry| entry.path()).filter(|path| path.is_file() || path.is_dir());
    let age = |path: &PathBuf| {
        let time = path.metadata().and_then(|metadata| metadata.modified());
        // Names decide where the file system's clock is too coarse: two formats made at once.
        (!age::is_partial(path), time.unwrap_or(SystemTime::UNIX_EPOCH), path.clone())
    };
    paths.max_by_key(age)
}

/// Begin and end of a part of the run, in nanoseconds since its begin.
pub type Window = (Option<u64>, Option<u64>);

/// Makes a trace of a part of a run's time, in the run folder.
pub fn window(run: &Path, (from, to): Window) -> Result<PathBuf> {
    let job = Job::at(run)?;
    if job.is_none() {
        run_folder::check(run)?;
    }
    let arguments = ExportArguments { from, to, to_view: true, ..ExportArguments::of(run) };
    if let Some(contradiction) = arguments.contradiction() {
        bail!("{contradiction}");
    }
    match job {
        Some(job) => made_of_job(&job, &arguments),
        None => made(&arguments),
    }
}

/// Makes the trace of all ranks of a job.
pub(super) fn made_of_job(job: &Job, arguments: &ExportArguments) -> Result<PathBuf> {
    let shown = say::shown(&job.path);
    say::remark(&format!("{shown}: making a trace of {} ranks", job.ranks.len()));
    interrupted::watch_all(format!("the recordings are unchanged: ompttrace export {shown}"));
    let path = job::export::make(job, arguments)?;
    interrupted::over();
    Ok(path)
}

/// Makes the trace that is missing.
pub fn make(run: &Path, format: Format) -> Result<PathBuf> {
    say::remark(&format!("{}: no trace yet, making one", say::shown(run)));
    let arguments = ExportArguments { format: vec![format], ..ExportArguments::of(run) };
    made(&arguments)
}

fn made(arguments: &ExportArguments) -> Result<PathBuf> {
    interrupted::watch(&arguments.run);
    let mut paths = export::make(arguments)?;
    // What follows waits for the page, and Ctrl-C is the way to end that.
    interrupted::over();
    paths.pop().with_context(|| format!("{}: nothing was made", arguments.run.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn the_newest_trace_is_shown_and_a_file_is_taken_as_it_is() {
        let run = tempfile::tempdir().expect("a folder");
        for (name, age) in [
            ("trace.pftrace", 30),
            ("trace.2.pftrace", 10),
            ("trace.3.pftrace", 20),
            ("recording.json", 0),
        ] {
            let file = File::create(run.path().join(name)).expect("made");
            let time = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(time).expect("a time");
        }
        let socket = run.path().join("trace.4.pftrace");
        let _socket = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        assert_eq!(find(run.path()).expect("found"), run.path().join("trace.2.pftrace"));
        let third = run.path().join("trace.3.pftrace");
        assert_eq!(find(&third).expect("found"), third);
        assert!(find(&run.path().join("missing")).is_err());
    }
}
