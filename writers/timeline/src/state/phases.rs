//! Phases of the program that are open on threads, and their names.

use crate::hash::FastMap;
use crate::names::kernel;
use ompttrace_model::{Definitions, NameRef, ThreadRef};
use ompttrace_recording::events::{Phase, PhaseName};
use ompttrace_recording::phases::{LONGEST_NAME, kind, number};

/// The name of a phase of which only its number is known.
const UNKNOWN: &str = "phase without a name";

/// Phases that are open, and names.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    /// Names by their numbers.
    names: FastMap<u64, String>,
    /// The name that each thread defines, as far as it has come.
    parts: FastMap<ThreadRef, Vec<u8>>,
    /// Open phases of each thread that has any, outermost first.
    open: FastMap<ThreadRef, Vec<OpenPhase>>,
    /// Names as definitions, by kind: those of phases by their numbers, those of iterations by the phase around them.
    defined: FastMap<(u64, u64), NameRef>,
}

/// An open phase.
#[derive(Clone, Copy, Debug)]
struct OpenPhase {
    depth: u64,
    kind: u64,
    what: u64,
}

impl Phases {
    /// Takes a part of a name.
    pub(crate) fn named(&mut self, t: ThreadRef, event: &PhaseName) {
        let text = self.parts.entry(t).or_default();
        if event.at == 0 {
            text.clear();
        }
        if event.at != text.len() as u64 || event.bytes > LONGEST_NAME as u64 {
            return;
        }
        text.extend(event.text());
        // What is left of a lost name has another hash.
        if text.len() as u64 == event.bytes && number(text) == event.name {
            let name = String::from_utf8_lossy(text).into_owned();
            self.names.insert(event.name, name);
        }
    }

    /// Number of phases of a thread that are closed when one begins at this depth, or ends there.
    pub(crate) fn above(&self, t: ThreadRef, depth: u64) -> usize {
        let open = self.open.get(&t).map_or(&[][..], Vec::as_slice);
        open.iter().rev().take_while(|phase| phase.depth >= depth).count()
    }

    /// True if a phase like this is open at its depth.
    pub(crate) fn is_open(&self, t: ThreadRef, event: &Phase) -> bool {
        let open = self.open.get(&t).and_then(|open| open.iter().find(|o| o.depth == event.depth));
        open.is_some_and(|open| (open.kind, open.what) == (event.kind, event.what))
    }

    /// A phase begins; returns its name, which `define` defines if it is new.
    pub(crate) fn begin(
        &mut self,
        t: ThreadRef,
        event: &Phase,
        to: &mut Definitions,
        define: impl FnOnce(&mut Definitions, &str) -> NameRef,
    ) -> NameRef {
        let open = self.open.entry(t).or_default();
        let is_iteration = event.kind == kind::ITERATION;
        let around = open.iter().rev().find(|phase| phase.kind == kind::PHASE);
        let named = if is_iteration { around.map_or(0, |phase| phase.what) } else { event.what };
        open.push(OpenPhase { depth: event.depth, kind: event.kind, what: event.what });
        *self.defined.entry((named, event.kind)).or_insert_with(|| {
            let name = self.names.get(&named).map_or(UNKNOWN, String::as_str);
            match event.kind {
                kind::ITERATION if named == 0 => define(to, "iteration"),
                kind::ITERATION => define(to, &format!("{name}, iteration")),
                kind::KOKKOS_KERNEL => define(to, &kernel(name)),
                _ => define(to, name),
            }
        })
    }

    /// The innermost phase of a thread ends; returns false if there is none.
    pub(crate) fn end(&mut self, t: ThreadRef) -> bool {
        self.open.get_mut(&t).and_then(Vec::pop).is_some()
    }

    /// Threads on which phases are open, with their numbers of those, in order.
    pub(crate) fn open_threads(&self) -> Vec<(ThreadRef, usize)> {
        let open = self.open.iter().filter(|(_, open)| !open.is_empty());
        let mut open: Vec<_> = open.map(|(t, open)| (*t, open.len())).collect();
        open.sort_unstable();
        open
    }
}
