//! Bytes in blocks, instead of in one buffer: that would grow by being copied to twice the room, and keep what it has to spare.

use crate::Pool;
use std::io::{self, Write};

/// Bytes of a block, about.
const BLOCK: usize = 256 << 10;
/// What is written at once is often a little more than that, each time another little: memory comes in steps of so many bytes.
const STEP: usize = 16 << 10;

/// What was written so far, each call of [`Write::write`] within one block; the blocks come from a pool.
#[derive(Debug)]
pub struct Blocks {
    blocks: Vec<Vec<u8>>,
    /// The block, and how many of its bytes, that are to be taken next.
    next: (usize, usize),
    pool: Pool<Vec<u8>>,
}

impl Blocks {
    /// None yet, of those in this pool.
    pub fn new(pool: &Pool<Vec<u8>>) -> Blocks {
        Blocks { blocks: Vec::new(), next: (0, 0), pool: pool.clone() }
    }

    /// Takes the next bytes, at most `count`, in as few parts as there are blocks. Nothing is to be written after that.
    pub fn take(&mut self, count: u64, mut take: impl FnMut(&[u8])) {
        let mut left = count;
        while let Some(block) = self.blocks.get(self.next.0).filter(|_| left > 0) {
            let rest = block.get(self.next.1..).unwrap_or_default();
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
        let is_room = |block: &Vec<u8>| block.len() + bytes.len() <= BLOCK;
        match self.blocks.last_mut().filter(|block| is_room(block)) {
            Some(block) => block.extend_from_slice(bytes),
            None => {
                let mut block = self.pool.take();
                if block.capacity() < bytes.len() {
                    block.reserve_exact(bytes.len().next_multiple_of(STEP));
                }
                block.extend_from_slice(bytes);
                self.blocks.push(block);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        let empty = self.blocks.drain(..).map(|mut block| {
            block.clear();
            block
        });
        self.pool.give_back(empty);
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
        assert!(memory.iter().all(Vec::is_empty));
        let room: usize = memory.iter().map(Vec::capacity).sum();
        assert!((3 * BLOCK + 1..3 * BLOCK + 3 * STEP).contains(&room), "{room}");
        assert_eq!(pool.take().capacity(), 0);
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
