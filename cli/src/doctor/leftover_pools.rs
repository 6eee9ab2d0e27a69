//! Buffers of killed runs that are still in memory: reported, and removed if no recording can need them.
//!
//! Only a pool of this user is examined, and only if its process had its number among the processes that we see: pools
//! of containers are not touched.

use super::finding::{Finding, Level};
use crate::process::{self, Life};
use crate::{recover, say};
use ompttrace_recording::reader::{Pool, PoolFile, read_facts};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Maximum number of files of each kind that are named.
const MOST_NAMED: usize = 3;

/// Kinds of files with a pool's name, by what the doctor did with them.
enum LeftoverPool {
    /// Its process runs, or may run where we cannot see it, or it belongs to another user.
    NotOurs,
    /// Its run folder is there and needs it.
    Wanted(String),
    Removed(u64),
    /// Its process died before it wrote its name into it.
    Unowned,
    Kept(io::Error),
}

/// Examines the folder where pools lie; returns one line about all of them, if there are any.
pub fn finding(folder: &Path) -> Option<Finding> {
    finding_of(rustix::process::geteuid().as_raw(), folder)
}

/// The pools of one user.
fn finding_of(user: u32, folder: &Path) -> Option<Finding> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter(|entry| PoolFile::is_name(&entry.file_name()));
    let mut paths: Vec<_> = names.map(|entry| entry.path()).collect();
    paths.sort();
    let (mut wanted, mut unowned, mut kept, mut removed) = (vec![], vec![], vec![], vec![]);
    for path in paths {
        let shown = say::shown(&path);
        match judge(user, &path) {
            None | Some(LeftoverPool::NotOurs) => {}
            Some(LeftoverPool::Wanted(run)) => wanted.push(format!("{run} ({shown})")),
            Some(LeftoverPool::Removed(bytes)) => removed.push(bytes),
            Some(LeftoverPool::Unowned) => unowned.push(shown),
            Some(LeftoverPool::Kept(error)) => kept.push(format!("{shown} ({error})")),
        }
    }
    let bytes = removed.iter().sum::<u64>() / 1024;
    let part =
        |all: &[String], text: &str| (!all.is_empty()).then(|| format!("{text} {}", named(all)));
    let parts = [
        part(&wanted, "`ompttrace export` recovers the last events of"),
        (!removed.is_empty()).then(|| {
            format!("{} removed, whose runs no longer exist ({bytes} KiB)", removed.len())
        }),
        part(&unowned, "empty, to be removed:"),
        part(&kept, "their runs no longer exist, but they cannot be removed:"),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then(|| {
        Finding::new(
            Level::Note,
            "memory",
            format!("your buffers in {}: {text}", say::shown(folder)),
        )
    })
}

