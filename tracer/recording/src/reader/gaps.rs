//! Chunks that are nowhere: each thread numbers its chunks from 1, and threads are numbered from 0. So a gap shows in a recording
//! that was not closed, of which nothing says how long its files were, and in files that are long enough and hold something else.

use super::index::ThreadIndex;
use crate::facts::Facts;
use std::collections::BTreeSet;

/// The number of chunks between those of `threads` that no file and no pool has; a thread of which there is nothing counts
/// as one. Where threads may have given up chunks nothing follows from their numbers: 0.
pub(super) fn gaps(facts: &Facts, threads: &[ThreadIndex]) -> u64 {
    let has_all = facts.gapless_threads > 0;
    if has_all || (!facts.closed && facts.overflow == "wait") {
        gaps_below(facts.gapless_threads, threads)
    } else {
        0
    }
}

/// The gaps, where there were at least so many threads.
fn gaps_below(least: u64, threads: &[ThreadIndex]) -> u64 {
    let of_chunks = threads.iter().map(missing_chunks).fold(0, u64::saturating_add);
    let after_last = threads.iter().map(|thread| u64::from(thread.number) + 1).max().unwrap_or(0);
    of_chunks.saturating_add(after_last.max(least).saturating_sub(threads.len() as u64))
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
        let killed = Facts { overflow: "wait".to_owned(), ..Facts::default() };
        assert_eq!(gaps(&killed, &[]), 0);
        assert_eq!(gaps(&killed, &[thread(0, &[1, 1, 2]), thread(1, &[1])]), 0);
        assert_eq!(gaps(&killed, &[thread(0, &[1, 4]), thread(1, &[2, 3])]), 3);
        assert_eq!(gaps(&killed, &[thread(0, &[1]), thread(3, &[])]), 2);
    }

    #[test]
    fn a_closed_recording_has_no_gaps_only_where_it_says_so() {
        let threads = [thread(0, &[1, 3]), thread(1, &[1])];
        let of = |gapless_threads, overflow: &str, closed| {
            let facts = Facts {
                gapless_threads,
                closed,
                overflow: overflow.to_owned(),
                ..Facts::default()
            };
            gaps(&facts, &threads)
        };
        assert_eq!([of(0, "wait", true), of(2, "wait", true), of(4, "ring", true)], [0, 1, 3]);
        assert_eq!([of(0, "ring", false), of(0, "", false), of(0, "wait", false)], [0, 0, 1]);
    }
}
