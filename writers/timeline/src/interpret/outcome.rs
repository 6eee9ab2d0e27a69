//! Outcomes of the interpretation of records, and reasons why records cannot be interpreted.

use super::Interpreter;

/// Outcome of the interpretation of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The record gave something to the sink or changed the state.
    Interpreted,
    /// A late end of what was already closed, or a begin that says again what is open.
    Absorbed,
    /// The record could not be interpreted.
    Dropped(Reason),
}

/// The reason why a record could not be interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    EndWithoutBegin,
    TooDeep,
    NoScope,
    PartOfNothing,
    OtherStream,
    Unknown,
}

impl Reason {
    pub(crate) const ALL: [Reason; 6] = [
        Reason::EndWithoutBegin,
        Reason::TooDeep,
        Reason::NoScope,
        Reason::PartOfNothing,
        Reason::OtherStream,
        Reason::Unknown,
    ];

    pub(crate) const fn text(self) -> &'static str {
        match self {
            Reason::EndWithoutBegin => "end without a begin",
            Reason::TooDeep => "nested too deep",
            Reason::NoScope => "neither begin nor end",
            Reason::PartOfNothing => "part of no list or text",
            Reason::OtherStream => "in a stream of other events",
            Reason::Unknown => "unknown event",
        }
    }
}

impl Interpreter<'_> {
    /// Counts a record that was not interpreted as usual.
    #[cold]
    pub(super) fn not_interpreted(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Interpreted => self.interpreted += 1,
            Outcome::Absorbed => self.out.summary.absorbed += 1,
            Outcome::Dropped(reason) => {
                if let Some(count) = self.dropped.get_mut(reason as usize) {
                    *count += 1;
                }
            }
        }
    }
}
