//! Code addresses that meant several things in one run, because a library was closed and another opened in its
//! address: records with such addresses are given those that stand for what was mapped at their time.

use crate::source_ids::Words;
use ompttrace_model::ompt;
use ompttrace_recording::events::{Dispatch, Event, Record, begins_with_code};
use ompttrace_recording::words::At;
use ompttrace_symbols::{AsOf, Change};

/// The meaning of code addresses at a time that only advances.
#[derive(Clone, Debug)]
pub(crate) struct Moves<'a> {
    changes: &'a [Change],
    pub(crate) as_of: AsOf,
    /// Number of steps at which some address got another meaning so far.
    pub(crate) generation: u32,
}

impl<'a> Moves<'a> {
    pub(crate) fn new(changes: &'a [Change]) -> Moves<'a> {
        Moves { changes, as_of: AsOf::default(), generation: 0 }
    }

    /// Returns true if any address means more than one thing during the run.
    pub(crate) fn are_there(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The address that stands for a code address at a time, in ticks: the address itself, if it has one meaning only.
    pub(crate) fn code(&mut self, ticks: u64, address: u64) -> u64 {
        if !self.are_there() {
            return address;
        }
        self.generation += u32::from(self.as_of.go_on(self.changes, ticks));
        self.as_of.code(address)
    }

    /// The payload of a record with its code address replaced; `None`: it stays as it is.
    pub(crate) fn apply(&mut self, record: &Record<'_>) -> Option<Words> {
        if !self.are_there() {
            return None;
        }
        if record.code.number() == Dispatch::NUMBER {
            return self.apply_to_section(record);
        }
        let word = *record.words.first()?;
        if !begins_with_code(record.code) {
            return None;
        }
        let (address, kind) = At::unpack(word);
        let moved = self.code(record.ticks, address);
        (moved != address).then(|| Words::with_first(record.words, At::pack(moved, kind)))
    }

    fn apply_to_section(&mut self, record: &Record<'_>) -> Option<Words> {
        let mut event = Dispatch::from_words(record.words);
        // What a section reports is an address.
        if ompt::Dispatch::from(event.kind) != ompt::Dispatch::Section {
            return None;
        }
        event.first = self.code(record.ticks, event.first);
        Some(Words::of(&Event::Dispatch(event)))
    }
}
