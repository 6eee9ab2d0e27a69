//! Run folders made by hand: repeats, gaps, and in the files below torn fragments, nonsense, pools.

mod areas;
mod cores;
mod hostile;
mod index;
mod pools;
mod samples;
mod torn;

use super::*;
use crate::events::{Flush, Scope};
use crate::fragment::FragmentHeader;
use crate::{EventCode, words};
use std::io::Write;

fn facts(closed: bool) -> Facts {
    Facts {
        format: FORMAT_VERSION,
        little_endian: cfg!(target_endian = "little"),
        closed,
        pool: Some(folder::POOL.into()),
        ..Facts::default()
    }
}

fn run_folder(facts: &Facts) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = serde_json::to_vec(facts).expect("JSON");
    std::fs::write(folder.path().join(folder::FACTS), text).expect("facts");
    folder
}

/// Flush records whose code addresses are `numbers`.
fn records(numbers: std::ops::Range<u64>) -> Vec<u8> {
    let code = EventCode::new(Flush::NUMBER, Scope::None).0;
    numbers
        .flat_map(|n| [words::header(1000 + n, code), Flush { code: n, kind: 0 }.words()[0]])
        .flat_map(u64::to_ne_bytes)
        .collect()
}

fn fragment(thread: u32, chunk: u64, numbers: std::ops::Range<u64>, first: u64) -> Vec<u8> {
    let offset = 16 * (numbers.start - first) as u32;
    fragment_of(thread, chunk, offset, &records(numbers))
}

/// A fragment of any bytes.
fn fragment_of(thread: u32, chunk: u64, offset: u32, body: &[u8]) -> Vec<u8> {
    let header = FragmentHeader {
        session: 1,
        thread,
        chunk,
        offset,
        bytes: body.len() as u32,
        os_thread: 1,
        ticks: 1000,
        monotonic: 5,
    };
    header_bytes(&header).chain(body.iter().copied()).collect()
}

fn header_bytes(header: &FragmentHeader) -> impl Iterator<Item = u8> {
    header.to_words().into_iter().flat_map(u64::to_ne_bytes)
}

fn read(folder: &tempfile::TempDir, thread: usize) -> (Vec<u64>, Damage) {
    let recording = Recording::open(folder.path()).expect("a recording");
    let mut stream = recording.stream(thread);
    let mut codes = Vec::new();
    while stream.take(|record| codes.push(words::At::unpack(record.words[0]).0)).is_some() {}
    (codes, recording.damage)
}

fn append(folder: &tempfile::TempDir, bytes: &[u8]) {
    let path = folder.path().join("events.0");
    let mut file = File::options().create(true).append(true).open(path).expect("events");
    file.write_all(bytes).expect("written");
}

#[test]
fn chunks_come_in_order_and_repeats_count_once() {
    let folder = run_folder(&facts(true));
    append(&folder, &fragment(7, 2, 20..30, 20));
    append(&folder, &fragment(7, 1, 0..5, 0));
    append(&folder, &fragment(7, 1, 0..8, 0));
    append(&folder, &fragment(7, 1, 3..20, 0));
    let (codes, damage) = read(&folder, 0);
    assert_eq!(codes, (0..30).collect::<Vec<_>>());
    assert_eq!(damage, Damage::default());
}

#[test]
fn a_gap_in_a_chunk_is_counted() {
    let folder = run_folder(&facts(true));
    append(&folder, &fragment(1, 1, 0..2, 0));
    append(&folder, &fragment(1, 1, 4..6, 0));
    let (codes, damage) = read(&folder, 0);
    assert_eq!((codes, damage.missing), (vec![0, 1, 4, 5], 32));
}

#[test]
fn what_is_not_ours_or_too_new_is_said() {
    let folder = run_folder(&Facts { format: FORMAT_VERSION + 1, ..facts(true) });
    let error = Recording::open(folder.path()).expect_err("too new").to_string();
    assert!(error.contains(&format!("recording format {}", FORMAT_VERSION + 1)), "{error}");
    std::fs::write(folder.path().join(folder::FACTS), "1").expect("written");
    let error = Recording::open(folder.path()).expect_err("no facts").to_string();
    assert!(error.contains("recording.json: not the facts"), "{error}");
}
