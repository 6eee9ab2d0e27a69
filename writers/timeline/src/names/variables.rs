//! Names of variables: of those that have a symbol, looked up once for each address.

use super::Names;
use ompttrace_model::{Definitions, NameRef, Variable};

/// Addresses that are looked up: a program may have dependences on any number of them, and those on its
/// heap have no symbol.
const MAX_VARIABLES: usize = 1 << 16;

impl Names<'_> {
    /// The variable at a data address.
    pub(crate) fn variable(&mut self, definitions: &mut Definitions, address: u64) -> Variable {
        let known = match self.variables.get(&address) {
            // What is at an address changes with the modules that are mapped there.
            _ if self.moves.are_there() => self.symbol_of(definitions, address),
            Some(known) => *known,
            None if self.variables.len() >= MAX_VARIABLES => None,
            None => {
                let name = self.symbol_of(definitions, address);
                self.variables.insert(address, name);
                name
            }
        };
        known.map_or(Variable::Address(address), Variable::Named)
    }

    fn symbol_of(&mut self, definitions: &mut Definitions, address: u64) -> Option<NameRef> {
        let (symbol, _) = self.code_names.variable(address, &self.moves);
        symbol.map(|symbol| self.text(definitions, &symbol, || "variable".into()))
    }
}
