//! Pools of unclosed runs: what they add, and which of them are believed.

use super::*;
use crate::pool::{self, control, header};

/// A pool of one thread, number 3, as a killed process leaves it.
pub(super) struct Pool(Vec<u8>);

impl Pool {
    /// Its last two chunks, by number, and the records in them.
    pub(super) fn new(chunks: &[(u64, std::ops::Range<u64>)]) -> Pool {
        const SLOTS_AT: u64 = 0x1_0000;
        let mut pool = Pool(vec![0; pool::block_offset(1, pool::DEFAULT_SLOT)]);
        pool.head(header::MAGIC, pool::MAGIC);
        pool.head(header::VERSION, FORMAT_VERSION.into());
        pool.head(header::SESSION, 1);
        pool.head(header::CLAIMED, 1);
        pool.head(header::SLOT, pool::DEFAULT_SLOT as u64);
        pool.control(control::MAGIC, pool::MAGIC);
        pool.control(control::THREAD, 3);
        pool.control(control::SLOTS_AT, SLOTS_AT);
        for (slot, (chunk, numbers)) in chunks.iter().enumerate() {
            let body = records(numbers.clone());
            let start = slot * pool::DEFAULT_SLOT;
            pool.control(control::CHUNK[slot], *chunk);
            pool.control(control::FILLED[slot], body.len() as u64);
            pool.control(control::CURSOR, SLOTS_AT + (start + body.len()) as u64);
            let at = pool::block_offset(0, pool::DEFAULT_SLOT) + pool::PAGE + start;
            pool.0[at..at + body.len()].copy_from_slice(&body);
        }
        pool
    }

    /// Sets a word of the header page.
    pub(super) fn head(&mut self, index: usize, word: u64) {
        self.0[8 * index..8 * index + 8].copy_from_slice(&word.to_ne_bytes());
    }

    fn control(&mut self, index: usize, word: u64) {
        self.head(pool::block_offset(0, pool::DEFAULT_SLOT) / 8 + index, word);
    }
}

pub(super) fn add_pool(folder: &tempfile::TempDir, pool: &Pool) {
    std::fs::write(folder.path().join(folder::POOL), &pool.0).expect("pool");
}

#[test]
fn the_pool_of_an_unclosed_run_adds_what_no_file_has() {
    let folder = run_folder(&facts(false));
    append(&folder, &fragment(3, 4, 0..5, 0));
    add_pool(&folder, &Pool::new(&[(4, 0..7)]));
    let (codes, damage) = read(&folder, 0);
    assert_eq!(codes, (0..7).collect::<Vec<_>>());
    assert_eq!(damage, Damage { from_pool: 32, ..Damage::default() });
}
