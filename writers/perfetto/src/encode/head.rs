//! Parts of an event's packet, built in an array on the stack.
//!
//! The fields that every event needs have a known greatest size, and so have the usual
//! details. Pushing them one by one onto a vector would check its capacity for each
//! byte; an array whose index is masked needs no check at all, and is then copied in
//! wide stores, of which the vector keeps the part that counts.

use super::wire::tag;

/// Room for all fields of an event without details at their longest:
/// packet 2, time stamp 11, clock 3, template 13, event 2, type 2, track 11,
/// category 6, name 6, place 7 make 63.
const SIZE: usize = 64;

/// The longest template: sequence 6, machine 7, and an end's event of 4.
const TEMPLATE: usize = 17;

/// Bytes that are the same in each packet of a sequence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Template {
    bytes: [u8; TEMPLATE],
    length: u8,
}

impl Template {
    /// Keeps up to 17 bytes.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut template = Template { bytes: [0; TEMPLATE], length: bytes.len() as u8 };
        template.bytes[..bytes.len()].copy_from_slice(bytes);
        template
    }
}

/// The array and how much of it is filled. Its size is a power of two.
#[derive(Debug)]
pub(super) struct Head<const N: usize = SIZE> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Head<N> {
    /// An empty head.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Head { bytes: [0; N], length: 0 }
    }

    /// Forgets what is in it.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a byte.
    #[inline(always)]
    pub(super) fn byte(&mut self, byte: u8) {
        debug_assert!(self.length < N, "the sum of the fields' sizes is wrong");
        self.bytes[self.length % N] = byte;
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

    /// Appends a tag and a varint.
    #[inline(always)]
    pub(super) fn field(&mut self, tag: u32, value: u64) {
        self.varint(u64::from(tag));
        self.varint(value);
    }

    /// Begins a packet with its time stamp, in one store where the number is of usual size; says
    /// where the packet's length belongs.
    #[inline(always)]
    pub(super) fn begin_packet(&mut self, stamp: u64) -> usize {
        let length = match stamp {
            0..0x80 => 1,
            0x80..0x4000 => 2,
            0x4000..0x20_0000 => 3,
            _ => return self.begin_far(stamp),
        };
        let low = stamp & 0x7f | (stamp & 0x3f80) << 1 | (stamp & 0x1f_c000) << 2;
        let more = 0x80_8080 & !(u64::MAX << (8 * length - 8));
        let tags = u64::from(tag::TRACE_PACKET) | u64::from(tag::PACKET_TIMESTAMP) << 16;
        self.length = 0;
        self.wide(&(tags | (low | more) << 24).to_le_bytes(), 3 + length);
        1
    }

    #[cold]
    fn begin_far(&mut self, stamp: u64) -> usize {
        self.length = 0;
        let packet = self.open(tag::TRACE_PACKET);
        self.field(tag::PACKET_TIMESTAMP, stamp);
        packet
    }

    /// Appends a tag and eight bytes.
    #[inline(always)]
    pub(super) fn fixed64(&mut self, tag: u32, value: u64) {
        self.varint(u64::from(tag));
        self.wide(&value.to_le_bytes(), 8);
    }

    /// Appends the first `length` of some bytes; there must be room for all of them.
    #[inline(always)]
    pub(super) fn wide<const M: usize>(&mut self, bytes: &[u8; M], length: usize) {
        let at = self.length.min(N - M);
        debug_assert_eq!(at, self.length);
        self.bytes[at..at + M].copy_from_slice(bytes);
        self.length += length;
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
        self.bytes[mark % N] = (self.length - mark - 1) as u8;
    }

    /// Appends a template.
    #[inline(always)]
    pub(super) fn template(&mut self, template: &Template) {
        self.wide(&template.bytes, usize::from(template.length));
    }

    /// How much of it is filled.
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// All bytes and how many of them count, if those are `M` at most.
    pub(super) fn start<const M: usize>(&self) -> Option<([u8; M], usize)> {
        let start = self.bytes.first_chunk().filter(|_| self.length <= M)?;
        Some((*start, self.length))
    }

    /// Appends the head to a vector.
    #[inline(always)]
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        let end = out.len() + self.length;
        match self.bytes.first_chunk::<SIZE>() {
            Some(start) if self.length <= SIZE => out.extend_from_slice(start),
            _ => out.extend_from_slice(&self.bytes),
        }
        out.truncate(end);
    }
}
