//! Archives of recordings made by hand, checked by libotf2's readers and our own checker.

mod arguments;
mod ended_teams;
mod hostile;
mod many_regions;
mod mutexes;
mod releases;
mod short_threads;
mod waiting_teams;

use ompttrace_otf2::{Otf2Sink, Written};
use ompttrace_recording::{Recording, folder};
use ompttrace_timeline::testing::RunBuilder;
use std::path::PathBuf;
use tempfile::TempDir;

/// The archives of a run in both views; they vanish with the folder.
struct Archives {
    _folder: TempDir,
    threads: PathBuf,
    logical_threads: PathBuf,
    written: Written,
}

fn archives(run: &RunBuilder) -> Archives {
    let run = run.write().expect("a run folder");
    // A program that is not there: its code is reported by address.
    let modules = "@ 0\n100000-200000 0 00 /no/such/program\n";
    std::fs::write(run.path().join(folder::MODULES), modules).expect("written");
    let recording = Recording::open(run.path()).expect("a recording");
    let folder = tempfile::tempdir().expect("a folder");
    let [threads, logical_threads] =
        ["threads", "logical_threads"].map(|name| folder.path().join(name));
    let sink = Otf2Sink::new(Some(&threads), Some(&logical_threads)).expect("archives begun");
    let (written, _) = ompttrace_timeline::run(&recording, sink).expect("archives written");
    Archives { _folder: folder, threads, logical_threads, written }
}
