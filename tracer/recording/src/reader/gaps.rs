//! Chunks that are nowhere, of a recording that was not closed: nothing says how long its files were, but each thread numbers
//! its chunks from 1, and threads are numbered from 0.

use super::index::ThreadIndex;
use std::collections::BTreeSet;

/// The number of chunks between those of `threads` that no file and no pool has; a thread of which there is nothing counts
/// as one.
pub(super) fn gaps(threads: &[ThreadIndex]) -> u64 {
    let of_chunks: u64 = threads.iter().map(missing_chunks).sum();
    let after_last = threads.iter().map(|thread| thread.number + 1).max().unwrap_or(0);
    of_chunks + u64::from(after_last).saturating_sub(threads.len() as u64)
}

fn missing_chunks(thread: &ThreadIndex) -> u64 {
    let chunks: BTreeSet<u64> = thread.fragments.iter().map(|fragment| fragment.chunk).collect();
    chunks.last().map_or(0, |last| last.saturating_sub(chunks.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::index::Fragment;

    fn thread(number: u32, chunks: &[u64]) -> ThreadIndex {
        let fragment =
            |chunk: &u64| Fragment { file: 0, at: 0, chunk: *chunk, offset: 0, bytes: 8, ticks: 0 };
        let fragments = chunks.iter().map(fragment).collect();
        ThreadIndex { number, fragments, ..ThreadIndex::default() }
    }

    #[test]
    fn numbers_that_are_left_out_are_counted() {
        assert_eq!(gaps(&[]), 0);
        assert_eq!(gaps(&[thread(0, &[1, 1, 2]), thread(1, &[1])]), 0);
        assert_eq!(gaps(&[thread(0, &[1, 4]), thread(1, &[2, 3])]), 3);
        assert_eq!(gaps(&[thread(0, &[1]), thread(3, &[])]), 2);
    }
}
