//! Entries of the lists that some instants carry: dependences, iterations, mapped storage.

use crate::annotation::ArgKey;
use crate::definitions::NameRef;

/// One entry of an instant's list. A writer shows all of them, each under its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A dependence of a task.
    Dependence {
        /// The kind of dependence, in OpenMP's words.
        kind: &'static str,
        /// The variable on which the task depends.
        variable: Variable,
    },
    /// One number of an iteration: a doacross loop has as many as loops that it consists of.
    Iteration(i64),
    /// Storage that is mapped to a device.
    Mapped {
        /// The direction, in OpenMP's words.
        kind: &'static str,
        /// The storage on the host.
        variable: Variable,
        /// The address of the storage on the device.
        device_address: u64,
        /// The size of the storage.
        bytes: u64,
    },
}

/// A variable of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// One that has a symbol.
    Named(NameRef),
    /// One that has none, such as those on stack and heap.
    Address(u64),
}

impl Item {
    /// The name of the list in a trace.
    pub fn key(&self) -> ArgKey {
        match self {
            Item::Dependence { .. } => ArgKey::Dependences,
            Item::Iteration(_) => ArgKey::Iteration,
            Item::Mapped { .. } => ArgKey::Mapped,
        }
    }

    /// The entry in words: `in a`, `3`, `tofrom a, 80 bytes, at 0x10 of the device`.
    pub fn text<'n>(&self, name: impl FnOnce(NameRef) -> &'n str) -> String {
        let show = |variable| match variable {
            Variable::Named(variable) => name(variable).to_owned(),
            Variable::Address(address) => format!("{address:#x}"),
        };
        match *self {
            Item::Dependence { kind, variable } => format!("{kind} {}", show(variable)),
            Item::Iteration(number) => number.to_string(),
            Item::Mapped { kind, variable, device_address, bytes } => {
                let variable = show(variable);
                format!("{kind} {variable}, {bytes} bytes, at {device_address:#x} of the device")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_reported_in_words() {
        let named = Item::Dependence { kind: "inout", variable: Variable::Named(3) };
        assert_eq!(named.text(|_| "grid+0x8"), "inout grid+0x8");
        let unnamed = Item::Dependence { kind: "in", variable: Variable::Address(0x7f00) };
        assert_eq!(unnamed.text(|_| ""), "in 0x7f00");
        let (variable, kind) = (Variable::Address(0x10), "to");
        let mapped = Item::Mapped { kind, variable, device_address: 0x30, bytes: 8 };
        assert_eq!(mapped.text(|_| ""), "to 0x10, 8 bytes, at 0x30 of the device");
        assert_eq!(Item::Iteration(-3).text(|_| ""), "-3");
    }
}
