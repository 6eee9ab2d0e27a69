//! Annotations of events: the timeline's arguments and marks as OTF2's attributes.

use ompttrace_model::{Arg, ArgKey, ArgValue, Item, Mark, Variable};
use otf2_sys::{OTF2_TYPE_INT64, OTF2_TYPE_STRING, OTF2_TYPE_UINT64};

use rustc_hash::FxHashMap;

use super::DefinitionTables;
use crate::ids::{AttributeId, StringId};
use crate::op::{Attribute, Value};

/// Types of values, each with definitions of its own, as a definition has one type.
const TYPES: [u8; 3] = [OTF2_TYPE_UINT64 as u8, OTF2_TYPE_INT64 as u8, OTF2_TYPE_STRING as u8];

/// Strings of an archive beyond which addresses get none: a program may have dependences on any number.
const MAX_STRINGS: usize = 1 << 18;

/// Attributes that some event has.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// Name and type of each definition.
    defined: Vec<(StringId, u8)>,
    /// Number of definitions that were handed over.
    taken: usize,
    /// Numbers of definitions by key and type.
    numbers: Vec<Option<AttributeId>>,
    /// Numbers of definitions for entries of lists, by key, position and type.
    of_lists: FxHashMap<(ArgKey, usize, usize), AttributeId>,
}

impl Attributes {
    /// Adds a definition; returns its number.
    pub(crate) fn define(&mut self, name: StringId, kind: u32) -> AttributeId {
        self.defined.push((name, kind as u8));
        self.defined.len() as AttributeId - 1
    }

    /// Name and OTF2_Type of those that are new.
    pub(super) fn take_new(&mut self) -> Vec<(StringId, u8)> {
        let new = self.defined.get(self.taken..).unwrap_or_default().to_vec();
        self.taken = self.defined.len();
        new
    }

    fn number(&mut self, key: ArgKey, kind: usize, name: impl FnOnce() -> StringId) -> AttributeId {
        let index = key as usize * TYPES.len() + kind;
        if self.numbers.len() <= index {
            self.numbers.resize(index + 1, None);
        }
        if let Some(Some(number)) = self.numbers.get(index) {
            return *number;
        }
        let number = self.define(name(), u32::from(TYPES[kind]));
        if let Some(entry) = self.numbers.get_mut(index) {
            *entry = Some(number);
        }
        number
    }
}

impl DefinitionTables {
    /// An argument as an attribute.
    #[inline]
    pub(crate) fn attribute(&mut self, arg: &Arg) -> Attribute {
        let (kind, value) = match arg.value {
            ArgValue::Number(value) | ArgValue::Address(value) => (0, Value::Unsigned(value)),
            ArgValue::Id(id) => (0, Value::Unsigned(id.0)),
            ArgValue::Signed(value) => (1, Value::Signed(value)),
            ArgValue::Text(name) => (2, Value::Text(self.name(name))),
            ArgValue::Word(word) => (2, Value::Text(self.strings.word(word))),
        };
        let DefinitionTables { attributes, strings, .. } = self;
        let key = attributes.number(arg.key, kind, || strings.number(arg.key.name()));
        Attribute { key, value }
    }

    /// An entry of a list as an attribute of its own: an event has one value for each.
    pub(crate) fn item_into(&mut self, at: usize, item: &Item, attributes: &mut Vec<Attribute>) {
        match *item {
            Item::Iteration(number) => {
                attributes.push(self.entry(item.key(), at, 1, Value::Signed(number)));
            }
            Item::Dependence { kind, variable: Variable::Address(address) }
                if self.strings.count() >= MAX_STRINGS =>
            {
                let kind = Value::Text(self.strings.number(kind));
                attributes.push(self.entry(item.key(), at, 2, kind));
                attributes.push(self.entry(item.key(), at, 0, Value::Unsigned(address)));
            }
            _ => {
                let text = item.text(|name| self.strings.text(self.name(name)));
                let text = Value::Text(self.strings.number(&text));
                attributes.push(self.entry(item.key(), at, 2, text));
            }
        }
    }

    fn entry(&mut self, list: ArgKey, at: usize, kind: usize, value: Value) -> Attribute {
        let known = self.attributes.of_lists.get(&(list, at, kind)).copied();
        let key = known.unwrap_or_else(|| {
            let name = self.strings.number(&format!("{}[{at}]", list.name()));
            let key = self.attributes.define(name, u32::from(TYPES[kind]));
            self.attributes.of_lists.insert((list, at, kind), key);
            key
        });
        Attribute { key, value }
    }

    /// The attribute for the certainty of an event.
    pub(crate) fn certainty(&mut self, mark: Mark) -> Attribute {
        let word = match mark {
            Mark::Observed => "observed",
            Mark::Inferred => "inferred",
            Mark::Cut => "cut",
        };
        self.attribute(&Arg { key: ArgKey::Mark, value: ArgValue::Word(word) })
    }

    /// Adds the attribute for the certainty of an event, unless that was observed.
    #[inline]
    pub(crate) fn certainty_into(&mut self, mark: Mark, attributes: &mut Vec<Attribute>) {
        if mark != Mark::Observed {
            attributes.push(self.certainty(mark));
        }
    }
}
