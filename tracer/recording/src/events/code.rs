//! The byte at the top of every record's first word: the event's code, which includes the scope (begin or end).
//!
//! A byte has no room for every number an event may get, so the table of events gives each its codes:
//! one for an event without endpoints, four consecutive ones for an event with endpoints. OMPT's numbers and ours stay apart
//! this way, however far OMPT's go on (FORMAT.md has the ranges).

use super::{MpiEnter, NAMES, NUMBERS, WORDS, first_code};
use std::borrow::Cow;

/// Numbers of OMPT's callbacks end here.
pub const OURS: u16 = 256;
/// Codes below are of events without ends; from here on, four are one event's.
pub const WITH_ENDS: u8 = 104;

/// The scope of an event: the end of a construct that it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Scope {
    /// The event has no two ends.
    None = 0,
    /// The construct begins.
    Begin = 1,
    /// The construct ends.
    End = 2,
    /// Begin and end at once.
    BeginEnd = 3,
}

impl Scope {
    /// The scope with this number; only the two low bits count.
    #[inline(always)]
    pub const fn from_number(number: u32) -> Scope {
        match number & 3 {
            1 => Scope::Begin,
            2 => Scope::End,
            3 => Scope::BeginEnd,
            _ => Scope::None,
        }
    }
}

/// The byte that identifies a record: an event and one of its ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventCode(pub u8);

impl EventCode {
    /// The code of an event's number and scope; an event without ends has one, whatever the scope. A
    /// number that this version does not know has code 0.
    #[inline(always)]
    pub const fn new(number: u16, scope: Scope) -> EventCode {
        let first = first_code(number);
        EventCode(if first < WITH_ENDS { first } else { first | scope as u8 })
    }

    /// The event's number; 0 for a code that this version does not know.
    #[inline(always)]
    pub const fn number(self) -> u16 {
        at(&NUMBERS, self.0)
    }

    /// The end of the construct that the code stands for.
    #[inline(always)]
    pub const fn scope(self) -> Scope {
        if self.0 < WITH_ENDS { Scope::None } else { Scope::from_number(self.0 as u32) }
    }

    /// The event's name, empty for a code that this version does not know.
    pub const fn name(self) -> &'static str {
        at(&NAMES, self.0)
    }

    /// The event's name, with `:begin`, `:end` or `:beginend` after it where it is one of its ends.
    pub fn name_with_end(self) -> Cow<'static, str> {
        let end = match self.scope() {
            Scope::None => return Cow::Borrowed(self.name()),
            Scope::Begin => "begin",
            Scope::End => "end",
            Scope::BeginEnd => "beginend",
        };
        Cow::Owned(format!("{}:{end}", self.name()))
    }

    /// Words of such a record with its header; 0 for an unknown code.
    #[inline(always)]
    pub const fn words(self) -> usize {
        at(&WORDS, self.0) as usize
    }

    /// True for an event of the program, which counts as one: those of OMPT, and calls of MPI. The others are ours.
    #[inline(always)]
    pub const fn is_of_program(self) -> bool {
        matches!(self.number(), 1..OURS | MpiEnter::NUMBER)
    }

    /// Every code of an event, in order; those of the short forms are not among them.
    pub fn all() -> impl Iterator<Item = EventCode> {
        (0..=u8::MAX).map(EventCode).filter(|code| code.number() != 0)
    }

    /// The numbers of all events, each once.
    pub fn numbers() -> impl Iterator<Item = u16> {
        EventCode::all().filter(|code| code.is_first()).map(EventCode::number)
    }

    /// Returns true for the first or only code of an event.
    fn is_first(self) -> bool {
        self.0 == first_code(self.number())
    }
}

/// The name of the event with this number, empty for one that this version does not know.
pub const fn name(number: u16) -> &'static str {
    at(&NAMES, first_code(number))
}

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "a byte is below 256")]
const fn at<T: Copy>(table: &'static [T; 256], code: u8) -> T {
    table[code as usize]
}

/// The last code of the event that has `first`.
pub(super) const fn last_code(first: u8) -> u8 {
    if first < WITH_ENDS { first } else { first + 3 }
}

/// Returns true if the table may give `number` these codes: an OMPT event without ends has its own number.
pub(super) const fn is_allowed(number: u16, first: u8) -> bool {
    let aligned = first < WITH_ENDS || first & 3 == 0;
    let apart =
        if number < OURS { number == first as u16 || first >= WITH_ENDS } else { first >= 64 };
    number != 0 && aligned && apart
}
/// `table` with `value` at every code of the event that has `first`.
#[allow(clippy::indexing_slicing, reason = "checked while compiling")]
pub(super) const fn every<T: Copy>(mut table: [T; 256], first: u8, value: T) -> [T; 256] {
    let mut at = first as usize;
    while at <= last_code(first) as usize {
        table[at] = value;
        at += 1;
    }
    table
}

#[allow(clippy::indexing_slicing, reason = "checked while compiling")]
/// Returns true if a payload of these shapes begins with a code address.
pub(super) const fn is_code_first(shapes: &[&str]) -> bool {
    let mut at = 1;
    while at < shapes.len() {
        assert!(!is_at(shapes[at]), "a code address is a payload's first word");
        at += 1;
    }
    !shapes.is_empty() && is_at(shapes[0])
}

/// Returns true for the shape `At`; all other shapes have longer names.
const fn is_at(shape: &str) -> bool {
    shape.len() == "At".len()
}
