//! Headers that no writer of ours makes: no panic, no memory beyond the file's, an end.

use super::pools::{Pool, add_pool};
use super::*;

fn header(chunk: u64, offset: u32, bytes: u32) -> FragmentHeader {
    FragmentHeader {
        session: 1,
        thread: 1,
        chunk,
        offset,
        bytes,
        os_thread: 1,
        ticks: u64::MAX,
        monotonic: u64::MAX,
    }
}

#[test]
fn offsets_and_lengths_of_any_size_are_survived() {
    for offset in [0, 1, 8, 1 << 26, u32::MAX - 15, u32::MAX - 3, u32::MAX] {
        for bytes in [0, 1, 7, 16, 1 << 26, u32::MAX - 7, u32::MAX] {
            let folder = run_folder(&facts(true));
            let hostile: Vec<u8> = header_bytes(&header(1, offset, bytes)).collect();
            append(&folder, &[hostile.clone(), vec![0; 16], hostile].concat());
            append(&folder, &fragment(2, 1, 0..3, 0));
            let recording = Recording::open(folder.path()).expect("a recording");
            let all: u64 = recording.threads.iter().map(ThreadIndex::bytes).sum();
            assert!(all <= 64 + 16 + 64 + 48, "{offset} {bytes}: {all} bytes of records");
            let last = recording.threads.len() - 1;
            assert_eq!(read(&folder, last).0, [0, 1, 2], "{offset} {bytes}");
        }
    }
}

#[test]
fn ranges_that_no_chunk_has_are_no_fragments() {
    let folder = run_folder(&facts(true));
    append(&folder, &fragment_of(1, 1, u32::MAX - 7, &records(0..2)));
    append(&folder, &fragment_of(1, 1, 3, &records(0..2)));
    append(&folder, &fragment(1, 2, 4..6, 4));
    let (codes, damage) = read(&folder, 0);
    assert_eq!(codes, [4, 5]);
    assert_eq!(damage, Damage { unreadable: 2 * 96, ..Damage::default() });
}

#[test]
fn a_long_hole_costs_no_memory() {
    let folder = run_folder(&facts(true));
    append(&folder, &header_bytes(&header(1, 0, 60 << 20)).collect::<Vec<_>>());
    let file = File::options().write(true).open(folder.path().join("events.0")).expect("opened");
    file.set_len(60 << 20).expect("a hole");
    let recording = Recording::open(folder.path()).expect("a recording");
    let mut stream = recording.stream(0);
    assert!(stream.take(|_| ()).is_none());
    assert_eq!(stream.undecoded(), (60 << 20) - 64);
    assert!(stream.memory() <= 4 * stream::PART, "{}", stream.memory());
}

#[test]
fn a_pool_that_claims_too_much_comes_to_an_end() {
    let folder = run_folder(&facts(false));
    let mut pool = Pool::new(&[(4, 0..7)]);
    pool.head(crate::pool::header::CLAIMED, u64::MAX);
    add_pool(&folder, &pool);
    let path = folder.path().join(folder::POOL);
    let file = File::options().write(true).open(path).expect("opened");
    // Ninety million blocks; on a file system without such files there is nothing to show.
    let _ = file.set_len(1 << 40);
    assert_eq!(read(&folder, 0).0, (0..7).collect::<Vec<_>>());
}
