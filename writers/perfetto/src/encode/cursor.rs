//! A packet under way: fields put one after the other into the room after a block.
//!
//! The usual fields are stored wide, whole words of which only the first bytes count: what is after
//! them is overwritten by the next field.

use super::block::ROOM;
use super::wire::tag;

/// The longest template: sequence 6, machine 7, and the begin of an event of 4.
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

/// Position of the length in a packet: after its tag of one byte.
const PACKET: usize = 1;

/// A number as the first bytes of a varint, and how many these are, if they are not more than eight. Without a loop: its seven-bit groups are
/// moved apart all at once.
#[inline(always)]
pub(super) fn wide_varint(value: u64) -> Option<([u8; 8], usize)> {
    if value >> 56 != 0 {
        return None;
    }
    let halves = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let quarters = (halves & 0x0000_3fff_0000_3fff) | (halves & 0x0fff_c000_0fff_c000) << 2;
    let groups = (quarters & 0x007f_007f_007f_007f) | (quarters & 0x3f80_3f80_3f80_3f80) << 1;
    let last = (63 - (groups | 1).leading_zeros()) & !7;
    let more = 0x8080_8080_8080_8080 & !(u64::MAX << last);
    Some(((groups | more).to_le_bytes(), last as usize / 8 + 1))
}

/// The room and how much of it is filled.
#[derive(Debug)]
pub(super) struct Cursor<'b> {
    bytes: &'b mut [u8; ROOM],
    at: usize,
}

impl<'b> Cursor<'b> {
    /// The begin of the room.
    #[inline(always)]
    pub(super) fn new(bytes: &'b mut [u8; ROOM]) -> Self {
        Cursor { bytes, at: 0 }
    }

    /// Begins a packet with its time stamp, in one store where the number is of usual size.
    #[inline(always)]
    pub(super) fn packet(bytes: &'b mut [u8; ROOM], stamp: u64) -> Self {
        let mut cursor = Cursor::new(bytes);
        if stamp < 1 << 28 {
            let is = |least: u64| usize::from(stamp >= least);
            let length = 1 + is(1 << 7) + is(1 << 14) + is(1 << 21);
            let low = stamp & 0x7f | (stamp & 0x3f80) << 1;
            let high = (stamp & 0x1f_c000) << 2 | (stamp & 0xfe0_0000) << 3;
            let more = 0x8080_8080 & !(u64::MAX << (8 * length - 8));
            let tags = u64::from(tag::TRACE_PACKET) | u64::from(tag::PACKET_TIMESTAMP) << 16;
            cursor.wide(&(tags | (low | high | more) << 24).to_le_bytes(), 3 + length);
        } else {
            cursor.begin_far(stamp);
        }
        cursor
    }

    #[cold]
    fn begin_far(&mut self, stamp: u64) {
        self.open(tag::TRACE_PACKET);
        self.field(tag::PACKET_TIMESTAMP, stamp);
    }

    /// Appends a byte.
    #[inline(always)]
    pub(super) fn byte(&mut self, byte: u8) {
        debug_assert!(self.at < ROOM / 2, "the sum of the fields' sizes is wrong");
        self.bytes[self.at % ROOM] = byte;
        self.at += 1;
    }

    /// Appends a varint.
    #[inline(always)]
    pub(super) fn varint(&mut self, value: u64) {
        match wide_varint(value) {
            Some((bytes, length)) => self.wide(&bytes, length),
            None => self.long_varint(value),
        }
    }

