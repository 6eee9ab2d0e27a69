//! The pool of a killed process lies in /dev/shm and takes memory until the next boot: it is moved
//! into the run folder.
//!
//! At any time `recording.json` names a whole pool, so that nothing is lost if this process ends in the middle.

use crate::amend::{amend_in, put};
use crate::process::Life;
use crate::say;
use anyhow::{Context, Result, ensure};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::reader::{Pool, PoolFile, read_facts};
use ompttrace_recording::{PinnedFolder, folder};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The fact that reports where a pool was before it was moved.
const MOVED_FROM: &str = "pool_moved_from";

/// A pool that was to be moved into its run folder.
pub struct Recovery {
    /// Path of the pool before.
    pub from: PathBuf,
    /// Result for the pool.
    pub outcome: Outcome,
}

/// Result of moving a pool.
pub enum Outcome {
    /// The pool was moved, and has this many bytes.
    Moved(u64),
    Failed(anyhow::Error),
    /// The pool stays where it lies: it is unknown here whether it is still written.
    InDoubt,
}

impl Recovery {
    /// One line for the user.
    pub fn text(&self) -> String {
        let from = say::shown(&self.from);
        match &self.outcome {
            Outcome::Moved(bytes) => {
                format!("recovered: {} KiB of buffers moved here from {from}", bytes / 1024)
            }
            Outcome::Failed(error) => {
                say::harmless(&format!("the buffers stay in {from}: {error:#}"))
            }
            Outcome::InDoubt => format!("the buffers stay in {from}: {IN_DOUBT}"),
        }
    }

    /// The reason why the pool stays where it is, if it does.
    pub fn obstacle(&self) -> Option<String> {
        (!matches!(self.outcome, Outcome::Moved(_))).then(|| self.text())
    }
}

/// Reason why a pool is not moved, and the option that moves it nonetheless.
const IN_DOUBT: &str = "it is unknown here whether the program still runs (another machine or PID namespace); \
    when it has ended, `ompttrace export --force` takes them";

/// Moves the pool of a run whose process is over, with `force` also where that cannot be known. `None`: there
/// is nothing to move. What cannot be read at all is reported when the recording is opened next.
pub fn recover(run: &Path, force: bool) -> Option<Recovery> {
    let run = PinnedFolder::open(run).ok()?;
    let facts = read_facts(&run.path()).ok()?;
    finish_earlier(&run, &facts);
    let pool = leftover_pool(&run, &facts)?;
    let outcome = match Life::of_owner(&pool, &facts.process.host) {
        Life::Runs => return None,
        Life::Unknown if !force => Outcome::InDoubt,
        Life::Unknown | Life::Over => match move_into(&run, &pool) {
            Ok(bytes) => Outcome::Moved(bytes),
            Err(error) => Outcome::Failed(error),
        },
    };
    Some(Recovery { from: pool.path, outcome })
}

/// The pool, if it lies outside the run folder.
fn leftover_pool(run: &PinnedFolder, facts: &Facts) -> Option<PoolFile> {
    let Ok(Pool::Found(pool)) = Pool::of(&run.path(), facts) else { return None };
    let around = fs::metadata(pool.path.parent()?).ok()?;
    (identity(&around) != identity(&run.metadata().ok()?)).then_some(pool)
}

/// Removes a pool that was moved by an export which ended before it could remove it.
fn finish_earlier(run: &PinnedFolder, facts: &Facts) -> Option<()> {
    let pool = Some(facts.pool_moved_from.clone()?);
    let pool = leftover_pool(run, &Facts { pool, ..facts.clone() })?;
    // It was moved because its process was over, or was declared over by `--force`.
    (Life::of_owner(&pool, &facts.process.host) != Life::Runs).then(|| unlink(&pool).ok())?
}

fn move_into(run: &PinnedFolder, pool: &PoolFile) -> Result<u64> {
    let (owner, of_run) = (pool.file.metadata()?.uid(), run.metadata()?);
    let is_owners = owner == of_run.uid();
    let ours = owner == rustix::process::geteuid().as_raw();
    ensure!(is_owners || ours, "they belong to another user than the recording");
    // Users who may read the recording can read what is added to it, except what they could not read before.
    let to = is_owners.then_some(&of_run);
    let bytes = put(run, folder::POOL, to, |file| io::copy(&mut &pool.file, file));
    let bytes = bytes.context(folder::POOL)?;
    if let Err(error) = name_pool(run, &pool.path) {
        let _ = run.remove(folder::POOL);
        return Err(error.context(folder::FACTS));
    }
    // Names are on the disk before the only other copy goes.
    let _ = run.sync();
    unlink(pool).with_context(|| format!("{}", pool.path.display()))?;
    Ok(bytes)
}

/// Makes `recording.json` name the pool in the run folder and where it was before, and leaves all else
/// in it as it is.
fn name_pool(run: &PinnedFolder, before: &Path) -> Result<()> {
    amend_in(run, |facts| {
        facts.insert("pool".into(), folder::POOL.into());
        if let Some(before) = before.to_str() {
            facts.insert(MOVED_FROM.into(), before.into());
        }
    })
}

/// Removes the pool's name, if it is still the name of that file.
pub fn unlink(pool: &PoolFile) -> io::Result<()> {
    let (Some(around), Some(name)) = (pool.path.parent(), pool.path.file_name()) else {
        return Ok(());
    };
    // The folder stays the same between the look and the removal.
    let around = PinnedFolder::open(around)?;
    match around.entry(name) {
        Ok(named) if identity(&named) == identity(&pool.file.metadata()?) => around.remove(name),
        _ => Ok(()),
    }
}

/// Device and inode, by which a file is identified.
fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}
