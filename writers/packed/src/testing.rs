//! Packed files with correct check sums for fuzzing, whatever else is wrong in them, since no fuzzer guesses a check
//! sum by chance.

use crate::bytes::{Bytes, check_sum};
use crate::layout::{Block, END, FRONT_BYTES, Head, Index, MAGIC, TRAILER_BYTES, Thread, VERSION};
use ompttrace_recording::FORMAT_VERSION;

/// The file with corrected check sums in its trailer, and with a corrected offset and length of its index if there is
/// no index of that length.
pub fn with_right_sums(file: &[u8]) -> Vec<u8> {
    let Some(end) = file.len().checked_sub(TRAILER_BYTES as usize) else { return file.to_vec() };
    let (body, trailer) = file.split_at(end);
    let stated = Bytes(trailer).u64().unwrap_or_default();
    let at = stated.clamp(FRONT_BYTES.min(end as u64), end as u64);
    let index = body.get(at as usize..).unwrap_or_default();
    let numbers = [at, index.len() as u64, check_sum(index)].map(u64::to_le_bytes);
    let sum = check_sum(numbers.as_flattened()).to_le_bytes();
    [body, numbers.as_flattened(), &sum, &END].concat()
}

/// A file of one thread with one block, whose bytes before compression are these.
pub fn of_one_block(plain: &[u8]) -> Vec<u8> {
    let mut bytes = Bytes(plain);
    let head = Head::read(&mut bytes).unwrap_or_default();
    let head = Head { thread: 0, number: 0, ..head };
    let plain = [&head.to_bytes(), bytes.0].concat();
    let packed = zstd::bulk::compress(&plain, 1).unwrap_or_default();
    let block = Block {
        at: FRONT_BYTES,
        packed: packed.len() as u32,
        plain: plain.len() as u32,
        head,
        span: (0, 0),
    };
    let thread = Thread { blocks: vec![block], ..Thread::default() };
    let index = Index { threads: vec![thread], ..Index::default() };
    let versions = [VERSION, FORMAT_VERSION].map(u32::to_le_bytes);
    let index = index.to_bytes(FRONT_BYTES + packed.len() as u64);
    [&MAGIC, versions.as_flattened(), &packed, &index].concat()
}
