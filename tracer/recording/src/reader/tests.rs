//! Run folders made by hand: repeats, torn fragments, gaps, pools.

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
    let body = records(numbers.clone());
    let header = FragmentHeader {
        session: 1,
        thread,
        chunk,
        offset: 16 * (numbers.start - first) as u32,
        bytes: body.len() as u32,
        os_thread: 1,
        ticks: 1000,
        monotonic: 5,
    };
    header.to_words().iter().flat_map(|w| w.to_ne_bytes()).chain(body).collect()
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
fn a_torn_fragment_is_skipped_and_the_next_found() {
    let folder = run_folder(&facts(true));
    let whole = fragment(1, 1, 0..10, 0);
    append(&folder, &whole[..whole.len() - 21]);
    append(&folder, &fragment(1, 2, 10..12, 10));
    let (codes, damage) = read(&folder, 0);
    assert_eq!(codes, (0..8).chain(10..12).collect::<Vec<_>>());
    assert_eq!(damage.torn, 1);
}

#[test]
fn every_cut_of_a_file_reads_a_prefix() {
    let whole = [fragment(1, 1, 0..6, 0), fragment(1, 2, 6..9, 6)].concat();
    for length in 0..whole.len() {
        let folder = run_folder(&facts(true));
        append(&folder, &whole[..length]);
        let (codes, _) = read(&folder, 0);
        assert_eq!(codes, (0..codes.len() as u64).collect::<Vec<_>>(), "cut at {length}");
    }
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
fn the_pool_of_an_unclosed_run_adds_what_no_file_has() {
    use crate::pool::{self, control};
    let folder = run_folder(&facts(false));
    append(&folder, &fragment(3, 4, 0..5, 0));
    let mut bytes = vec![0u8; pool::block_offset(1, pool::DEFAULT_SLOT)];
    let mut put = |at: usize, word: u64| bytes[at..at + 8].copy_from_slice(&word.to_ne_bytes());
    for (index, word) in [pool::MAGIC, FORMAT_VERSION.into(), 1, 1].into_iter().enumerate() {
        put(8 * index, word);
    }
    put(8 * pool::header::SLOT, pool::DEFAULT_SLOT as u64);
    let page = pool::block_offset(0, pool::DEFAULT_SLOT);
    put(page + 8 * control::MAGIC, pool::MAGIC);
    put(page + 8 * control::THREAD, 3);
    put(page + 8 * control::SLOTS_AT, 0x1_0000);
    put(page + 8 * control::CURSOR, 0x1_0000 + 7 * 16);
    put(page + 8 * control::CHUNK[0], 4);
    let slot = page + pool::PAGE;
    bytes[slot..slot + 7 * 16].copy_from_slice(&records(0..7));
    std::fs::write(folder.path().join(folder::POOL), &bytes).expect("pool");
    let (codes, damage) = read(&folder, 0);
    assert_eq!(codes, (0..7).collect::<Vec<_>>());
    assert_eq!(damage, Damage { from_pool: 32, ..Damage::default() });
}

#[test]
fn what_is_not_ours_or_too_new_is_said() {
    let folder = run_folder(&Facts { format: FORMAT_VERSION + 1, ..facts(true) });
    let error = Recording::open(folder.path()).expect_err("too new").to_string();
    assert!(error.contains("recording format 2"), "{error}");
    std::fs::write(folder.path().join(folder::FACTS), "1").expect("written");
    let error = Recording::open(folder.path()).expect_err("no facts").to_string();
    assert!(error.contains("recording.json: not the facts"), "{error}");
}
