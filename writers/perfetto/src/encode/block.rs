//! A buffer of complete packets, and room after them for the packet that is being built.
//!
//! A packet is built in place. Its parts have a known greatest size, so that the room, an
//! array whose size is known too, is asked for once and no byte needs a check of its own.

/// Number of bytes after a block. A usual packet takes about half of them at most, the rest is for wide stores.
pub(super) const ROOM: usize = 1024;

/// The block.
#[derive(Debug)]
pub(super) struct Block {
    /// Always longer than what is filled, by [`ROOM`] at least.
    bytes: Vec<u8>,
    length: usize,
    /// The bytes that it holds without growing.
    size: usize,
}

impl Block {
    /// An empty block that holds `size` bytes without growing.
    pub(super) fn new(size: usize) -> Self {
        Block { bytes: vec![0; size + ROOM], length: 0, size }
    }

    /// Room after the complete packets, in which the next packet is built.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [u8; ROOM] {
        let room = self.bytes[self.length..].first_chunk_mut();
        room.expect("the block was made with room behind it and keeps it")
    }

    /// The first bytes of the room belong to the block now; true if it is full, and has to be emptied before anything else.
    #[inline(always)]
    #[must_use]
    pub(super) fn take(&mut self, length: usize) -> bool {
        debug_assert!(length <= ROOM && self.length + length + ROOM <= self.bytes.len() + length);
        self.length += length;
        // Its memory may be more: it was another block's, which had a large packet. Where blocks end must not depend on that.
        self.length >= self.size
    }

    /// Appends a packet of any size.
    pub(super) fn append(&mut self, packet: &[u8]) {
        let end = self.length + packet.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[self.length..end].copy_from_slice(packet);
        self.length = end;
        self.make_room();
    }

    #[cold]
    fn make_room(&mut self) {
        if self.bytes.len() < self.length + ROOM {
            self.bytes.resize(self.length + ROOM, 0);
        }
    }

    /// Number of bytes of complete packets.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Bytes of the complete packets.
    pub(super) fn filled(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The buffer, and how many bytes of it are filled; before anything else another one has to be put in its place.
    pub(super) fn take_all(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.bytes), std::mem::take(&mut self.length))
    }

    /// Puts another buffer in the place of the one that was taken.
    pub(super) fn replace(&mut self, bytes: Vec<u8>) {
        self.length = 0;
        self.bytes = bytes;
        if self.bytes.capacity() < self.size + ROOM {
            // The system gives zeros: of a vector that grows they would be written.
            self.bytes = vec![0; self.size + ROOM];
        } else if self.bytes.len() < self.size + ROOM {
            self.bytes.resize(self.size + ROOM, 0);
        }
    }

    /// Drops all packets.
    pub(super) fn clear(&mut self) {
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_room() {
        let mut block = Block::new(10);
        for packet in [0, 1, ROOM, 5 * ROOM, 1] {
            block.append(&vec![7; packet]);
            block.room()[..3].copy_from_slice(&[1, 2, 3]);
            let is_full = block.take(3);
            assert!(block.filled().ends_with(&[1, 2, 3]));
            assert_eq!(is_full, block.len() >= 10);
        }
        assert_eq!(block.len(), 6 * ROOM + 2 + 15);
        block.clear();
        assert!(block.filled().is_empty());
    }

    #[test]
    fn a_block_is_full_once_it_holds_what_it_was_made_for() {
        let mut block = Block::new(10);
        assert!(!block.take(3) && !block.take(6) && block.take(1));
        block.room()[ROOM - 1] = 9;
        block.replace(vec![0; 100 + ROOM]);
        assert!(!block.take(9) && block.take(2));
    }
}
