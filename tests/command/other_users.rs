//! Recordings of other users, as root reads them: what they name is used only where it is their owner's own.

use super::recovery::Killed;
use super::*;
use ompttrace_recording::folder;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::PathBuf;

const VICTIM: u32 = 65_533;
const MALLORY: u32 = 65_534;

/// Gives a run folder and all that is in it to a user; false: only root can, and only root reads what two
/// others made.
fn give(run: &Path, user: u32) -> bool {
    let files = names(run).into_iter().map(|name| run.join(name));
    files
        .chain([run.to_owned()])
        .all(|path| std::os::unix::fs::lchown(path, Some(user), Some(user)).is_ok())
}

/// A killed run of Mallory's; its pool is `pools`.
fn of_mallory(pools: u32) -> Option<Killed> {
    let killed = Killed::dead();
    let given = chown(killed.pool(), Some(pools), Some(pools)).is_ok();
    (given && give(killed.run.path(), MALLORY)).then_some(killed)
}

fn facts(killed: &Killed) -> PathBuf {
    killed.run.path().join(folder::FACTS)
}

#[test]
fn the_pool_of_another_user_is_neither_read_nor_moved() {
    let Some(killed) = of_mallory(VICTIM) else { return };
    let (before, pool) = (names(killed.run.path()), std::fs::read(killed.pool()).expect("read"));
    for command in ["info", "report", "pack", "export"] {
        run(&[command], killed.run.path());
        assert_eq!(killed.bytes_from_pool(), 0, "{command}");
        assert_eq!(std::fs::read(killed.pool()).expect("read"), pool, "{command}");
        assert_eq!(killed.pool().metadata().expect("metadata").uid(), VICTIM, "{command}");
    }
    let left: Vec<_> =
        names(killed.run.path()).into_iter().filter(|name| !before.contains(name)).collect();
    assert_eq!(left, ["trace.pftrace"]);
    let said = text(&run(&["info"], killed.run.path()).stdout);
    assert!(said.contains("damage: the file with the name"), "{said}");
}

/// The facts name a pool of another user as moved by an earlier export: an export does not remove it.
#[test]
fn a_pool_of_another_user_that_claims_to_be_moved_is_not_removed() {
    let Some(killed) = of_mallory(VICTIM) else { return };
    let text = std::fs::read_to_string(facts(&killed)).expect("read");
    let mut known: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    known["pool_moved_from"] = known["pool"].take();
    known["pool"] = folder::POOL.into();
    std::fs::write(facts(&killed), known.to_string()).expect("written");
    run(&["export"], killed.run.path());
    assert!(killed.pool().is_file());
}

/// The pool and facts of the owner, a user other than root, still belong to her after an export by root.
#[test]
fn the_owners_own_pool_moves_and_stays_the_owners() {
    let Some(killed) = of_mallory(MALLORY) else { return };
    let said = killed.export(&[]);
    assert!(said.contains("recovered: "), "{said}");
    assert!(!killed.pool().exists());
    for file in [killed.run.path().join(folder::POOL), facts(&killed)] {
        assert_eq!(file.metadata().expect("metadata").uid(), MALLORY);
    }
}

/// The facts of somebody else are not the folder's, whether by a symbolic link or a hard one.
#[test]
fn facts_that_are_another_users_are_not_given_away() {
    for link in [symlink::<PathBuf, PathBuf>, std::fs::hard_link] {
        let Some(killed) = of_mallory(VICTIM) else { return };
        let victims = killed.elsewhere.path().join("facts");
        std::fs::rename(facts(&killed), &victims).expect("renamed");
        chown(&victims, Some(VICTIM), Some(VICTIM)).expect("given");
        let before = std::fs::read(&victims).expect("read");
        link(victims.clone(), facts(&killed)).expect("linked");
        run(&["export"], killed.run.path());
        run(&["pack"], killed.run.path());
        assert!(killed.pool().is_file());
        assert_eq!(std::fs::read(&victims).expect("read"), before);
        let owner = facts(&killed).metadata().expect("metadata").uid();
        assert_eq!(owner, VICTIM);
    }
}

/// A link of Mallory's to a file that she cannot read.
#[test]
fn a_packed_file_of_another_users_events_is_not_given_away() {
    let folder = folder();
    let events = folder.path().join("events.0");
    let victims = tempfile::tempdir().expect("a folder");
    std::fs::rename(&events, victims.path().join("events")).expect("renamed");
    symlink(victims.path().join("events"), &events).expect("linked");
    if !give(folder.path(), MALLORY) {
        return;
    }
    let packed = run(&["pack"], folder.path());
    assert_eq!(packed.status.code(), Some(1));
    let words = text(&packed.stderr);
    assert!(words.lines().count() == 1 && words.contains("belongs to another user"), "{words}");
    assert_eq!(names(folder.path()), ["events.0", "recording.json"]);
}

/// A second hard link of a pool is not accepted: its creator is unknown.
#[test]
fn a_pool_outside_with_two_names_is_left_alone() {
    let killed = Killed::dead();
    std::fs::hard_link(killed.pool(), killed.elsewhere.path().join("second")).expect("linked");
    let said = killed.export(&[]);
    assert!(said.contains("damage: the file with the name"), "{said}");
    assert!(killed.pool().is_file());
}

/// A recording that says less than the pool does not say that it is this process's.
#[test]
fn a_pool_outside_needs_all_numbers_of_its_process() {
    for number in ["start", "pid_namespace"] {
        let killed = Killed::dead();
        let text = std::fs::read_to_string(facts(&killed)).expect("read");
        let mut known: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        known["process"][number] = 0.into();
        std::fs::write(facts(&killed), known.to_string()).expect("written");
        let said = killed.export(&[]);
        assert!(said.contains("damage: the file with the name"), "{number}: {said}");
        assert!(killed.pool().is_file());
    }
}
