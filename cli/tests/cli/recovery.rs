//! Pools of killed runs: moved into the run folder once, and never under a living process.

use super::*;
use ompttrace_recording::events::EventCode;
use ompttrace_recording::pool::{self, control, header};
use ompttrace_recording::{FORMAT_VERSION, Recording, folder, words};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

/// A run that was not closed, and its pool elsewhere.
struct Killed {
    run: TempDir,
    elsewhere: TempDir,
}

impl Killed {
    /// Of process `pid`, which began at `start`.
    fn new(pid: u32, start: u64) -> Killed {
        let elsewhere = tempfile::tempdir().expect("a folder");
        let pool = elsewhere.path().join("ompttrace.7.abc");
        std::fs::write(&pool, pool_bytes(pid, start)).expect("written");
        let mut run = recording();
        run.facts.closed = false;
        run.facts.finalized = false;
        run.facts.process.pid = pid;
        run.facts.pool = Some(pool.to_str().expect("text").to_owned());
        Killed { run: run.write().expect("a run folder"), elsewhere }
    }

    /// Of this test's process number, but of an earlier process that had it.
    fn dead() -> Killed {
        Killed::new(std::process::id(), 1)
    }

    fn pool(&self) -> PathBuf {
        self.elsewhere.path().join("ompttrace.7.abc")
    }

    fn export(&self, arguments: &[&str]) -> String {
        let output = run(&[&["export"], arguments].concat(), self.run.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Reads the recording; returns how many bytes come from the pool.
    fn bytes_from_pool(&self) -> u64 {
        Recording::open(self.run.path()).expect("a recording").damage.from_pool
    }
}

/// A pool whose thread 0 has three flushes in its second chunk.
fn pool_bytes(pid: u32, start: u64) -> Vec<u8> {
    const SLOTS_AT: u64 = 0x1_0000;
    let slot = pool::DEFAULT_SLOT;
    let block = pool::Division::here(slot).block_offset(0);
    let mut bytes = vec![0; pool::Division::here(slot).block_offset(1)];
    let mut put = |at: usize, word: u64| bytes[at..at + 8].copy_from_slice(&word.to_ne_bytes());
    for (index, word) in [
        (header::MAGIC, pool::MAGIC),
        (header::VERSION, FORMAT_VERSION.into()),
        (header::SESSION, 1),
        (header::CLAIMED, 1),
        (header::PID, pid.into()),
        (header::PID_START, start),
        (header::SLOT, slot as u64),
    ] {
        put(8 * index, word);
    }
    for (index, word) in [
        (control::MAGIC, pool::MAGIC),
        (control::SLOTS_AT, SLOTS_AT),
        (control::CURSOR, SLOTS_AT + 48),
        (control::CHUNK[0], 2),
    ] {
        put(block + 8 * index, word);
    }
    for record in 0..3 {
        let code = EventCode::new(Flush::NUMBER, Scope::None);
        put(block + pool::PAGE + 16 * record, words::header(40 + record as u64, code.0));
    }
    bytes
}

#[test]
fn the_pool_of_a_killed_run_moves_into_its_folder_once() {
    let killed = Killed::dead();
    let said = killed.export(&[]);
    assert!(said.contains("recovered: 40 KiB of buffers moved here from "), "{said}");
    assert!(said.contains(killed.pool().to_str().expect("text")), "{said}");
    assert!(said.contains("5 events") && said.contains("48 bytes of records recovered"), "{said}");
    assert_eq!(names(killed.elsewhere.path()), [""; 0]);
    let pool = killed.run.path().join(folder::POOL);
    assert_eq!(std::fs::read(&pool).expect("read"), pool_bytes(std::process::id(), 1));
    assert_eq!(pool.metadata().expect("metadata").mode() & 0o777, 0o600);
    assert_eq!(names(killed.run.path()), ["events.0", "pool", "recording.json", "trace.pftrace"]);
    assert_eq!(killed.bytes_from_pool(), 48);
    let again = killed.export(&[]);
    assert!(again.contains("5 events") && !again.contains("moved"), "{again}");
}

#[test]
fn all_else_in_the_facts_stays() {
    let killed = Killed::dead();
    let path = killed.run.path().join(folder::FACTS);
    let read = || -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(&path).expect("read")).expect("JSON")
    };
    let mut expected = read();
    expected["of a later version"] = "kept".into();
    expected["clock"]["realtime"] = u64::MAX.into();
    std::fs::write(&path, expected.to_string()).expect("written");
    killed.export(&["--quiet"]);
    expected["pool"] = folder::POOL.into();
    expected["pool_moved_from"] = killed.pool().to_str().expect("text").into();
    assert_eq!(read(), expected);
}

