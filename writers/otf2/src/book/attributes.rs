//! Annotations of events: the timeline's arguments and marks as OTF2's attributes.

use ompttrace_timeline::{Arg, ArgKey, ArgValue, Mark};
use otf2_sys::{OTF2_TYPE_INT64, OTF2_TYPE_STRING, OTF2_TYPE_UINT64};

use super::Book;
use crate::ids::{AttributeId, StringId};
use crate::op::{Attribute, Value};

/// Types of values, each with definitions of its own, as a definition has one type.
const TYPES: [u8; 3] = [OTF2_TYPE_UINT64 as u8, OTF2_TYPE_INT64 as u8, OTF2_TYPE_STRING as u8];

/// Attributes that some event has.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// Name and type of each definition.
    defined: Vec<(StringId, u8)>,
    /// By key and type.
    numbers: Vec<Option<AttributeId>>,
}

impl Attributes {
    /// A definition of its own.
    pub(crate) fn define(&mut self, name: StringId, kind: u32) -> AttributeId {
        self.defined.push((name, kind as u8));
        self.defined.len() as AttributeId - 1
    }

    /// Name and OTF2_Type of each definition, by number.
    pub(crate) fn all(&self) -> &[(StringId, u8)] {
        &self.defined
    }

    fn number(&mut self, key: ArgKey, kind: usize, name: impl FnOnce() -> StringId) -> AttributeId {
        let place = key as usize * TYPES.len() + kind;
        if self.numbers.len() <= place {
            self.numbers.resize(place + 1, None);
        }
        if let Some(Some(number)) = self.numbers.get(place) {
            return *number;
        }
        let number = self.define(name(), u32::from(TYPES[kind]));
        if let Some(entry) = self.numbers.get_mut(place) {
            *entry = Some(number);
        }
        number
    }
}

impl Book {
    /// An argument as an attribute.
    pub(crate) fn attribute(&mut self, arg: &Arg) -> Attribute {
        let (kind, value) = match arg.value {
            ArgValue::Number(value) | ArgValue::Address(value) => (0, Value::Unsigned(value)),
            ArgValue::Id(id) => (0, Value::Unsigned(id.0)),
            ArgValue::Signed(value) => (1, Value::Signed(value)),
            ArgValue::Text(name) => (2, Value::Text(self.name(name))),
            ArgValue::Word(word) => (2, Value::Text(self.strings.number(word))),
        };
        let Book { attributes, strings, .. } = self;
        let key = attributes.number(arg.key, kind, || strings.number(arg.key.name()));
        Attribute { key, value }
    }

    /// How certain something is.
    pub(crate) fn certainty(&mut self, mark: Mark) -> Attribute {
        let word = match mark {
            Mark::Observed => "observed",
            Mark::Inferred => "inferred",
            Mark::Cut => "cut",
        };
        self.attribute(&Arg { key: ArgKey::Mark, value: ArgValue::Word(word) })
    }

    /// Adds how certain something is, where it was not simply observed.
    #[inline]
    pub(crate) fn certainty_into(&mut self, mark: Mark, attributes: &mut Vec<Attribute>) {
        if mark != Mark::Observed {
            attributes.push(self.certainty(mark));
        }
    }
}
