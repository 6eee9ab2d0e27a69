//! The pool of a killed process lies in /dev/shm and takes memory until the next boot: it is moved
//! into the run folder.
//!
//! At every moment `recording.json` names a whole pool, so that an end in the middle loses nothing.

use crate::amend::{amend, put};
use crate::{process, say};
use anyhow::{Context, Result};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::folder;
use ompttrace_recording::reader::{Pool, PoolFile, read_facts};
use serde_json::Value;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The fact that tells where a pool was before it was moved.
const MOVED_FROM: &str = "pool_moved_from";

/// A pool that was to be moved.
pub struct Recovery {
    /// Where it lay.
    pub from: PathBuf,
    /// Its size, if it could be moved.
    pub moved: Result<u64>,
}

impl Recovery {
    /// One line for the user.
    pub fn text(&self) -> String {
        let from = say::shown(&self.from);
        match &self.moved {
            Ok(bytes) => {
                format!("recovered: {} KiB of buffers moved here from {from}", bytes / 1024)
            }
            Err(error) => say::harmless(&format!("the buffers stay in {from}: {error:#}")),
        }
    }
}

/// Moves the pool of a run whose process is over. `None`: there is nothing to move. What cannot be
/// read at all is told by whoever opens the recording next.
pub fn recover(run: &Path) -> Option<Recovery> {
    let facts = read_facts(run).ok()?;
    finish_earlier(run, &facts);
    let pool = stray_pool(run, &facts)?;
    Some(Recovery { from: pool.path.clone(), moved: move_into(run, &pool) })
}

/// The pool, if it lies outside the run folder and nobody writes it any more.
fn stray_pool(run: &Path, facts: &Facts) -> Option<PoolFile> {
    let Ok(Pool::Found(pool)) = Pool::of(run, facts) else { return None };
    let outside = fs::canonicalize(pool.path.parent()?).ok()? != fs::canonicalize(run).ok()?;
    (outside && process::is_over(&facts.process, pool.process_start())).then_some(pool)
}

/// Removes a pool that was moved by an export which ended before it could remove it.
fn finish_earlier(run: &Path, facts: &Facts) -> Option<()> {
    let text: Value = serde_json::from_slice(&fs::read(run.join(folder::FACTS)).ok()?).ok()?;
    let pool = Some(text.get(MOVED_FROM)?.as_str()?.to_owned());
    let pool = stray_pool(run, &Facts { pool, ..facts.clone() })?;
    unlink(&pool).ok()
}

fn move_into(run: &Path, pool: &PoolFile) -> Result<u64> {
    let (target, facts) = (run.join(folder::POOL), run.join(folder::FACTS));
    // Who may read the recording shall be able to read what is added to it.
    let owner = fs::metadata(&facts).with_context(|| format!("{}", facts.display()))?;
    let bytes = put(&target, &owner, |file| io::copy(&mut &pool.file, file))?;
    if let Err(error) = name_pool(run, &pool.path) {
        let _ = fs::remove_file(&target);
        return Err(error);
    }
    // Names are on the disk before the only other copy goes.
    let _ = File::open(run).and_then(|folder| folder.sync_all());
    unlink(pool).with_context(|| format!("{}", pool.path.display()))?;
    Ok(bytes)
}

/// Makes `recording.json` name the pool in the run folder and where it was before, and leaves all else
/// in it as it is.
fn name_pool(run: &Path, before: &Path) -> Result<()> {
    amend(run, |facts| {
        facts.insert("pool".into(), folder::POOL.into());
        if let Some(before) = before.to_str() {
            facts.insert(MOVED_FROM.into(), before.into());
        }
    })
}

/// Removes the pool's name, if it is still the name of that file.
pub fn unlink(pool: &PoolFile) -> io::Result<()> {
    let (named, copied) = (fs::symlink_metadata(&pool.path), pool.file.metadata()?);
    match named {
        Ok(named) if (named.dev(), named.ino()) == (copied.dev(), copied.ino()) => {
            fs::remove_file(&pool.path)
        }
        _ => Ok(()),
    }
}
