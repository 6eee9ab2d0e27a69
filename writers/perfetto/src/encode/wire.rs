//! Protobuf's wire format, as much of it as a writer needs.

/// Tags of the fields that are written by hand: number and wire type together.
pub(super) mod tag {
    const fn varint(field: u32) -> u32 {
        field << 3
    }
    const fn fixed64(field: u32) -> u32 {
        field << 3 | 1
    }
    const fn bytes(field: u32) -> u32 {
        field << 3 | 2
    }

    pub const TRACE_PACKET: u32 = bytes(1);

    pub const PACKET_SWITCHES: u32 = bytes(1);
    pub const PACKET_TIMESTAMP: u32 = varint(8);
    pub const PACKET_CLOCK: u32 = varint(58);
    pub const PACKET_SEQUENCE: u32 = varint(10);
    pub const PACKET_MACHINE: u32 = varint(98);
    pub const PACKET_EVENT: u32 = bytes(11);
    pub const PACKET_INTERNED: u32 = bytes(12);

    pub const BUNDLE_CORE: u32 = varint(1);
    pub const BUNDLE_EVENT: u32 = bytes(2);
    pub const FTRACE_TIMESTAMP: u32 = varint(1);
    pub const FTRACE_PID: u32 = varint(2);
    pub const FTRACE_SWITCH: u32 = bytes(4);
    pub const SWITCH_BEFORE: u32 = varint(2);
    pub const SWITCH_BEFORE_PRIORITY: u32 = varint(3);
    pub const SWITCH_STATE: u32 = varint(4);
    pub const SWITCH_NEXT: u32 = varint(6);
    pub const SWITCH_NEXT_PRIORITY: u32 = varint(7);

    pub const EVENT_CATEGORY: u32 = varint(3);
    pub const EVENT_ANNOTATION: u32 = bytes(4);
    pub const EVENT_TYPE: u32 = varint(9);
    pub const EVENT_NAME: u32 = varint(10);
    pub const EVENT_TRACK: u32 = varint(11);
    pub const EVENT_TITLE: u32 = bytes(23);
    pub const EVENT_COUNTER: u32 = varint(30);
    pub const EVENT_DOUBLE_COUNTER: u32 = fixed64(44);
    pub const EVENT_SOURCE: u32 = varint(34);
    pub const EVENT_FLOW: u32 = fixed64(47);
    pub const EVENT_TERMINATING_FLOW: u32 = fixed64(48);
    pub const EVENT_CORRELATION: u32 = varint(52);

    pub const ANNOTATION_NAME: u32 = varint(1);
    pub const ANNOTATION_BOOL: u32 = varint(2);
    pub const ANNOTATION_UINT: u32 = varint(3);
    pub const ANNOTATION_INT: u32 = varint(4);
    pub const ANNOTATION_DOUBLE: u32 = fixed64(5);
    pub const ANNOTATION_STRING: u32 = bytes(6);
    pub const ANNOTATION_POINTER: u32 = varint(7);
    pub const ANNOTATION_DICT: u32 = bytes(11);
    pub const ANNOTATION_ARRAY: u32 = bytes(12);
    pub const ANNOTATION_INTERNED: u32 = varint(17);
}

/// The most bytes that a 64-bit varint takes.
pub(super) const MAX_VARINT: usize = 10;

/// Appends a varint.
#[inline]
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a tag and a varint.
#[inline]
pub(super) fn put_field(out: &mut Vec<u8>, tag: u32, value: u64) {
    put_varint(out, u64::from(tag));
    put_varint(out, value);
}

/// Appends a field of eight bytes: its tag from [`tag`], which has the wire type in it, as a varint, and the value, the lowest byte first.
#[inline]
pub(super) fn put_fixed64(out: &mut Vec<u8>, tag: u32, value: u64) {
    put_varint(out, u64::from(tag));
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends a tag, a length and the bytes.
#[inline]
pub(super) fn put_bytes(out: &mut Vec<u8>, tag: u32, bytes: &[u8]) {
    put_varint(out, u64::from(tag));
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Fills in the length of the message that follows the byte at `mark` and ends
/// with `out`. One byte was left for it, which nearly always is enough; for a
/// longer message the content moves up.
#[inline]
pub(super) fn close_length(out: &mut Vec<u8>, mark: usize) {
    let length = out.len() - mark - 1;
    if length < 0x80 {
        out[mark] = length as u8;
    } else {
        close_long(out, mark, length);
    }
}

#[cold]
fn close_long(out: &mut Vec<u8>, mark: usize, length: usize) {
    // The varint goes behind the content, and then both change places.
    let end = out.len();
    put_varint(out, length as u64);
    let encoded = out.len() - end;
    let (mut varint, content) = ([0; MAX_VARINT], mark + 1..end);
    varint[..encoded].copy_from_slice(&out[end..]);
    out.copy_within(content, mark + encoded);
    out[mark..mark + encoded].copy_from_slice(&varint[..encoded]);
    out.pop();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_grow_at_seven_bits() {
        for (value, bytes) in [
            (0, vec![0]),
            (127, vec![0x7f]),
            (128, vec![0x80, 1]),
            (16_383, vec![0xff, 0x7f]),
            (16_384, vec![0x80, 0x80, 1]),
        ] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            assert_eq!(out, bytes);
        }
        let mut out = Vec::new();
        put_varint(&mut out, u64::MAX);
        assert_eq!(out.len(), MAX_VARINT);
    }

    #[test]
    fn a_long_message_moves_up_for_its_length() {
        for length in [0, 1, 127, 128, 300, 20_000] {
            let mut out = vec![0xaa, 0];
            out.extend((0..length).map(|i| i as u8));
            close_length(&mut out, 1);
            let mut expected = vec![0xaa];
            put_varint(&mut expected, length as u64);
            expected.extend((0..length).map(|i| i as u8));
            assert_eq!(out, expected);
        }
    }
}
