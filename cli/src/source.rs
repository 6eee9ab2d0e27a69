//! Lines of source files for a report's page. Files that a recording names are only read if the recording is the user's
//! own, since another user's could name any file of the user's and have its lines put into a page that is passed on.
//!
//! A recording that the user unpacked has the user as its owner, whoever made it. So no lines are shown of the kernel's
//! files, and lines of hidden folders and of files that only the user can read are shown for [`Program`]s only.

use crate::say;
use anyhow::{Context, Result, ensure};
use ompttrace_recording::folder;
use ompttrace_recording::reader::read_facts;
use ompttrace_report::html::Excerpt;
use ompttrace_symbols::names_source;
use rustix::fs::OFlags;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// Number of lines shown above and below a line.
const AROUND: u32 = 4;
/// Maximum size of a source file, in bytes.
const LARGEST: u64 = 16 << 20;
/// Maximum number of letters of a line that are shown.
const LONGEST: usize = 400;
/// Folders of the kernel's: a file there is another one for each process that asks, or no file.
const OF_KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

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

/// Fills in the lines around each location of a recording.
pub fn fill(excerpts: &mut [Excerpt], run: &Path) {
    let program = Program::recorded_here(run);
    for excerpt in excerpts {
        let found = lines(Path::new(&excerpt.file), excerpt.line, program.as_ref());
        (excerpt.first, excerpt.lines) = match found {
            Ok((first, lines)) => (first, Ok(lines)),
            Err(reason) => (excerpt.line, Err(reason)),
        };
    }
}

/// A remark on the files of which a page has lines; none if it has none.
pub fn remark(excerpts: &[Excerpt]) -> Option<String> {
    let shown = excerpts.iter().filter(|excerpt| excerpt.lines.is_ok());
    let mut files: Vec<_> = shown.map(|excerpt| say::shown(Path::new(&excerpt.file))).collect();
    files.sort();
    files.dedup();
    let noun = if files.len() == 1 { "file" } else { "files" };
    let text =
        || format!("the page has lines of {} source {noun}: {}", files.len(), files.join(", "));
    (!files.is_empty()).then(text)
}

/// A program of the user's that was recorded on this machine, and may name files that only the user can read.
struct Program(PathBuf);

impl Program {
    /// The recorded program, if its file is the user's and lies here unchanged since before the recording began. What comes out
    /// of an archive with a recording is younger, and no archive can choose the time at which the kernel sees a file change.
    fn recorded_here(run: &Path) -> Option<Program> {
        let facts = read_facts(run).ok()?;
        let path = PathBuf::from(&facts.process.executable);
        let about = path.symlink_metadata().ok()?;
        let is_own =
            about.uid() == rustix::process::geteuid().as_raw() && about.mode() & 0o022 == 0;
        let is_itself = fs::canonicalize(&path).is_ok_and(|real| real == path);
        let begin = u128::from(facts.clock.realtime);
        let recorded = run.join(folder::FACTS).metadata().ok()?;
        let is_older = changed(&about) < begin && begin <= changed(&recorded);
        (about.is_file() && is_own && is_itself && is_older).then_some(Program(path))
    }

    fn names(&self, file: &Path) -> bool {
        file.to_str().is_some_and(|file| names_source(&self.0, file))
    }
}

/// Time of the last change of a file or its rights, nanoseconds since 1970.
fn changed(about: &fs::Metadata) -> u128 {
    let [seconds, rest] =
        [about.ctime(), about.ctime_nsec()].map(|part| u128::try_from(part).unwrap_or(0));
    seconds * 1_000_000_000 + rest
}

fn lines(file: &Path, line: u32, program: Option<&Program>) -> Result<(u32, Vec<String>), String> {
    let text = read(file, program)?;
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

/// Reads a regular file; its kind is checked when it is open.
fn read(file: &Path, program: Option<&Program>) -> Result<Vec<u8>, String> {
    if !file.is_absolute() {
        return Err("the compiler did not store a full path".to_owned());
    }
    let words = |error: std::io::Error| error.to_string();
    let real = fs::canonicalize(file).map_err(words)?;
    is_no_kernel_file(file).and(is_no_kernel_file(&real))?;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let opened = File::options().read(true).custom_flags(flags).open(&real).map_err(words)?;
    let about = opened.metadata().map_err(words)?;
    if !about.is_file() || about.len() > LARGEST {
        return Err("it is not a source file".to_owned());
    }
    is_visible(file)
        .and(is_visible(&real))
        .and(is_readable_by_others(&about))
        .or_else(|private| allow(private, file, program))?;
    let mut text = Vec::new();
    opened.take(about.len()).read_to_end(&mut text).map_err(words)?;
    Ok(text)
}

fn is_no_kernel_file(file: &Path) -> Result<(), String> {
    let folder = OF_KERNEL.iter().find(|folder| file.starts_with(folder));
    folder.map_or(Ok(()), |folder| Err(format!("files below {folder} are not shown")))
}

fn is_visible(file: &Path) -> Result<(), &'static str> {
    let is_hidden = |part: Component| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    };
    if file.components().any(is_hidden) { Err("its path is hidden") } else { Ok(()) }
}

fn is_readable_by_others(about: &fs::Metadata) -> Result<(), &'static str> {
    if about.mode() & 0o044 == 0 { Err("only you can read it") } else { Ok(()) }
}

/// Lets a recorded program show its own files, for the reason `private` against it.
fn allow(private: &str, file: &Path, program: Option<&Program>) -> Result<(), String> {
    match program.is_some_and(|program| program.names(file)) {
        true => Ok(()),
        false => Err(format!(
            "{private}: such files are shown for a program of yours that names them and is unchanged since it was recorded here"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn at(file: &Path, line: u32) -> Excerpt {
        let file = file.display().to_string();
        let (constructs, lines) = (Vec::new(), Ok(Vec::new()));
        let mut excerpts = [Excerpt { file, line, constructs, first: line, lines }];
        fill(&mut excerpts, Path::new("no recording"));
        let [excerpt] = excerpts;
        excerpt
    }

    #[test]
    fn lines_around_a_location_are_those_of_the_file() {
        let folder = tempfile::Builder::new().prefix("sources.").tempdir().expect("a folder");
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
