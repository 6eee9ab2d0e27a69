//! Packed files that no writer of ours produces: reading them results in an error that names the file and the offset,
//! never in a panic, and takes no more memory than the limits.

use super::*;
use crate::bytes::Bytes;
use crate::decode::Decoder;
use crate::layout::{self, BLOCK_BYTES, BLOCK_WORDS, Block, Head, Index};
use crate::open::Unpacker;
use ompttrace_recording::events::WORDS;
use ompttrace_timeline::testing::nonsense;
use tempfile::TempDir;

/// A packed run with its file's bytes.
fn packed(records: usize) -> (TempDir, Vec<u8>) {
    let folder = nonsense(2, records).write().expect("a run folder");
    let bytes = std::fs::read(pack(folder.path(), REMOVE).path).expect("read");
    (folder, bytes)
}

/// The error message of reading other bytes instead of the file; `None` if they are read.
fn said(folder: &TempDir, bytes: &[u8]) -> Option<String> {
    let path = folder.path().join("events.packed");
    std::fs::write(&path, bytes).expect("written");
    let error = read(folder.path()).err()?.to_string();
    assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
    Some(error)
}

fn put(bytes: &mut [u8], at: usize, word: u64) {
    bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

#[test]
fn every_flipped_bit_is_found_or_does_nothing() {
    let (folder, bytes) = packed(60);
    let before = read(folder.path()).expect("a packed recording");
    let mut found = 0;
    for at in 0..bytes.len() {
        for bit in [0, 3, 5] {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            match said(&folder, &other) {
                Some(error) => {
                    found += 1;
                    let version = error.contains("recording format");
                    assert!(version || error.contains(": damaged at byte "), "{error}");
                }
                None => assert!(read(folder.path()).expect("packed") == before, "byte {at}"),
            }
        }
    }
    // zstd leaves a few bits of its headers unused, of which a packed file has one for each column.
    assert!(found > 3 * bytes.len() - 40, "{found} of {}", 3 * bytes.len());
}

#[test]
fn every_cut_is_found() {
    let (folder, bytes) = packed(60);
    for length in 0..bytes.len() {
        let error = said(&folder, &bytes[..length]).expect("not whole");
        assert!(error.contains("damaged at byte "), "{length}: {error}");
    }
    let error = said(&folder, &[&bytes[..], &bytes[..]].concat()).expect("two files");
    assert!(error.contains("damaged at byte "), "{error}");
}

#[test]
fn a_later_version_is_distinguished_from_damage() {
    let (folder, mut bytes) = packed(60);
    bytes[8] = layout::VERSION as u8 + 1;
    let error = said(&folder, &bytes).expect("too new");
    assert!(error.contains("recording format 2, this program reads 1:"), "{error}");
}

/// The file's bytes with another index, whose check sums are right.
fn with_index(bytes: &[u8], change: impl FnOnce(&mut Index)) -> Vec<u8> {
    let trailer = bytes.len() - layout::TRAILER_BYTES as usize;
    let at = Bytes(&bytes[trailer..]).u64().expect("a trailer");
    let blocks = &bytes[..at as usize];
    let mut index = Index::read(&bytes[at as usize..trailer], at).expect("an index");
    change(&mut index);
    [blocks, &index.to_bytes(at)].concat()
}

#[test]
fn an_index_that_lies_is_found() {
    let (folder, bytes) = packed(600);
    assert_eq!(said(&folder, &with_index(&bytes, |_| {})), None);
    type Change = fn(&mut Block);
    let changes: &[(Change, &str)] = &[
        (|block| block.packed += 1, "the index's blocks are not the file's"),
        (|block| block.packed = u32::MAX, "a block larger than any"),
        (|block| block.plain = u32::MAX, "a block larger than any"),
        (|block| block.plain -= 1, "damaged at byte 16"),
        (|block| block.plain += 1, "a block of another length"),
        (|block| block.head.words += 1, "a block that the index does not know"),
        (|block| block.head.words = u32::MAX, "a block larger than any"),
        (|block| block.head.records = block.head.words + 1, "a block larger than any"),
        (|block| block.head.near ^= 1, "a block that the index does not know"),
    ];
    for (change, expected) in changes {
        let other = with_index(&bytes, |index| change(&mut index.threads[0].blocks[0]));
        let error = said(&folder, &other).expect("a lie");
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let swapped = with_index(&bytes, |index| index.threads.swap(0, 1));
    assert!(said(&folder, &swapped).is_some());
    let renamed = with_index(&bytes, |index| index.threads[0].number += 100);
    let error = said(&folder, &renamed).expect("a lie");
    assert!(error.contains("a block that the index does not know"), "{error}");
}

#[test]
fn an_index_of_more_threads_than_bytes_ends() {
    let (_folder, bytes) = packed(60);
    let trailer = bytes.len() - layout::TRAILER_BYTES as usize;
    let at = Bytes(&bytes[trailer..]).u64().expect("a trailer") as usize;
    let mut index = bytes[at..trailer].to_vec();
    for offset in [40, 40 + 8 + 8 + 8 + 32 + 8] {
        put(&mut index, offset, u64::MAX);
        assert!(Index::read(&index, at as u64).is_err(), "{offset}");
    }
}

/// The helpers with which fuzzing begins: a valid file stays valid, and a valid block becomes one of another file.
#[test]
fn sums_can_be_put_right() {
    use crate::testing::{of_one_block, with_right_sums};
    let (folder, bytes) = packed(60);
    assert!(with_right_sums(&bytes) == bytes);
    let mut other = bytes.clone();
    let end = other.len() - 40;
    other[end - 1] ^= 1;
    assert!(said(&folder, &other).is_some());
    assert_eq!(said(&folder, &with_right_sums(&other)), None, "ticks to seek by");
    let head = Head { records: 1, words: 2, near: 7, ..Head::default() };
    let sound = [&head.to_bytes()[..], &[11, 0, 0, 0, 29, 29, 0, 0, 0]].concat();
    assert!(said(&folder, &of_one_block(&sound)).is_some_and(|error| error.contains("byte 16")));
    for length in 0..sound.len() {
        assert!(said(&folder, &of_one_block(&sound[..length])).is_some(), "{length}");
    }
}

/// A block whose content is larger than its declared size takes no memory.
#[test]
fn a_bomb_takes_no_memory() {
    let mut unpacker = Unpacker::new().expect("memory");
    unpacker.packed = zstd::bulk::compress(&vec![0; 64 << 20], 1).expect("compressed");
    assert!(unpacker.packed.len() < 10_000);
    let packed = unpacker.packed.len() as u32;
    for plain in [100, BLOCK_BYTES as u32, u32::MAX] {
        let block = Block { packed, plain, ..Block::default() };
        let mut words = Vec::new();
        assert!(unpacker.unpack(&block, &mut words).is_err());
        assert!(words.capacity() == 0 && unpacker.plain_capacity() <= 2 * BLOCK_BYTES);
    }
}

/// A random number generator, xorshift64, with the same sequence each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % limit
    }

    /// A block of some records of one event, with columns of all kinds.
    fn block(&mut self) -> (Head, Vec<u8>) {
        let code = [29, 17, 6, 96, 2][self.below(5) as usize];
        let (records, each) = (self.below(40), WORDS[usize::from(code)]);
        let (mut directory, mut planes) = (vec![code], Vec::new());
        directory.extend((1..each).map(|_| self.below(5) as u8));
        for _ in 0..2 * each {
            let (mode, patches) = (self.below(7) as u8, self.below(3) as u8);
            let values = match mode {
                0 => vec![],
                5 => vec![self.below(256) as u8; 4],
                6 => [vec![2], vec![9; 8]].concat(),
                _ => [vec![patches, 0, 0, 0], [1, 0, 0, 0, 7, 7, 7, 7].repeat(patches.into())]
                    .concat(),
            };
            directory.push(mode);
            directory.extend(values);
            let count = match mode {
                0 | 5 => 0,
                6 => 1,
                planes => u64::from(planes),
            };
            planes.extend((0..count * records).map(|_| self.below(256) as u8));
        }
        let mut bytes = (directory.len() as u32).to_le_bytes().to_vec();
        bytes.extend((0..records).map(|_| code));
        bytes.extend(directory);
        bytes.extend(planes);
        let words = records as u32 * u32::from(each);
        (Head { records: records as u32, words, ..Head::default() }, bytes)
    }
}

