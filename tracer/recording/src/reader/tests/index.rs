//! The index beside a recording: it says what the recording says, and is not believed where it is not of just that.

use super::*;
use crate::fragment::check_sum;
use std::os::unix::fs::symlink;
use zerocopy::IntoBytes;

const CHECKPOINTS: [u64; 3] = [7, 8, 9];

/// Two threads, the records of one across fragments, bytes of nobody, and an index of it all.
fn indexed() -> tempfile::TempDir {
    let folder = run_folder(&facts(true));
    let all = records(0..20);
    let (one, other) = all.split_at(72);
    append(&folder, &fragment_of(1, 1, 0, one));
    append(&folder, &fragment(2, 1, 0..3, 0));
    append(&folder, &fragment_of(1, 1, 72, other));
    append(&folder, &[vec![7; 64], fragment(1, 2, 20..30, 20)].concat());
    open(&folder).leave_index(&CHECKPOINTS).expect("left");
    folder
}

fn open(folder: &tempfile::TempDir) -> Recording {
    Recording::open(folder.path()).expect("a recording")
}

fn index(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join(folder::INDEX)
}

#[test]
fn a_recording_is_the_same_by_its_index() {
    let folder = indexed();
    assert_eq!(open(&folder).checkpoints, CHECKPOINTS);
    let by_index = [read(&folder, 0), read(&folder, 1)];
    let clocks = |recording: &Recording| {
        recording
            .threads
            .iter()
            .map(|thread| (thread.number, thread.os_thread, thread.clock))
            .collect::<Vec<_>>()
    };
    let known = clocks(&open(&folder));
    std::fs::remove_file(index(&folder)).expect("removed");
    assert!(open(&folder).checkpoints.is_empty());
    assert_eq!([read(&folder, 0), read(&folder, 1)], by_index);
    assert_eq!(clocks(&open(&folder)), known);
    assert_eq!((by_index[0].0.len(), by_index[0].1.unreadable), (30, 64));
}

#[test]
fn an_index_of_other_files_is_not_believed() {
    let folder = indexed();
    append(&folder, &fragment(1, 3, 30..31, 30));
    assert!(open(&folder).checkpoints.is_empty());
    assert_eq!(read(&folder, 0).0.len(), 31);
    let folder = indexed();
    let events = File::options().write(true).open(folder.path().join("events.0")).expect("opened");
    events.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
    assert!(open(&folder).checkpoints.is_empty());
}

#[test]
fn a_damaged_index_and_a_link_are_not_believed() {
    let folder = indexed();
    let whole = std::fs::read(index(&folder)).expect("read");
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(index(&folder), damaged).expect("written");
        assert!(open(&folder).checkpoints.is_empty(), "byte {at}");
        std::fs::write(index(&folder), &whole[..at]).expect("written");
        assert!(open(&folder).checkpoints.is_empty(), "cut at {at}");
    }
    let elsewhere = folder.path().join("elsewhere");
    std::fs::write(&elsewhere, &whole).expect("written");
    std::fs::remove_file(index(&folder)).expect("removed");
    symlink(&elsewhere, index(&folder)).expect("a link");
    assert!(open(&folder).checkpoints.is_empty());
    // A new one takes its place, and what it led to stays.
    open(&folder).leave_index(&CHECKPOINTS).expect("left");
    assert_eq!(open(&folder).checkpoints, CHECKPOINTS);
    assert!(index(&folder).symlink_metadata().expect("known").is_file());
    assert_eq!(std::fs::read(&elsewhere).expect("read"), whole);
}

#[test]
fn any_words_with_a_sound_sum_are_survived() {
    let folder = indexed();
    let whole = std::fs::read(index(&folder)).expect("read");
    let (words, _) = whole.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    for at in 0..words.len() - 1 {
        for value in
            [0, 1, 1 << 32, u64::MAX, u64::MAX >> 8, words[at] ^ 8 << 32, words[at].wrapping_add(4)]
        {
            let mut hostile = words.clone();
            hostile[at] = value;
            let last = hostile.len() - 1;
            hostile[last] = check_sum(&hostile[..last]);
            std::fs::write(index(&folder), hostile.as_bytes()).expect("written");
            let recording = open(&folder);
            for thread in 0..recording.threads.len() {
                let mut stream = recording.stream(thread);
                while stream.take(|_| ()).is_some() {}
            }
        }
    }
}

#[test]
fn what_is_not_closed_gets_none() {
    let folder = run_folder(&Facts { pool: None, ..facts(false) });
    append(&folder, &fragment(1, 1, 0..3, 0));
    open(&folder).leave_index(&CHECKPOINTS).expect("nothing to do");
    assert!(!index(&folder).exists());
}

#[test]
fn a_stream_goes_on_from_each_of_its_positions() {
    let folder = indexed();
    let recording = open(&folder);
    let rest = |stream: &mut Stream<'_>| {
        let mut times = Vec::new();
        while stream.take(|record| times.push(record.ticks)).is_some() {}
        (times, stream.taken(), stream.undecoded(), stream.position())
    };
    for taken in 0..=30 {
        let mut stream = recording.stream(0);
        for _ in 0..taken {
            stream.take(|_| ()).expect("a record");
        }
        let mut moved = recording.stream(0).moved_to(stream.position()).expect("there");
        assert_eq!(moved.position(), stream.position());
        assert_eq!(rest(&mut moved), rest(&mut stream), "after {taken}");
    }
    for bytes in [4, 8 * 1000, u64::MAX - 7] {
        assert!(recording.stream(0).moved_to(Position { bytes, taken: 0 }).is_none(), "{bytes}");
    }
}
