//! The way from a process to its run folder, whose path is in the buffers that the process has mapped.

use crate::process::{self, exists};
use crate::run_folder;
use crate::say;
use anyhow::{Context, Result, bail};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::reader::PoolFile;
use ompttrace_recording::{PinnedFolder, folder};
use rustix::process::geteuid;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A program to inspect.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// The run folder: as it was given, or found through the process.
    pub run: PathBuf,
    /// The process, if it was given.
    pub pid: Option<u32>,
}

/// A process by its number, otherwise a run folder.
pub fn target(given: &OsStr) -> Result<Target> {
    let Some(pid) = given.to_str().and_then(|text| text.parse::<u32>().ok()) else {
        let run = PathBuf::from(given);
        run_folder::check(&run)?;
        return Ok(Target { run, pid: None });
    };
    if !exists(pid) {
        bail!("there is no process {pid}; for one that has ended give the run folder");
    }
    let maps = fs::read(format!("/proc/{pid}/maps")).with_context(|| {
        format!("/proc/{pid}/maps: only the process's user and root may read it")
    })?;
    let pool = pools(&maps).into_iter().find_map(|mapped| pool(&mapped, pid));
    let found =
        pool.as_ref().and_then(|pool| Some((pool.file.metadata().ok()?.uid(), pool.run()?)));
    let Some((owner, run)) = found else {
        bail!(
            "process {pid} is not being traced, or its recording is closed: start the program with `ompttrace run`, \
             or give the run folder"
        );
    };
    run_folder::check(&run).with_context(|| format!("the run folder of process {pid}"))?;
    // Its path may mean another folder by now.
    if !is_owners(&run, owner).unwrap_or(false) {
        let shown = say::shown(&run);
        bail!("the run folder of process {pid}, {shown}, belongs to another user than its buffers");
    }
    Ok(Target { run, pid: Some(pid) })
}

/// True if the folder belongs to this user; a file system may show the user's own files as another's.
fn is_owners(run: &Path, user: u32) -> std::io::Result<bool> {
    let folder = PinnedFolder::open(run)?;
    let is_ours = || Ok(user == geteuid().as_raw() && folder.is_ours()?);
    if folder.metadata()?.uid() == user { Ok(true) } else { is_ours() }
}

/// Number of a run's process here; none if the numbers of its namespace mean nothing here.
pub fn pid_of(facts: &Facts) -> Option<u32> {
    let process = &facts.process;
    let here = process.pid_namespace == process::namespace("pid");
    (here && exists(process.pid)).then_some(process.pid)
}

/// A file that a process has in memory.
#[derive(Debug, PartialEq, Eq)]
struct Mapped {
    inode: u64,
    path: PathBuf,
}

/// Shared mappings of a file's begin whose names may be those of buffers.
fn pools(maps: &[u8]) -> Vec<Mapped> {
    maps.split(|byte| *byte == b'\n').filter_map(pool_in).collect()
}

fn pool_in(line: &[u8]) -> Option<Mapped> {
    // Range, rights, offset, device, inode, and after spaces the path.
    let mut fields = line.splitn(6, |byte| *byte == b' ');
    let rights = fields.nth(1)?;
    let offset = fields.next()?;
    let inode = std::str::from_utf8(fields.nth(1)?).ok()?.parse().ok()?;
    let path = PathBuf::from(OsString::from_vec(fields.next()?.trim_ascii_start().to_vec()));
    let name = path.file_name()?;
    let is_named = PoolFile::is_name(name) || name == OsStr::new(folder::POOL);
    let fits = rights == b"rw-s" && offset.iter().all(|byte| *byte == b'0') && is_named;
    (fits && path.as_os_str().as_bytes().starts_with(b"/")).then_some(Mapped { inode, path })
}

/// The buffers of the process itself; a forked child's mapping of its parent's buffers does not count.
fn pool(mapped: &Mapped, pid: u32) -> Option<PoolFile> {
    let open = |path: &Path| {
        let pool = PoolFile::open(path).ok().flatten()?;
        let same = pool.file.metadata().is_ok_and(|found| found.ino() == mapped.inode);
        (same && pool.is_pool() && is_of(&pool, pid)).then_some(pool)
    };
    let mut inside = OsString::from(format!("/proc/{pid}/root"));
    inside.push(&mapped.path);
    open(&mapped.path).or_else(|| open(Path::new(&inside)))
}

/// True if the buffers belong to the process, by its number in its own namespace.
fn is_of(pool: &PoolFile, pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    super::kernel::inner_id(&status).unwrap_or(pid) == pool.process()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_found_among_the_mappings() {
        let maps =
            b"7f00-7f01 rw-s 00001000 00:1b 7                    /dev/shm/ompttrace.44.18ea\n\
            7f01-7f02 rw-s 00000000 00:1b 7                    /dev/shm/ompttrace.44.18ea\n\
            7f02-7f03 r--s 00000000 00:1b 8                    /dev/shm/ompttrace.45.18ea\n\
            7f03-7f04 rw-s 00000000 fe:00 9                    /home/me/a b.44.ompttrace/pool\n\
            7f04-7f05 rw-s 00000000 00:1b 10                   /dev/shm/another\n\
            7f05-7f06 rw-p 00000000 00:00 0 \n\
            torn";
        let paths: Vec<_> =
            pools(maps).into_iter().map(|found| (found.inode, found.path)).collect();
        assert_eq!(
            paths,
            [
                (7, PathBuf::from("/dev/shm/ompttrace.44.18ea")),
                (9, PathBuf::from("/home/me/a b.44.ompttrace/pool")),
            ]
        );
    }

    #[test]
    fn an_untraced_process_is_reported() {
        let own = std::process::id().to_string();
        let error = target(OsStr::new(&own)).expect_err("this test is not traced");
        assert!(error.to_string().contains("is not being traced"), "{error:#}");
        let error = target(OsStr::new("4294967295")).expect_err("no process");
        assert!(error.to_string().contains("there is no process"), "{error:#}");
    }
}
