//! Packers that are killed: at any time a readable recording remains.

use super::*;
use crate::in_folder::{Draft, Step, draft_name, in_steps};
use ompttrace_recording::folder;
use ompttrace_timeline::testing::nonsense;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use tempfile::TempDir;

fn run() -> TempDir {
    nonsense(4, 2000).write().expect("a run folder")
}

/// Packs up to the step with that number and no further; returns the step.
fn killed_at(run: &Path, number: usize) -> Option<Step> {
    let recording = open(run).expect("a recording");
    let (mut steps, mut last) = (0, None);
    let mut after = |step| {
        steps += 1;
        last = Some(step);
        if steps > number { Err(io::Error::other("killed")) } else { Ok(()) }
    };
    let draft = Draft::new(run).expect("a folder");
    let packed = in_steps(&recording, REMOVE, &draft, |_, _| {}, &mut after);
    packed.err().and(last)
}

#[test]
fn a_packer_may_be_killed_after_every_step() {
    let mut steps = Vec::new();
    for number in 0.. {
        let folder = run();
        let before = read(folder.path()).expect("a recording");
        let Some(step) = killed_at(folder.path(), number) else { break };
        steps.push(step);
        assert!(read(folder.path()).expect("a recording") == before, "after {step:?}");
        // The next one finishes, and clears up.
        pack(folder.path(), REMOVE);
        assert_eq!(names(folder.path()), [folder::PACKED, folder::FACTS], "after {step:?}");
        assert!(read(folder.path()).expect("a recording") == before, "after {step:?}");
    }
    let removed = (0..4).map(Step::Removed);
    let expected = [Step::Written, Step::Synced, Step::Named, Step::FolderSynced];
    assert_eq!(steps, expected.into_iter().chain(removed).collect::<Vec<_>>());
}

#[test]
fn originals_stay_when_asked_for() {
    let folder = run();
    let before = names(folder.path());
    let outcome = pack(folder.path(), KEEP);
    let mut expected = [before, vec![folder::PACKED.to_owned()]].concat();
    expected.sort();
    assert_eq!(names(folder.path()), expected);
    let events = (0..4).map(|n| folder.path().join(format!("events.{n}")));
    let sizes = events.map(|path| path.metadata().expect("metadata").len());
    assert_eq!(outcome.before, sizes.sum::<u64>());
    let facts = folder.path().join(folder::FACTS).metadata().expect("metadata");
    assert_eq!(outcome.path.metadata().expect("metadata").mode(), facts.mode());
}

#[test]
fn a_living_packers_draft_stays_and_a_dead_ones_goes() {
    let folder = run();
    let (living, dead) = (draft_name(1), draft_name(u32::MAX));
    for name in [&living, &dead] {
        std::fs::write(folder.path().join(name), "a draft").expect("written");
    }
    pack(folder.path(), REMOVE);
    assert_eq!(names(folder.path()), [folder::PACKED, &living, folder::FACTS]);
}

#[test]
fn what_cannot_be_written_leaves_all_as_it_was() {
    let folder = run();
    let before = (names(folder.path()), read(folder.path()).expect("a recording"));
    let recording = open(folder.path()).expect("a recording");
    // A folder that is not empty has the packed file's name; root may write anywhere.
    std::fs::create_dir_all(folder.path().join("events.packed/in the way")).expect("a folder");
    let error = pack_folder(&recording, REMOVE, |_, _| {}).expect_err("in the way").to_string();
    assert!(error.contains(folder::PACKED), "{error}");
    std::fs::remove_dir_all(folder.path().join(folder::PACKED)).expect("removed");
    assert_eq!((names(folder.path()), read(folder.path()).expect("a recording")), before);
}

#[test]
fn a_packed_file_is_for_those_who_may_read_the_facts() {
    let folder = run();
    let facts = folder.path().join(folder::FACTS);
    std::fs::set_permissions(&facts, PermissionsExt::from_mode(0o640)).expect("a mode");
    let path = pack(folder.path(), REMOVE).path;
    assert_eq!(path.metadata().expect("metadata").mode() & 0o777, 0o640);
}

#[test]
fn a_damaged_packed_file_is_not_packed_again() {
    let folder = run();
    let path = pack(folder.path(), REMOVE).path;
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[40] ^= 0x10;
    std::fs::write(&path, &bytes).expect("damaged");
    let recording = open(folder.path()).expect("the index is whole");
    let error = pack_folder(&recording, REMOVE, |_, _| {}).expect_err("damaged").to_string();
    assert!(error.contains("events.packed: damaged at byte 16: "), "{error}");
    assert_eq!(std::fs::read(&path).expect("read"), bytes);
    assert_eq!(names(folder.path()), [folder::PACKED, folder::FACTS]);
}
