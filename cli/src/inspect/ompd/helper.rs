//! The process in which an OMPD library works: confined, with limits, and with no more rights than its target has.

use super::live::Live;
use super::{Reply, ThreadStack};
use crate::arguments::OmpdArguments;
use crate::inspect::unwind::Tables;
use crate::{confined, say};
use anyhow::{Context, Result};
use nix::unistd::{Gid, Uid, setgid, setgroups, setuid};
use ompttrace_ompd::{CoreFile, Image, Library, beside, inquire, runtime};
use rustix::process::{Resource, Rlimit, geteuid, setrlimit};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Limits of the process: memory in bytes, CPU time in seconds, size of files and of core files in bytes.
const LIMITS: [(Resource, u64); 4] =
    [(Resource::As, 4 << 30), (Resource::Cpu, 20), (Resource::Fsize, 0), (Resource::Core, 0)];

pub fn run(arguments: &OmpdArguments) -> ExitCode {
    let answered = confined::confine()
        .and_then(|()| limit())
        .and_then(|()| answer(arguments))
        .and_then(|answer| say::out(&serde_json::to_string(&answer)?));
    match answered {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::remark(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn limit() -> Result<()> {
    for (resource, most) in LIMITS {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

fn answer(arguments: &OmpdArguments) -> Result<Reply> {
    let library = arguments.library.as_deref();
    match (arguments.pid, &arguments.core) {
        (Some(pid), _) => of_process(pid, library),
        (None, Some(core)) => {
            let core = CoreFile::open(core, arguments.exe.as_deref())?;
            let image = runtime(&core)?;
            let library = Library::load(&library_path(&image, library, geteuid().as_raw())?)?;
            Ok(Reply { answer: inquire(&core, &image, &library)?, stacks: Vec::new() })
        }
        (None, None) => anyhow::bail!("no process or core file given"),
    }
}

/// The target's threads stop only for the inquiries and a copy of their stacks, when everything else is ready.
fn of_process(pid: u32, library: Option<&Path>) -> Result<Reply> {
    let mut live = Live::attach(pid)?;
    let image = runtime(&live)?;
    let user = live.user();
    let path = library_path(&image, library, user.0)?;
    become_user(user)?;
    let library = Library::load(&path)?;
    live.stop()?;
    let answer = inquire(&live, &image, &library);
    let stopped = live.copy_stacks();
    live.resume();
    let memory = live.memory();
    let mut tables = Tables::of(&memory);
    let stacks =
        stopped.iter().map(|(id, stopped)| ThreadStack { id: *id, walked: tables.walk(stopped) });
    Ok(Reply { answer: answer?, stacks: stacks.collect() })
}

fn library_path(image: &Image, given: Option<&Path>, user: u32) -> Result<PathBuf> {
    match given {
        Some(path) => Ok(path.canonicalize().with_context(|| say::shown(path))?),
        None => Ok(beside(&image.readable_at, user)?),
    }
}

/// Gives up root's rights for those of the target's user and group.
fn become_user((user, group): (u32, u32)) -> Result<()> {
    if !geteuid().is_root() || user == 0 {
        return Ok(());
    }
    setgroups(&[])?;
    setgid(Gid::from_raw(group))?;
    setuid(Uid::from_raw(user))?;
    confined::end_with_parent()
}
