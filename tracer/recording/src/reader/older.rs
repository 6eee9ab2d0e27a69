//! Records of older formats, turned into today's one by one as they are read.

use crate::events::WITH_CODE;
use crate::words;

/// How far version 1's words are turned: a header had its code in the lowest byte, a code address
/// its kind in the lowest 16 bits; both went to the top, where they are stored without shifting.
const HEADER_TURN: u32 = 8;
const CODE_TURN: u32 = 16;

/// How the records of a recording differ from today's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    header_turn: u32,
}

impl Layout {
    /// The layout of a recording's format.
    pub(super) fn of(format: u32) -> Layout {
        Layout { header_turn: if format == 1 { HEADER_TURN } else { 0 } }
    }

    /// A header word as today's.
    #[inline(always)]
    pub(super) fn header(self, word: u64) -> u64 {
        word.rotate_right(self.header_turn)
    }

    /// Turns a whole record, once.
    #[inline(always)]
    pub(super) fn update(self, record: &mut [u64]) {
        if self.header_turn != 0 {
            update_from_1(record);
        }
    }
}

#[cold]
fn update_from_1(record: &mut [u64]) {
    let [header, payload @ ..] = record else { return };
    *header = header.rotate_right(HEADER_TURN);
    let number = words::header_code(*header) & 63;
    if let [code, ..] = payload
        && WITH_CODE >> number & 1 == 1
    {
        *code = code.rotate_right(CODE_TURN);
    }
}