/// Blocks may have any content even if their check sums are right.
#[test]
fn any_bytes_decode_to_an_error_or_to_records() {
    let (mut decoder, mut random) = (Decoder::new(), Random(88_172_645_463_325_252));
    let (mut errors, mut records) = (0, 0);
    for _ in 0..20_000 {
        let (mut head, mut bytes) = random.block();
        for _ in 0..random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        match random.below(10) {
            0 => head.records += 1,
            1 => head.words = random.below(BLOCK_WORDS as u64) as u32,
            2 => bytes.truncate(random.below(bytes.len() as u64) as usize),
            _ => {}
        }
        let mut to = Vec::new();
        match decoder.decode(&head, Bytes(&bytes), &mut to) {
            Ok(()) => records += to.len(),
            Err(_) => errors += 1,
        }
        assert!(to.capacity() <= BLOCK_WORDS, "{} words", to.capacity());
    }
    assert!(errors > 5000 && records > 100_000, "{errors} errors, {records} words");
}

/// A file of any length may take no space on the disk, so its length proves nothing.
#[test]
fn an_index_in_a_hole_takes_no_memory() {
    use std::os::unix::fs::FileExt;
    let (folder, bytes) = packed(60);
    let path = folder.path().join("events.packed");
    let (front, length) = (layout::FRONT_BYTES, 1_u64 << 40);
    let mut trailer: Vec<u8> =
        [front, length - front, 0].into_iter().flat_map(u64::to_le_bytes).collect();
    trailer.extend(crate::bytes::check_sum(&trailer).to_le_bytes());
    trailer.extend(layout::END);
    std::fs::write(&path, &bytes[..front as usize]).expect("written");
    let file = std::fs::File::options().write(true).open(&path).expect("opened");
    file.write_all_at(&trailer, length).expect("written");
    let error = read(folder.path()).expect_err("no index").to_string();
    assert!(error.contains("the index is not whole"), "{error}");
}