/// The first ones, and how many more there are.
fn named(all: &[String]) -> String {
    let first = all.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn judge(user: u32, path: &Path) -> Option<LeftoverPool> {
    let pool = PoolFile::open(path).ok()??;
    let metadata = pool.file.metadata().ok()?;
    if metadata.uid() != user {
        return Some(LeftoverPool::NotOurs);
    }
    if !pool.is_pool() {
        let unowned = pool.is_unowned() && process::is_abandoned(&pool);
        return Some(if unowned { LeftoverPool::Unowned } else { LeftoverPool::NotOurs });
    }
    // What is over elsewhere may have a run folder that we cannot see.
    let here = pool.process_namespace() == process::namespace("pid");
    if !here || Life::of_owner(&pool, "") != Life::Over {
        return Some(LeftoverPool::NotOurs);
    }
    let run = pool.run()?;
    if needs(&run, &metadata) {
        return Some(LeftoverPool::Wanted(say::shown(&run)));
    }
    Some(match recover::unlink(&pool) {
        Ok(()) => LeftoverPool::Removed(metadata.len()),
        Err(error) => LeftoverPool::Kept(error),
    })
}

/// True if the run folder exists and names this pool; a folder that cannot be read counts as needing it.
fn needs(run: &Path, pool: &fs::Metadata) -> bool {
    if matches!(run.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound) {
        return false;
    }
    let Ok(facts) = read_facts(run) else { return true };
    match Pool::of(run, &facts) {
        Ok(Pool::Found(found)) => found
            .file
            .metadata()
            .is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == (pool.dev(), pool.ino())),
        Ok(Pool::None | Pool::Missing | Pool::Refused) => false,
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::facts::{Facts, Process};
    use ompttrace_recording::pool::{MAGIC, PAGE, header};
    use ompttrace_recording::{FORMAT_VERSION, folder};
    use std::os::unix::ffi::OsStrExt;

    const NO_PROCESS: u32 = u32::MAX;

    fn namespace() -> u64 {
        process::namespace("pid")
    }

    /// A pool's header page of that process, in that namespace, for the run folder `run`.
    fn pool(folder: &Path, process: u32, namespace: u64, run: &Path) -> std::path::PathBuf {
        let mut words = [0u64; PAGE / 8];
        words[header::MAGIC] = MAGIC;
        words[header::VERSION] = FORMAT_VERSION.into();
        words[header::PID] = process.into();
        words[header::PID_NAMESPACE] = namespace;
        words[header::SLOT] = PAGE as u64;
        words[header::PAGE] = PAGE as u64;
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let path = run.as_os_str().as_bytes();
        bytes[8 * header::RUN..][..path.len()].copy_from_slice(path);
        bytes[8 * header::RUN_BYTES] = path.len() as u8;
        let name = folder.join(format!("ompttrace.{process}.{namespace:x}"));
        fs::write(&name, bytes).expect("written");
        name
    }

    fn texts(folder: &Path) -> Vec<String> {
        finding(folder).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn a_pool_without_process_and_folder_is_removed() {
        let scratch = tempfile::tempdir().expect("a folder");
        let gone = scratch.path().join("gone");
        let leftover = pool(scratch.path(), NO_PROCESS, namespace(), &gone);
        let texts = texts(scratch.path());
        assert!(
            texts.len() == 1
                && texts[0].ends_with(": 1 removed, whose runs no longer exist (4 KiB)")
        );
        assert!(!leftover.exists());
    }

    #[test]
    fn pools_that_are_live_or_anothers_or_unknown_stay() {
        let scratch = tempfile::tempdir().expect("a folder");
        let gone = scratch.path().join("gone");
        let here = namespace();
        let alive = pool(scratch.path(), std::process::id(), here, &gone);
        // As its mapping would be.
        let _writer = fs::File::options().write(true).open(&alive).expect("opened");
        let elsewhere = pool(scratch.path(), NO_PROCESS, here + 1, &gone);
        let nobodys = pool(scratch.path(), NO_PROCESS, here, Path::new(""));
        let other = scratch.path().join("ompttrace.text");
        fs::write(&other, "a user's own notes").expect("written");
        let almost = pool(scratch.path(), NO_PROCESS - 1, here, &gone);
        let mut bytes = fs::read(&almost).expect("read");
        bytes[8 * header::MAGIC] ^= 1;
        fs::write(&almost, bytes).expect("written");
        assert_eq!(texts(scratch.path()), [""; 0]);
        assert!([alive, elsewhere, nobodys, other, almost].iter().all(|path| path.exists()));
    }

    /// The words before the first one may be there: that is written last.
    #[test]
    fn a_pool_without_an_owner_is_named_for_removal() {
        let scratch = tempfile::tempdir().expect("a folder");
        let file = |name: String, bytes: &[u8]| {
            let path = scratch.path().join(name);
            fs::write(&path, bytes).expect("written");
            path
        };
        let begun = [[0; PAGE / 2], [1; PAGE / 2]].concat();
        let empty = file(format!("ompttrace.{NO_PROCESS}.18b3f"), b"");
        let page = file(format!("ompttrace.{NO_PROCESS}.18b40"), &begun);
        let others = [
            file(format!("ompttrace.{}.18b3f", std::process::id()), b""),
            file(format!("ompttrace.{NO_PROCESS}.notes"), b""),
            file(format!("ompttrace.{NO_PROCESS}.18b41"), &[0; (64 << 10) + 1]),
            file("ompttrace.text".into(), b""),
        ];
        let reported = texts(scratch.path());
        assert_eq!(reported.len(), 1, "{reported:?}");
        let files = format!("to be removed: {}, {}", empty.display(), page.display());
        assert!(reported[0].ends_with(&files), "{reported:?}");
        assert!(others.iter().chain([&empty, &page]).all(|path| path.exists()));
        let owner = empty.metadata().expect("metadata").uid();
        assert!(finding_of(owner + 1, scratch.path()).is_none(), "another user's");
    }

    /// No pool is what is no file, and looking at it must not wait for anybody.
    #[test]
    fn unrelated_files_with_a_pools_name_are_left_alone() {
        let scratch = tempfile::tempdir().expect("a folder");
        let of = |kind: &str| scratch.path().join(format!("ompttrace.{NO_PROCESS}.{kind}"));
        let made = std::process::Command::new("mkfifo").arg(of("a")).status().expect("run");
        assert!(made.success());
        fs::create_dir(of("b")).expect("a folder");
        let _socket = std::os::unix::net::UnixListener::bind(of("c")).expect("a socket");
        for (name, to) in [("d", "/dev/zero"), ("e", "missing"), ("f", "/dev/null")] {
            std::os::unix::fs::symlink(to, of(name)).expect("a link");
        }
        std::os::unix::fs::symlink(of("a"), of("0")).expect("a link");
        assert_eq!(texts(scratch.path()), [""; 0]);
    }

    /// Root sees all users' pools and could remove them, but does not decide whether their runs are over.
    #[test]
    fn another_users_pool_stays_and_is_not_reported() {
        let scratch = tempfile::tempdir().expect("a folder");
        let gone = scratch.path().join("gone");
        let leftover = pool(scratch.path(), NO_PROCESS, namespace(), &gone);
        let owner = leftover.metadata().expect("metadata").uid();
        assert!(finding_of(owner + 1, scratch.path()).is_none() && leftover.exists());
        assert!(finding_of(owner, scratch.path()).is_some() && !leftover.exists());
    }

    #[test]
    fn many_are_one_line() {
        let scratch = tempfile::tempdir().expect("a folder");
        let gone = scratch.path().join("gone");
        for process in 0..20 {
            pool(scratch.path(), NO_PROCESS - process, namespace(), &gone);
            let empty = scratch.path().join(format!("ompttrace.{}.0", NO_PROCESS - process));
            fs::write(empty, "").expect("written");
        }
        let texts = texts(scratch.path());
        assert!(
            texts.len() == 1
                && texts[0].contains("20 removed, whose runs no longer exist (80 KiB)"),
            "{texts:?}"
        );
        assert!(texts[0].ends_with(" and 17 more") && !texts[0].contains('\n'), "{texts:?}");
    }

    #[test]
    fn what_a_killed_run_needs_stays_and_is_reported() {
        let scratch = tempfile::tempdir().expect("a folder");
        let run = scratch.path().join("killed");
        fs::create_dir(&run).expect("a folder");
        let needed = pool(scratch.path(), NO_PROCESS, namespace(), &run);
        let mut facts = Facts {
            process: Process { pid: NO_PROCESS, pid_namespace: namespace(), ..Process::default() },
            format: FORMAT_VERSION,
            little_endian: cfg!(target_endian = "little"),
            pool: Some(needed.to_string_lossy().into_owned()),
            ..Facts::default()
        };
        let write = |facts: &Facts| {
            let text = serde_json::to_vec(facts).expect("JSON");
            fs::write(run.join(folder::FACTS), text).expect("facts");
        };
        write(&facts);
        let reported = texts(scratch.path());
        assert!(reported.len() == 1 && reported[0].contains("ompttrace export"), "{reported:?}");
        assert!(needed.exists());
        // The folder is another run's now.
        facts.pool = Some("pool".into());
        write(&facts);
        assert!(texts(scratch.path())[0].contains("removed"));
        assert!(!needed.exists());
    }
}
