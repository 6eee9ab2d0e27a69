//! Pools of killed runs: moved into the run folder once, and never under a living process.

use super::*;
use ompttrace_recording::events::EventCode;
use ompttrace_recording::pool::{self, control, header};
use ompttrace_recording::{FORMAT_VERSION, Recording, folder, words};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

/// A run that was not closed, and its pool elsewhere.
pub(super) struct Killed {
    pub(super) run: TempDir,
    pub(super) elsewhere: TempDir,
}

impl Killed {
    /// A killed run of process `pid`, which began at `start`.
    fn new(pid: u32, start: u64) -> Killed {
        let elsewhere = tempfile::tempdir().expect("a folder");
        let pool = elsewhere.path().join("ompttrace.7.abc");
        std::fs::write(&pool, pool_bytes(pid, start)).expect("written");
        let mut run = recording();
        run.facts.closed = false;
        run.facts.finalized = false;
        run.facts.process.pid = pid;
        run.facts.process.start = start;
        run.facts.process.pid_namespace = namespace("pid");
        run.facts.process.time_namespace = namespace("time");
        run.facts.pool = Some(pool.to_str().expect("text").to_owned());
        Killed { run: run.write().expect("a run folder"), elsewhere }
    }

    /// A killed run of an earlier process with this test's process id.
    pub(super) fn dead() -> Killed {
        Killed::new(std::process::id(), 1)
    }

    pub(super) fn pool(&self) -> PathBuf {
        self.elsewhere.path().join("ompttrace.7.abc")
    }

