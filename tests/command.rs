//! The built command, on recordings made by hand: what it says, what it leaves, how it ends.

mod compared;
mod cost;
mod exit_codes;
mod formats;
mod jobs;
mod leftovers;
mod listeners;
mod losses;
mod other_users;
mod packing;
mod recovery;
mod reports;
mod run;
mod run_folder;
mod small_stacks;
mod view;

use ompttrace_recording::Scope;
use ompttrace_recording::events::{Flush, ThreadBegin, ThreadInfo};
use ompttrace_tests::product::Product;
use ompttrace_timeline::testing::RunBuilder;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The built command.
fn program() -> PathBuf {
    Product::find().expect("a built product").program
}

/// The command with some arguments, and nothing on its stdin.
fn ompttrace(arguments: &[&str], run: &Path) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).arg(run).stdin(Stdio::null());
    command
}

/// Runs it to its end.
fn run(arguments: &[&str], run: &Path) -> Output {
    ompttrace(arguments, run).output().expect("started")
}

/// A closed run with two callbacks and a record of ours.
fn recording() -> RunBuilder {
    let mut run = RunBuilder::new();
    run.put(0, 10, Scope::None, ThreadInfo::default());
    run.put(0, 20, Scope::None, ThreadBegin { thread_type: 1 });
    run.put(0, 30, Scope::None, Flush::default());
    run
}

fn folder() -> TempDir {
    recording().write().expect("a run folder")
}

/// The inode of a namespace of ours.
fn namespace(kind: &str) -> u64 {
    std::fs::metadata(format!("/proc/self/ns/{kind}")).map_or(0, |found| found.ino())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("listed");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}
