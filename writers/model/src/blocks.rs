//! Bytes in blocks, instead of in one buffer: that would grow by being copied to twice the room, and keep what it has to spare.

use crate::Pool;
use std::io::{self, Write};

/// Size of a block in bytes, approximately.
const BLOCK: usize = 256 << 10;
/// Unit of the memory of blocks that are larger than [`BLOCK`], in bytes: single writes are often a little larger
/// than a block, each by another amount, and equal sizes can be used again.
const STEP: usize = 16 << 10;

/// The bytes that were written so far, each call of [`Write::write`] within one block; the blocks come from a pool.
#[derive(Debug)]
pub struct Blocks {
    blocks: Vec<Block>,
    /// Index of the block from which bytes are taken next, and the number of its bytes that were taken.
    next: (usize, usize),
    pool: Pool<Vec<u8>>,
}

#[derive(Debug)]
struct Block {
    /// May be longer than `filled` if the block was taken over: to clear the rest and to write it again would take as
    /// long as a copy.
    bytes: Vec<u8>,
    filled: usize,
}

impl Blocks {
    /// Creates an empty list whose blocks come from this pool.
    pub fn new(pool: &Pool<Vec<u8>>) -> Blocks {
        Blocks { blocks: Vec::new(), next: (0, 0), pool: pool.clone() }
    }

    /// Takes over a block of which the first `filled` bytes are valid, instead of copying them, and returns another
    /// block for the next bytes, with any content. A block that is less than half full is copied.
    ///
    /// # Errors
    /// None; the result has the type of a writer's.
    pub fn take_over(&mut self, bytes: Vec<u8>, filled: usize) -> io::Result<Vec<u8>> {
        if filled < BLOCK / 2 {
            self.write_all(bytes.get(..filled).unwrap_or(&bytes))?;
            return Ok(bytes);
        }
        self.blocks.push(Block { bytes, filled });
        Ok(self.pool.take())
    }

    /// Takes the next bytes, at most `count`, in as few parts as there are blocks. Nothing is to be written after that.
    pub fn take(&mut self, count: u64, mut take: impl FnMut(&[u8])) {
        let mut left = count;
        while let Some(block) = self.blocks.get(self.next.0).filter(|_| left > 0) {
            let rest = block.bytes.get(self.next.1..block.filled).unwrap_or_default();
            let part = usize::try_from(left).map_or(rest, |left| &rest[..left.min(rest.len())]);
            take(part);
            left -= part.len() as u64;
            self.next = match part.len() == rest.len() {
                true => (self.next.0 + 1, 0),
                false => (self.next.0, self.next.1 + part.len()),
            };
        }
    }
}

impl Write for Blocks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.blocks.last().is_none_or(|block| block.filled + bytes.len() > BLOCK) {
            let mut block = self.pool.take();
            block.clear();
            if block.capacity() < bytes.len() {
                block.reserve_exact(bytes.len().next_multiple_of(STEP));
            }
            self.blocks.push(Block { bytes: block, filled: 0 });
        }
        if let Some(Block { bytes: block, filled }) = self.blocks.last_mut() {
            block.truncate(*filled);
            block.extend_from_slice(bytes);
            *filled += bytes.len();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.pool.give_back(self.blocks.drain(..).map(|block| block.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(blocks: &mut Blocks, count: u64) -> Vec<Vec<u8>> {
        let mut parts = Vec::new();
        blocks.take(count, |part| parts.push(part.to_vec()));
        parts
    }

    #[test]
    fn what_is_written_at_once_is_in_one_block() {
        let pool = Pool::default();
        let mut blocks = Blocks::new(&pool);
        for (length, byte) in [(3, 1), (BLOCK - 3, 2), (2 * BLOCK, 3), (1, 4)] {
            blocks.write_all(&vec![byte; length]).expect("memory");
        }
        let parts = taken(&mut blocks, u64::MAX);
        assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [BLOCK, 2 * BLOCK, 1]);
        assert_eq!((parts[0][2], parts[0][3], parts[1][0], parts[2][0]), (1, 2, 3, 4));
        drop(blocks);
        let memory = [pool.take(), pool.take(), pool.take()];
        let room: usize = memory.iter().map(Vec::capacity).sum();
        assert!((3 * BLOCK + 1..3 * BLOCK + 3 * STEP).contains(&room), "{room}");
        assert_eq!(pool.take().capacity(), 0);
    }

    #[test]
    fn full_blocks_are_taken_over_and_others_copied() {
        let mut blocks = Blocks::new(&Pool::default());
        let mut pass =
            |block: Vec<u8>, filled| blocks.take_over(block, filled).expect("memory").len();
        assert_eq!((pass(vec![1; BLOCK + 9], BLOCK), pass(vec![2; 20], 10)), (0, 20));
        assert_eq!(taken(&mut blocks, u64::MAX), [vec![1; BLOCK], vec![2; 10]]);
    }

    #[test]
    fn bytes_are_taken_once_and_in_order() {
        let mut blocks = Blocks::new(&Pool::default());
        blocks.write_all(&vec![1; BLOCK]).expect("memory");
        blocks.write_all(&[2; 10]).expect("memory");
        assert!(taken(&mut blocks, 0).is_empty());
        assert_eq!(taken(&mut blocks, 7), [vec![1; 7]]);
        assert_eq!(taken(&mut blocks, BLOCK as u64), [vec![1; BLOCK - 7], vec![2; 7]]);
        assert_eq!(taken(&mut blocks, u64::MAX), [vec![2; 3]]);
        assert!(taken(&mut blocks, u64::MAX).is_empty());
    }
}
