//! The list of functions that a program made while it ran (`/tmp/perf-PID.map`), copied into its recording: Python, node and others write
//! one for `perf`, and a later process may have the same number.

use crate::amend::put;
use crate::process::{self, Life};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::{PinnedFolder, Recording, folder};
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The folder in which programs write such lists.
const TMP: &str = "/tmp";
/// Bytes of the largest list that is copied.
const LARGEST: u64 = 64 << 20;
/// Time by which a program may have written before or after what the recording says of its begin and end, in nanoseconds.
const SLACK: i128 = 10_000_000_000;

/// Copies the list of a program that is over into its recording, unless it has one; a line on one that is too large.
pub fn keep(recording: &Recording) -> Option<String> {
    let facts = &recording.facts;
    if !process::is_of_here(&facts.process) || Life::of_run(&recording.path, facts) != Life::Over {
        return None;
    }
    let name = format!("perf-{}.map", facts.process.pid);
    match copy(Path::new(TMP), &name, recording) {
        Ok(Some(bytes)) => {
            let most = LARGEST >> 20;
            Some(format!(
                "{TMP}/{name} has {bytes} bytes, more than {most} MiB: code that the program made has no names"
            ))
        }
        // A folder that cannot be written, or no list.
        Ok(None) | Err(_) => None,
    }
}

/// Returns the size of a list that is too large.
fn copy(tmp: &Path, name: &str, recording: &Recording) -> io::Result<Option<u64>> {
    let run = PinnedFolder::open(&recording.path)?;
    let is_there = |name: &str| run.entry(name).is_ok();
    if is_there(folder::PERF_MAP) || is_there(folder::SYMBOLS) || !run.is_ours()? {
        return Ok(None);
    }
    let file = PinnedFolder::open(tmp)?.read(name)?;
    let about = file.metadata()?;
    if about.uid() != run.metadata()?.uid() || !is_of_its_time(&about, &recording.facts) {
        return Ok(None);
    }
    if about.len() > LARGEST {
        return Ok(Some(about.len()));
    }
    put(&run, folder::PERF_MAP, None, |to| io::copy(&mut file.take(LARGEST), to))?;
    Ok(None)
}

/// True if a file was last changed while the process lived.
fn is_of_its_time(file: &Metadata, facts: &Facts) -> bool {
    let Some(first) = facts.clock.pairs.first() else { return false };
    let realtime = |monotonic: u64| {
        i128::from(facts.clock.realtime) + i128::from(monotonic) - i128::from(first.monotonic)
    };
    let began = realtime(facts.life.began.unwrap_or(first.monotonic));
    let ended = facts.life.ended.as_ref().map(|ended| realtime(ended.monotonic));
    let changed = i128::from(file.mtime()) * 1_000_000_000 + i128::from(file.mtime_nsec());
    changed >= began - SLACK && ended.is_none_or(|ended| changed <= ended + SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::facts::{End, Life};
    use ompttrace_timeline::testing::RunBuilder;
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;
    use std::time::{Duration, SystemTime};

    const NAME: &str = "perf-4000.map";
    const TEXT: &str = "7f0000001000 20 py::step:/src/heat.py\n";
    /// The program lived from 100 to 200 seconds after 1970.
    const AT: u64 = 150;

    /// Content of the copied list after `make` has made one in another folder, and the size of one that is too large.
    fn kept(make: impl FnOnce(&Path)) -> (Option<String>, Option<u64>) {
        let mut run = RunBuilder::new();
        run.facts.clock.realtime = 100_000_000_000;
        let ended = End { monotonic: 100_000_000_000, ..End::default() };
        run.facts.life = Life { began: Some(0), ended: Some(ended), ..Life::default() };
        let (run, recording) = run.open().expect("a recording");
        let tmp = tempfile::tempdir().expect("a folder");
        make(tmp.path());
        let too_large = copy(tmp.path(), NAME, &recording).unwrap_or(None);
        (fs::read_to_string(run.path().join(folder::PERF_MAP)).ok(), too_large)
    }

    fn write(path: &Path, seconds: u64) {
        fs::write(path, TEXT).expect("written");
        let file = File::options().write(true).open(path).expect("opened");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).expect("a time");
    }

    #[test]
    fn the_list_of_the_program_is_copied() {
        assert_eq!(kept(|tmp| write(&tmp.join(NAME), AT)), (Some(TEXT.to_owned()), None));
    }

    #[test]
    fn another_processs_list_a_link_and_what_is_no_file_are_not() {
        assert_eq!(kept(|tmp| write(&tmp.join(NAME), 80)), (None, None), "before its begin");
        assert_eq!(kept(|tmp| write(&tmp.join(NAME), 220)), (None, None), "after its end");
        let link = |tmp: &Path| {
            write(&tmp.join("other"), AT);
            symlink("other", tmp.join(NAME)).expect("a link");
        };
        assert_eq!(kept(link), (None, None));
        assert_eq!(kept(|tmp| fs::create_dir(tmp.join(NAME)).expect("a folder")), (None, None));
        assert_eq!(kept(|_| {}), (None, None));
    }

    #[test]
    fn a_list_that_is_too_large_is_reported() {
        let large = |tmp: &Path| {
            let file = File::create(tmp.join(NAME)).expect("a file");
            file.set_len(LARGEST + 1).expect("a hole");
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(AT)).expect("a time");
        };
        assert_eq!(kept(large), (None, Some(LARGEST + 1)));
    }
}