    pub(super) fn export(&self, arguments: &[&str]) -> String {
        let output = run(&[&["export"], arguments].concat(), self.run.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Reads the recording; returns how many bytes come from the pool.
    pub(super) fn bytes_from_pool(&self) -> u64 {
        Recording::open(self.run.path()).expect("a recording").damage.from_pool
    }
}

/// A pool whose thread 0 has three flushes in its second chunk.
fn pool_bytes(pid: u32, start: u64) -> Vec<u8> {
    const SLOTS_AT: u64 = 0x1_0000;
    let slot = pool::DEFAULT_SLOT;
    let block = (pool::Division { page: pool::PAGE, slot }).block_offset(0);
    let mut bytes = vec![0; (pool::Division { page: pool::PAGE, slot }).block_offset(1)];
    let mut put = |at: usize, word: u64| bytes[at..at + 8].copy_from_slice(&word.to_ne_bytes());
    for (index, word) in [
        (header::MAGIC, pool::MAGIC),
        (header::VERSION, FORMAT_VERSION.into()),
        (header::SESSION, 1),
        (header::CLAIMED, 1),
        (header::PID, pid.into()),
        (header::PID_START, start),
        (header::PID_NAMESPACE, namespace("pid")),
        (header::TIME_NAMESPACE, namespace("time")),
        (header::SLOT, slot as u64),
        (header::PAGE, pool::PAGE as u64),
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
    // As its mapping would be.
    let _writer = std::fs::File::options().write(true).open(alive.pool()).expect("opened");
    let before = std::fs::read(alive.run.path().join(folder::FACTS)).expect("read");
    let said = alive.export(&[]);
    assert!(said.contains("the program still runs") && !said.contains("moved"), "{said}");
    assert!(names(alive.run.path()).contains(&"trace-partial.pftrace".to_owned()), "{said}");
    assert!(alive.pool().is_file() && alive.bytes_from_pool() == 48);
    assert_eq!(std::fs::read(alive.run.path().join(folder::FACTS)).expect("read"), before);
}

/// A pool is missing if it was in a container's /dev/shm that no longer exists, or is where the command cannot see it.
#[test]
fn a_pool_that_is_gone_is_no_run_without_losses() {
    for (overflow, buffer_bytes, count, more) in [
        (
            "wait",
            16384,
            "0 lost and up to 4096 records per thread missing",
            "the last records, at most",
        ),
        (
            "ring",
            4096,
            "0 lost and up to 1024 records per thread missing",
            "everything that they still held",
        ),
        ("", 0, "0 lost and an unknown number of records per thread missing", "the last records"),
    ] {
        let killed = Killed::dead();
        let path = killed.run.path().join(folder::FACTS);
        let mut facts: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&path).expect("read")).expect("JSON");
        facts["buffer_bytes"] = buffer_bytes.into();
        facts["overflow"] = overflow.into();
        std::fs::write(&path, facts.to_string()).expect("written");
        std::fs::remove_file(killed.pool()).expect("removed");
        check_missing(killed.run.path(), count, more);
        // Packing keeps what is known of it.
        assert_eq!(run(&["pack", "--force"], killed.run.path()).status.code(), Some(0));
        check_missing(killed.run.path(), count, more);
    }
}

fn check_missing(of: &Path, count: &str, more: &str) {
    let said = |arguments: &[&str]| {
        let output = run(arguments, of);
        text(&[output.stdout, output.stderr].concat())
    };
    let info = said(&["info"]);
    assert!(info.contains(&format!("2 recorded, {count}\n")), "{info}");
    assert!(info.contains(&format!(") are missing, and with them {more}")), "{info}");
    let json: serde_json::Value = serde_json::from_str(&said(&["info", "--json"])).expect("JSON");
    assert_eq!(json["damage"]["pool_missing"], true, "{json}");
    let most = json["events"]["missing_per_thread_at_most"].as_u64().expect("a bound");
    assert!(most == 0 || count.contains(&format!(" {most} ")), "{json}");
    for line in [&["info", "--closing-line"][..], &["export", "--closing-line"], &["export"]] {
        assert!(said(line).contains(&format!("2 events, {count}, cut")), "{}", said(line));
    }
    let missing = count.trim_start_matches("0 lost and ").trim_end_matches(" missing");
    let report = said(&["report"]);
    assert!(
        report.contains(&format!("The buffers are missing, and with them {missing}.")),
        "{report}"
    );
    let formats = ["export", "--format", "perfetto,chrome,otf2", "--quiet"];
    assert_eq!(said(&formats), "");
    for trace in ["trace.pftrace", "trace.json", "trace-otf2/traces.otf2"] {
        let bytes = std::fs::read(of.join(trace)).expect("a trace");
        // OTF2 has the text among its definitions.
        let words = if trace.ends_with("otf2") {
            "LOST_RECORDS_PER_THREAD_AT_MOST".into()
        } else {
            format!("buffers missing: {missing} lost")
        };
        assert!(bytes.windows(words.len()).any(|found| found == words.as_bytes()), "{trace}");
    }
    for trace in ["trace.json", "trace-otf2"] {
        let path = of.join(trace);
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
    }
}

/// Neither is it packed, which would take its files away.
#[test]
fn nobody_knows_of_a_process_on_another_machine() {
    let killed = Killed::dead();
    let path = killed.run.path().join(folder::FACTS);
    let mut facts: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).expect("read")).expect("JSON");
    facts["process"]["host"] = "another".into();
    std::fs::write(&path, facts.to_string()).expect("written");
    std::fs::remove_file(killed.pool()).expect("removed");
    let info = text(&run(&["info"], killed.run.path()).stdout);
    assert!(
        info.contains("ended     not closed: it is unknown here whether the program still runs"),
        "{info}"
    );
    let json = text(&run(&["info", "--json"], killed.run.path()).stdout);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(json["running"].is_null() && json.get("running").is_some(), "{json}");
    let report = text(&run(&["report"], killed.run.path()).stdout);
    assert!(report.contains("whether the program still runs cannot be known"), "{report}");
    let refused = run(&["pack"], killed.run.path());
    let words = text(&refused.stderr);
    assert!(words.contains("or use --force") && refused.status.code() == Some(1), "{words}");
    assert_eq!(run(&["pack", "--force"], killed.run.path()).status.code(), Some(0));
}

#[test]
fn at_the_end_of_a_program_nothing_is_moved() {
    let killed = Killed::dead();
    killed.export(&["--closing-line"]);
    assert!(killed.pool().is_file());
}

#[test]
fn a_pool_of_another_process_is_left_alone_and_reported() {
    let killed = Killed::dead();
    std::fs::write(killed.pool(), pool_bytes(1, 1)).expect("written");
    let said = killed.export(&[]);
    assert!(said.contains("2 events") && said.contains("damage: the file with the name"), "{said}");
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
