//! Folders in which somebody else may rename: what is opened there for writing is below a folder that was opened before.

use std::fs;
use std::os::unix::fs::lchown;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::oracle;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::traced::Scratch;

use super::output_paths::WRITES;
use super::small;

/// Another user than all others here.
const MALLORY: u32 = 65_534;

/// System calls that change what a folder has, besides opening for writing.
const CHANGES: [&str; 9] =
    ["mkdir", "rmdir", "rename", "unlink", "link", "symlink", "truncate", "chmod", "chown"];

/// Paths that mean what was opened before, or nothing of the run folder.
const HARMLESS: [&str; 3] = ["\"/proc/", "\"/dev/", "\"/sys/"];

/// The calls in a log of strace that change something by a path below `folder`, in which the command worked.
fn by_path<'l>(log: &'l str, folder: &Path) -> Vec<&'l str> {
    let below = format!("\"{}", folder.display());
    let is_change = |line: &str| {
        let name = line.split('(').next().unwrap_or_default();
        let name = name.rsplit(' ').next().unwrap_or_default();
        let opens = name.starts_with("open") || name == "creat";
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT"].iter().any(|flag| line.contains(flag));
        CHANGES.iter().any(|change| name.starts_with(change)) || (opens && writes)
    };
    // Each path comes after `(` or `, ` and, where it counts from a folder, that folder.
    let is_by_path = |line: &str| {
        let arguments = line.split_once('(').map_or("", |(_, arguments)| arguments);
        let parts: Vec<_> = arguments.split(", ").collect();
        parts.iter().enumerate().any(|(at, part)| {
            let folder = at.checked_sub(1).and_then(|before| parts.get(before));
            let is_below_descriptor =
                folder.is_some_and(|folder| folder.bytes().all(|byte| byte.is_ascii_digit()));
            let is_path = part.starts_with('"') && !is_below_descriptor;
            let is_relative = is_path && !part.starts_with("\"/");
            is_path
                && !HARMLESS.iter().any(|harmless| part.starts_with(harmless))
                && (is_relative || part.starts_with(&below))
        })
    };
    log.lines().filter(|line| is_change(line) && is_by_path(line)).collect()
}

/// The command with the log that strace writes of it.
fn watched(command: &Command, log: &Path) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-s", "4096", "-e", "trace=%file", "-e", "signal=none", "-o"]);
    strace.arg(log).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => strace.env(name, value),
            None => strace.env_remove(name),
        };
    }
    strace
}

#[test]
fn commands_write_below_descriptors() -> Result<()> {
    let (_traced, recorded) = small()?;
    let program = programs::by_name("c/hello")?.build()?;
    let program = program.to_str().context("a path in UTF-8")?;
    let record = ["run", "--output", "new/%e", "--", program];
    for arguments in WRITES.iter().map(|(arguments, ..)| *arguments).chain([&record[..]]) {
        let scratch = Scratch::new()?;
        let folder = scratch.path();
        build::run(Command::new("cp").arg("-a").arg(&recorded).arg(folder.join("run")), "")?;
        let (mut command, log) = (Command::new(Product::find()?.program), folder.join("log"));
        fs::create_dir(folder.join("new"))?;
        command.args(arguments).env("OMP_NUM_THREADS", "4");
        let said = watched(&command, &log).current_dir(folder).output()?;
        ensure!(said.status.success(), "{arguments:?}: {said:?}");
        let log = fs::read_to_string(log)?;
        ensure!(log.contains("O_CREAT"), "{arguments:?}: nothing was written\n{log}");
        let found = by_path(&log, folder);
        ensure!(found.is_empty(), "{arguments:?}:\n{}", found.join("\n"));
    }
    Ok(())
}

/// The folder of an archive that is being written is replaced by one with links to somebody's files, by another user
/// where we are root: the archive is in place, whole, and the files are what they were.
#[test]
fn a_folder_of_links_in_an_archives_place_is_not_written_to() -> Result<()> {
    let (traced, run) = small()?;
    let victims = traced.scratch.path().join("victims");
    fs::create_dir(&victims)?;
    let names = ["traces.otf2", "traces.def", "traces.marker"];
    for name in names {
        fs::write(victims.join(name), "another's")?;
    }
    // Only root can.
    for path in
        fs::read_dir(&run)?.filter_map(|entry| Some(entry.ok()?.path())).chain([run.clone()])
    {
        let _ = lchown(path, Some(MALLORY), Some(MALLORY));
    }
    let mut command = Command::new(Product::find()?.program);
    command.args(["export", "--format", "otf2"]).arg(&run);
    let source = build::root().join("tests/bad_input/swap.c");
    let flags = ["-O1", "-fPIC", "-shared", "-ldl"];
    let shim = oracle::compiled(&[source], "bad_input/libswap.so", &flags)?;
    command.env("LD_PRELOAD", shim).env("SWAP_IN", &run).env("SWAP_FOR", &victims);
    let said = command.output()?;
    ensure!(run.join("swapped").is_dir(), "nothing was swapped: {said:?}");
    for name in names {
        let now = fs::read(victims.join(name))?;
        ensure!(now == b"another's", "{name} was written to: {said:?}");
    }
    ensure!(said.status.success() && run.join("trace-otf2/traces.otf2").is_file(), "{said:?}");
    Ok(())
}