    #[cold]
    fn long_varint(&mut self, mut value: u64) {
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

    /// Appends a tag and eight bytes.
    #[inline(always)]
    pub(super) fn fixed64(&mut self, tag: u32, value: u64) {
        self.varint(u64::from(tag));
        self.wide(&value.to_le_bytes(), 8);
    }

    /// Appends the first `length` of some bytes.
    #[inline(always)]
    pub(super) fn wide<const M: usize>(&mut self, bytes: &[u8; M], length: usize) {
        const { assert!(M <= ROOM / 2) };
        debug_assert!(self.at < ROOM / 2, "the sum of the fields' sizes is wrong");
        let at = self.at % (ROOM / 2);
        self.bytes[at..at + M].copy_from_slice(bytes);
        self.at += length;
    }

    /// Opens a message and says where its length belongs.
    #[inline(always)]
    pub(super) fn open(&mut self, tag: u32) -> usize {
        debug_assert!(tag < 0x80);
        self.byte(tag as u8);
        self.byte(0);
        self.at - 1
    }

    /// Closes a message that ends here and is shorter than 128 bytes.
    #[inline(always)]
    pub(super) fn close(&mut self, mark: usize) {
        self.bytes[mark % ROOM] = (self.at - mark - 1) as u8;
    }

    /// Appends a template.
    #[inline(always)]
    pub(super) fn template(&mut self, template: &Template) {
        self.wide(&template.bytes, usize::from(template.length));
    }

    /// Number of bytes written to the room so far.
    #[inline(always)]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Bytes written to the room so far.
    #[cfg(test)]
    pub(super) fn filled(&self) -> &[u8] {
        &self.bytes[..self.at]
    }

    /// Closes the event and the packet, which end here; returns the packet's length.
    #[inline(always)]
    pub(super) fn close_packet(mut self, event: usize) -> usize {
        if self.at > PACKET + 0x7f {
            return self.close_long(event);
        }
        self.close(event);
        self.close(PACKET);
        self.at
    }

    #[cold]
    fn close_long(mut self, event: usize) -> usize {
        self.lengthen(event);
        self.lengthen(PACKET);
        self.at
    }

    /// Closes a message of which one byte was left for its length.
    fn lengthen(&mut self, mark: usize) {
        let length = self.at - mark - 1;
        if length < 0x80 {
            return self.close(mark);
        }
        self.bytes.copy_within(mark + 1..self.at, mark + 2);
        self.bytes[mark] = length as u8 | 0x80;
        self.bytes[mark + 1] = (length >> 7) as u8;
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::wire::{put_field, put_varint};

    #[test]
    fn a_stamp_of_any_size_is_a_varint() {
        let mut room = [0xff; ROOM];
        for bits in 0..64 {
            for stamp in [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                let mut expected = vec![tag::TRACE_PACKET as u8, 0];
                put_field(&mut expected, tag::PACKET_TIMESTAMP, stamp);
                assert_eq!(Cursor::packet(&mut room, stamp).filled(), expected, "{stamp}");
            }
        }
    }

    #[test]
    fn a_varint_of_any_size_is_that_of_the_wire() {
        let mut room = [0xff; ROOM];
        for bits in 0..64 {
            for value in [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1, u64::MAX >> bits] {
                let mut expected = Vec::new();
                put_varint(&mut expected, value);
                let mut cursor = Cursor::new(&mut room);
                cursor.varint(value);
                assert_eq!(cursor.filled(), expected, "{value}");
            }
        }
    }

    #[test]
    fn long_events_get_long_lengths() {
        for content in [1usize, 110, 123, 124, 125, 126, 127, 128, 300] {
            let mut room = [0; ROOM];
            let mut cursor = Cursor::packet(&mut room, 5);
            let event = cursor.open(tag::PACKET_EVENT);
            (0..content).for_each(|n| cursor.byte(n as u8));
            let length = cursor.close_packet(event);
            let mut event = vec![tag::PACKET_EVENT as u8];
            put_varint(&mut event, content as u64);
            event.extend((0..content).map(|n| n as u8));
            let mut packet = vec![tag::TRACE_PACKET as u8];
            put_varint(&mut packet, 2 + event.len() as u64);
            packet.extend([tag::PACKET_TIMESTAMP as u8, 5]);
            packet.extend(event);
            assert_eq!(room[..length], packet);
        }
    }
}
