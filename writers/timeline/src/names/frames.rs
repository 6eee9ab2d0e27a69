//! The functions at a return address, as a call stack shows them.

use super::{MAX_SPOTS, NameAndSource, Names};
use crate::code::Code;
use ompttrace_model::{Definitions, SourceLocation, SourceRef};
use std::rc::Rc;

/// A function of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Called {
    /// The user's function, and the call site in it of the next one.
    pub named: NameAndSource,
    /// Text of the function's name.
    pub function: Rc<str>,
    /// `solve.c:80`.
    pub location: Rc<str>,
    /// True if the function is the outlined part of a construct, which the construct's own frame represents.
    pub outlined: bool,
    /// True if the function belongs to a runtime or to the C library.
    pub libc_or_runtime: bool,
    /// True if the function belongs to a runtime, to its library of target regions or to this tool.
    pub runtime: bool,
    /// True if `function` is the name of a function; false if it is only an offset in a file without symbols.
    pub is_named: bool,
}

impl Names<'_> {
    /// The functions at a return address, outermost first: the real one, then those that were inlined
    /// into it. Empty for an address of which nothing is known.
    pub(crate) fn called(&mut self, definitions: &mut Definitions, code: Code) -> Rc<[Called]> {
        if let Some(known) = self.called.get(&code.address) {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        if self.called.len() < MAX_SPOTS {
            for frame in self.code_names.frames(code) {
                let is_named = frame.source.function.is_some();
                let source = self.line(definitions, frame.source);
                let name = self.text(definitions, &frame.function, || "function".into());
                found.push(Called {
                    named: NameAndSource { name, source },
                    function: frame.function.into(),
                    location: frame.location.into(),
                    outlined: frame.outlined,
                    libc_or_runtime: frame.libc_or_runtime,
                    runtime: frame.runtime,
                    is_named,
                });
            }
        }
        let found: Rc<[Called]> = found.into();
        self.called.insert(code.address, Rc::clone(&found));
        found
    }
    /// A line from which something is called: one call site, for all its addresses. A compiler
    /// that unrolls a loop makes several of what the program calls once.
    fn line(&mut self, definitions: &mut Definitions, called: SourceLocation) -> SourceRef {
        let line = SourceLocation { column: None, ..called };
        if let Some(known) = self.lines.get(&line) {
            return *known;
        }
        let location = definitions.add_source_location(line.clone());
        self.lines.insert(line, location);
        location
    }
}
