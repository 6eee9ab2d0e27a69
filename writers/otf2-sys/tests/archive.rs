//! A test that writes a minimal archive, with two locations by two threads, and reads it with otf2-print.

mod writer;

use std::process::Command;
use std::thread;

use writer::Archive;

/// Number of times that each thread enters and leaves the region: the events fill more than one chunk, so that the
/// callbacks for memory are called.
const ROUNDS: u64 = 40_000;

#[test]
fn others_read_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run");
    let archive = Archive::open(&path);
    let counts = thread::scope(|scope| {
        let threads = [0, 1].map(|location| {
            let archive = &archive;
            scope.spawn(move || archive.write_events(location, ROUNDS))
        });
        threads.map(|thread| thread.join().expect("no panic"))
    });
    assert_eq!(counts, [2 * ROUNDS; 2]);
    let (allocated, freed) = archive.close(&counts);
    assert!(allocated > 4 && freed >= 2, "{allocated} {freed}");

    let anchor = path.join("traces.otf2");
    let strict = Command::new("otf2-print").args(["--silent", "-Werror"]).arg(&anchor).output();
    let strict = strict.expect("otf2-print: apt-get install otf2-tools");
    assert!(strict.status.success(), "{}", String::from_utf8_lossy(&strict.stderr));
    let shown = Command::new("otf2-print").arg(&anchor).output().expect("otf2-print");
    let shown = String::from_utf8_lossy(&shown.stdout);
    let count = |word: &str| {
        let has = |line: &&str| line.starts_with(word) && line.contains("\"!$omp parallel\" <0>");
        shown.lines().filter(has).count() as u64
    };
    assert_eq!((count("ENTER"), count("LEAVE")), (2 * ROUNDS, 2 * ROUNDS));
    assert!(!shown.contains("INVALID") && !shown.contains("UNKNOWN"));
}
