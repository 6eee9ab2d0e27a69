//! Fragments that end too early: what follows them is found, and no record is lost that is anywhere.

use super::pools::{Pool, add_pool};
use super::*;
use crate::events::ThreadEnd;

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
fn a_record_torn_in_a_file_is_whole_with_the_pool() {
    let folder = run_folder(&facts(false));
    let whole = fragment(3, 4, 0..7, 0);
    append(&folder, &whole[..whole.len() - 24]);
    add_pool(&folder, &Pool::new(&[(4, 0..7)]));
    let (codes, damage) = read(&folder, 0);
    assert_eq!(codes, (0..7).collect::<Vec<_>>());
    assert_eq!(damage, Damage { torn: 1, from_pool: 24, ..Damage::default() });
}

#[test]
fn a_short_write_goes_on_in_a_fragment_of_its_own() {
    let body = records(0..8);
    for cut in (8..body.len()).step_by(8) {
        let folder = run_folder(&facts(true));
        append(&folder, &fragment(1, 1, 0..8, 0)[..64 + cut]);
        append(&folder, &fragment(2, 1, 90..95, 90));
        append(&folder, &fragment_of(1, 1, cut as u32, &body[cut..]));
        append(&folder, &fragment(1, 2, 8..9, 8));
        let (codes, damage) = read(&folder, 0);
        assert_eq!(codes, (0..9).collect::<Vec<_>>(), "cut at {cut}");
        assert_eq!(damage, Damage { torn: 1, ..Damage::default() });
        assert_eq!(read(&folder, 1).0, (90..95).collect::<Vec<_>>());
    }
}

#[test]
fn every_cut_of_a_file_is_whole_with_the_pool() {
    let whole = [fragment(3, 4, 0..6, 0), fragment(3, 5, 6..9, 6)].concat();
    let pool = Pool::new(&[(4, 0..6), (5, 6..9)]);
    for length in 0..=whole.len() {
        let folder = run_folder(&facts(false));
        append(&folder, &whole[..length]);
        add_pool(&folder, &pool);
        let (codes, _) = read(&folder, 0);
        assert_eq!(codes, (0..9).collect::<Vec<_>>(), "cut at {length}");
    }
}

#[test]
fn what_does_not_follow_on_is_not_glued_together() {
    let body = records(0..8);
    let torn = &fragment(1, 1, 0..8, 0)[..64 + 40];
    for (chunk, offset) in [(1, 64), (2, 40)] {
        let folder = run_folder(&facts(true));
        append(&folder, torn);
        append(&folder, &fragment_of(1, chunk, offset, &body[64..]));
        let recording = Recording::open(folder.path()).expect("a recording");
        let mut stream = recording.stream(0);
        let mut codes = Vec::new();
        while stream.take(|record| codes.push(words::At::unpack(record.words[0]).0)).is_some() {}
        assert_eq!(codes, [0, 1, 4, 5, 6, 7], "chunk {chunk}, offset {offset}");
        assert_eq!(stream.undecoded(), 8);
    }
}

#[test]
fn behind_an_unknown_event_the_next_fragment_is_read() {
    let folder = run_folder(&facts(true));
    let unknown = [words::header(1, 63), 4711].map(u64::to_ne_bytes).concat();
    append(&folder, &fragment_of(1, 1, 0, &[records(0..2), unknown, records(2..3)].concat()));
    append(&folder, &fragment_of(1, 1, 64, &records(3..5)));
    assert_eq!(read(&folder, 0).0, [0, 1, 3, 4]);
}

#[test]
fn a_fragment_larger_than_a_part_is_read_whole() {
    let count = 3 * stream::PART as u64 / 16 + 5;
    let folder = run_folder(&facts(true));
    // One word in front moves every record across the parts' borders.
    let thread_end =
        words::header(999, EventCode::new(ThreadEnd::NUMBER, Scope::None).0).to_ne_bytes();
    append(&folder, &fragment_of(1, 1, 0, &[&thread_end[..], &records(0..count)].concat()));
    let recording = Recording::open(folder.path()).expect("a recording");
    let mut stream = recording.stream(0);
    assert!(stream.take(|record| assert!(record.words.is_empty())).is_some());
    let mut next = 0;
    while stream
        .take(|record| {
            assert_eq!(words::At::unpack(record.words[0]).0, next);
            next += 1;
        })
        .is_some()
    {}
    assert_eq!((next, stream.undecoded()), (count, 0));
}
