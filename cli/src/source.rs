//! Lines of source files for a report's page. What a recording names is looked at only where it is the user's own, for
//! somebody else's could name any file of the user's and have its lines put into a page that is passed on.

use crate::say;
use anyhow::{Context, Result, ensure};
use ompttrace_recording::folder;
use ompttrace_report::html::Excerpt;
use rustix::fs::OFlags;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Lines above and below.
const AROUND: u32 = 4;
/// Larger files are no sources.
const LARGEST: u64 = 16 << 20;
/// Letters of a line.
const LONGEST: usize = 400;

/// Refuses a recording that another user made, or could have changed.
pub fn check_owner(run: &Path) -> Result<()> {
    let user = rustix::process::geteuid().as_raw();
    for path in [run.to_owned(), run.join(folder::FACTS)] {
        let about = fs::metadata(&path).with_context(|| say::shown(&path))?;
        ensure!(
            about.uid() == user && about.mode() & 0o022 == 0,
            "--source: others may write to {}: source lines are shown only for recordings that only you can write",
            say::shown(&path)
        );
    }
    Ok(())
}

/// Fills in the lines around each location.
pub fn fill(excerpts: &mut [Excerpt]) {
    for excerpt in excerpts {
        (excerpt.first, excerpt.lines) = match lines(Path::new(&excerpt.file), excerpt.line) {
            Ok((first, lines)) => (first, Ok(lines)),
            Err(reason) => (excerpt.line, Err(reason)),
        };
    }
}

fn lines(file: &Path, line: u32) -> Result<(u32, Vec<String>), String> {
    let text = read(file)?;
    let text = String::from_utf8_lossy(&text);
    let first = line.saturating_sub(AROUND).max(1);
    let found = text
        .lines()
        .skip(first as usize - 1)
        .take((line.saturating_add(AROUND) - first) as usize + 1);
    let found: Vec<_> = found.map(|line| line.chars().take(LONGEST).collect()).collect();
    match found.len() as u32 > line.saturating_sub(first) {
        true => Ok((first, found)),
        false => Err("the file no longer has this line".to_owned()),
    }
}

/// A regular file, whatever it is when it is open.
fn read(file: &Path) -> Result<Vec<u8>, String> {
    if !file.is_absolute() {
        return Err("the compiler did not store a full path".to_owned());
    }
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let opened = File::options().read(true).custom_flags(flags).open(file);
    let opened = opened.map_err(|error| error.to_string())?;
    let about = opened.metadata().map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > LARGEST {
        return Err("it is not a source file".to_owned());
    }
    let mut text = Vec::new();
    opened.take(about.len()).read_to_end(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn at(file: &Path, line: u32) -> Excerpt {
        let file = file.display().to_string();
        let (constructs, lines) = (Vec::new(), Ok(Vec::new()));
        let mut excerpts = [Excerpt { file, line, constructs, first: line, lines }];
        fill(&mut excerpts);
        let [excerpt] = excerpts;
        excerpt
    }

    #[test]
    fn lines_around_a_location_are_those_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("loop.c");
        let text: Vec<_> = (1..=20).map(|number| format!("line {number}")).collect();
        fs::write(&file, text.join("\n")).expect("written");
        for (line, first, last) in [(1, 1, 5), (10, 6, 14), (20, 16, 20)] {
            let excerpt = at(&file, line);
            let wanted: Vec<_> = (first..=last).map(|number| format!("line {number}")).collect();
            assert_eq!((excerpt.first, excerpt.lines), (first, Ok(wanted)));
        }
        assert!(at(&file, 21).lines.is_err());
        assert!(at(&file, u32::MAX).lines.is_err());
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).expect("a pipe");
        for file in [&pipe, folder.path(), Path::new("/dev/zero"), Path::new("relative.c")] {
            assert!(at(file, 1).lines.is_err(), "{}", file.display());
        }
        assert!(at(Path::new("/proc/self/environ"), 1).lines.is_err());
    }

    #[test]
    fn recordings_that_others_can_write_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let facts = folder.path().join(folder::FACTS);
        fs::write(&facts, "{}").expect("written");
        fs::set_permissions(&facts, fs::Permissions::from_mode(0o600)).expect("set");
        check_owner(folder.path()).expect("our own");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("set");
        assert!(check_owner(folder.path()).is_err());
    }
}
