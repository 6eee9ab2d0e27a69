//! The fixed part of an event's packet, built in an array on the stack.
//!
//! Every event needs these fields, and they have a known greatest size. Pushing
//! them one by one onto a vector would check its capacity for each byte; an array
//! whose index is masked needs no check at all, and is then copied in whole, a few
//! wide stores, of which the vector keeps the part that counts.

/// Room for all fields at their longest:
/// packet 2, time stamp 11, clock 3, template 16, event 2, type 2, track 11,
/// category 6, name 6 make 59.
pub(super) const SIZE: usize = 64;

/// Bytes that are the same in each packet of a sequence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Template {
    bytes: [u8; 16],
    length: u8,
}

impl Template {
    /// Keeps up to 16 bytes.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut template = Template { bytes: [0; 16], length: bytes.len() as u8 };
        template.bytes[..bytes.len()].copy_from_slice(bytes);
        template
    }
}

/// The array and how much of it is filled.
pub(super) struct Head {
    bytes: [u8; SIZE],
    length: usize,
}

impl Head {
    /// An empty head.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Head { bytes: [0; SIZE], length: 0 }
    }

    /// Appends a byte.
    #[inline(always)]
    pub(super) fn byte(&mut self, byte: u8) {
        debug_assert!(self.length < SIZE, "the sum at SIZE is wrong");
        self.bytes[self.length % SIZE] = byte;
        self.length += 1;
    }

    /// Appends a varint.
    #[inline(always)]
    pub(super) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    /// Appends a field whose number is below 16.
    #[inline(always)]
    pub(super) fn field(&mut self, tag: u32, value: u64) {
        debug_assert!(tag < 0x80);
        self.byte(tag as u8);
        self.varint(value);
    }

    /// Opens a message and says where its length belongs.
    #[inline(always)]
    pub(super) fn open(&mut self, tag: u32) -> usize {
        debug_assert!(tag < 0x80);
        self.byte(tag as u8);
        self.byte(0);
        self.length - 1
    }

    /// Closes a message that ends with the head: it is shorter than 128 bytes.
    #[inline(always)]
    pub(super) fn close(&mut self, mark: usize) {
        self.bytes[mark % SIZE] = (self.length - mark - 1) as u8;
    }

    /// Appends a template.
    #[inline(always)]
    pub(super) fn template(&mut self, template: &Template) {
        let at = self.length.min(SIZE - 16);
        debug_assert_eq!(at, self.length);
        self.bytes[at..at + 16].copy_from_slice(&template.bytes);
        self.length += usize::from(template.length);
    }

    /// Appends the head to a vector.
    #[inline(always)]
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        let end = out.len() + self.length;
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}