/// An export can be killed when the pool has its new name and still its old one.
#[test]
fn a_pool_that_was_moved_and_not_removed_goes_with_the_next_export() {
    let killed = Killed::dead();
    let pool = std::fs::read(killed.pool()).expect("read");
    killed.export(&[]);
    std::fs::write(killed.pool(), &pool).expect("written");
    let said = killed.export(&[]);
    assert!(said.contains("5 events") && !said.contains("moved"), "{said}");
    assert!(!killed.pool().exists());
    // What has the name by now and is not this run's stays.
    std::fs::write(killed.pool(), pool_bytes(1, 1)).expect("written");
    killed.export(&[]);
    assert!(killed.pool().is_file());
}

#[test]
fn json_and_quiet_stay_what_they_are() {
    let said = Killed::dead().export(&["--json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&said).is_ok(), "{said}");
    assert_eq!(Killed::dead().export(&["--quiet"]), "");
}

#[test]
fn a_living_process_keeps_its_pool() {
    let alive = Killed::new(std::process::id(), 0);
    let before = std::fs::read(alive.run.path().join(folder::FACTS)).expect("read");
    assert!(!alive.export(&[]).contains("moved"));
    assert!(alive.pool().is_file() && alive.bytes_from_pool() == 48);
    assert_eq!(std::fs::read(alive.run.path().join(folder::FACTS)).expect("read"), before);
}

#[test]
fn at_the_end_of_a_program_nothing_is_moved() {
    let killed = Killed::dead();
    killed.export(&["--closing-line"]);
    assert!(killed.pool().is_file());
}

#[test]
fn a_pool_of_another_process_is_left_alone_and_told() {
    let killed = Killed::dead();
    std::fs::write(killed.pool(), pool_bytes(1, 1)).expect("written");
    let said = killed.export(&[]);
    assert!(said.contains("2 events") && said.contains("damage: what has the name"), "{said}");
    assert!(killed.pool().is_file());
}

#[test]
fn a_pool_that_cannot_be_moved_is_read_where_it_is() {
    let killed = Killed::dead();
    // A folder is in the way of the new file; root may write anywhere, so a mode would not do.
    std::fs::create_dir_all(killed.run.path().join("pool/in the way")).expect("a folder");
    let said = killed.export(&[]);
    assert!(said.contains("5 events") && said.contains("the buffers stay in "), "{said}");
    assert!(killed.pool().is_file() && killed.bytes_from_pool() == 48);
    let names = names(killed.run.path());
    assert_eq!(names, ["events.0", "pool", "recording.json", "trace.pftrace"]);
}

#[test]
fn a_read_only_run_folder_is_exported_elsewhere() {
    let killed = Killed::dead();
    let mode = |mode| std::fs::set_permissions(killed.run.path(), PermissionsExt::from_mode(mode));
    mode(0o500).expect("read only");
    let output = killed.elsewhere.path().join("trace");
    let said = killed.export(&["--output", output.to_str().expect("text")]);
    mode(0o700).expect("writable");
    assert!(said.contains("5 events"), "{said}");
    assert!(output.is_file() && killed.bytes_from_pool() == 48);
}
