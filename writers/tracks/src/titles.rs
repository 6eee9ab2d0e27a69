//! What is shown on slices and instants: what definitions call them, and the names of activities.
//!
//! Never here: a look-up by text for a plain event.

use crate::format::Format;
use ompttrace_model::{Activity, Definitions, NameRef};

/// All titles so far, by their numbers: those of activities, and behind them the definitions' strings.
#[derive(Debug, Default)]
pub(crate) struct Titles {
    /// Strings among them.
    strings: usize,
}

impl Titles {
    /// The titles of activities, which are numbered as they are.
    pub(crate) fn start<F: Format>(&mut self, format: &mut F) {
        Activity::ALL.iter().for_each(|activity| format.title(activity.name()));
    }

    /// Takes in the strings that were defined since the last call.
    pub(crate) fn define<F: Format>(&mut self, format: &mut F, definitions: &Definitions) {
        definitions.strings().iter().skip(self.strings).for_each(|text| format.title(text));
        self.strings = definitions.strings().len();
    }

    /// The title of what has a string as its name.
    #[inline(always)]
    pub(crate) fn of(&self, name: NameRef) -> NameRef {
        name.saturating_add(Activity::ALL.len() as NameRef)
    }
}
