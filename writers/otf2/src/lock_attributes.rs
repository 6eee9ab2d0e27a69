//! Attributes of waits for mutexes: all waits for one have the same, so they are looked up once.

use ompttrace_model::{Arg, NameRef};

use crate::op::Attribute;

/// Mutexes whose attributes are kept; a power of two.
const KEPT: usize = 16;

/// The attributes of a few mutexes, by the names of their waits.
#[derive(Debug, Default)]
pub(crate) struct LockAttributes {
    last: [Known; KEPT],
}

#[derive(Debug, Default)]
struct Known {
    args: Vec<Arg>,
    attributes: Vec<Attribute>,
}

impl LockAttributes {
    /// The attributes for the arguments of a wait of this name, if these were the last ones.
    #[inline]
    pub(crate) fn of(&self, wait: NameRef, args: &[Arg]) -> Option<&[Attribute]> {
        let known = &self.last[wait as usize % KEPT];
        (known.args == args).then_some(&known.attributes[..])
    }

    /// Keeps the attributes for such arguments.
    pub(crate) fn keep(&mut self, wait: NameRef, args: &[Arg], attributes: &[Attribute]) {
        let known = &mut self.last[wait as usize % KEPT];
        known.args.clear();
        known.args.extend_from_slice(args);
        known.attributes.clear();
        known.attributes.extend_from_slice(attributes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Value;
    use ompttrace_model::{ArgKey, ArgValue};

    #[test]
    fn waits_get_the_attributes_of_their_own_arguments() {
        let arg = |address| Arg { key: ArgKey::WaitId, value: ArgValue::Address(address) };
        let attribute = |address| Attribute { key: 1, value: Value::Unsigned(address) };
        let mut known = LockAttributes::default();
        assert_eq!(known.of(0, &[]), Some(&[][..]), "no arguments, no attributes");
        assert_eq!(known.of(3, &[arg(5)]), None);
        known.keep(3, &[arg(5)], &[attribute(5)]);
        assert_eq!(known.of(3, &[arg(5)]), Some(&[attribute(5)][..]));
        assert_eq!((known.of(3, &[arg(6)]), known.of(4, &[arg(5)])), (None, None));
        known.keep(3 + KEPT as NameRef, &[arg(6)], &[attribute(6)]);
        assert_eq!(known.of(3, &[arg(5)]), None, "others have its place");
    }
}
