//! Names and source locations of everything, made once for each code address and then only looked up.
//!
//! Per event one look in a small direct-mapped table; texts are made and defined to the sink the first
//! time. Their number is bounded: a recording full of nonsense addresses falls back to plain words.

mod code_names;
mod frames;
mod kernel;
mod subject;
#[cfg(test)]
mod tests;
mod variables;
pub(crate) mod words;

use crate::code::{Code, Sites};
use crate::hash::{FastMap, mix};
use crate::moves::Moves;
pub(crate) use code_names::CodeNames;
use code_names::Spot;
pub(crate) use frames::Called;
pub(crate) use kernel::kernel;
use ompttrace_model::ompt::Mutex;
use ompttrace_model::{Definitions, NameRef, SourceLocation, SourceRef};
use ompttrace_symbols::Change;
use std::collections::HashMap;
use std::rc::Rc;
pub(crate) use subject::Subject;

/// Code addresses beyond these get plain names.
const MAX_SPOTS: usize = 1 << 17;
/// Texts beyond these are replaced by plain words.
const MAX_TEXTS: usize = 1 << 18;
/// Number of bytes of all texts beyond which further texts are replaced by plain words.
const MAX_TEXT_BYTES: usize = 1 << 26;
/// Entries of the direct-mapped table; a power of two.
const RECENT: usize = 1 << 10;

/// A name and a source location, as slices and instants have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameAndSource {
    pub name: NameRef,
    pub source: SourceRef,
}

/// All names reported so far.
pub(crate) struct Names<'a> {
    code_names: CodeNames,
    /// The meaning of code addresses at the current time.
    pub(crate) moves: Moves<'a>,
    /// The table of code sites, whose numbers ids carry.
    pub(crate) sites: Sites<'a>,
    texts: HashMap<Box<str>, NameRef>,
    text_bytes: usize,
    spots: FastMap<u64, (SourceRef, Spot)>,
    called: FastMap<u64, Rc<[Called]>>,
    lines: HashMap<SourceLocation, SourceRef>,
    variables: FastMap<u64, Option<NameRef>>,
    barriers: FastMap<u64, bool>,
    known: FastMap<u64, NameAndSource>,
    recent: Box<[(u64, NameAndSource); RECENT]>,
    tasks: Vec<Option<NameAndSource>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(code_names: CodeNames, changes: &'a [Change], sites: Sites<'a>) -> Names<'a> {
        Names {
            code_names,
            moves: Moves::new(changes),
            sites,
            texts: HashMap::new(),
            text_bytes: 0,
            spots: FastMap::default(),
            called: FastMap::default(),
            lines: HashMap::new(),
            variables: FastMap::default(),
            barriers: FastMap::default(),
            known: FastMap::default(),
            recent: Box::new([(u64::MAX, NameAndSource::default()); RECENT]),
            tasks: Vec::new(),
        }
    }

    /// The names of code addresses, for another timeline of the same recording.
    pub(crate) fn into_code_names(self) -> CodeNames {
        self.code_names
    }

    /// The name of `subject` at `code`.
    #[inline(always)]
    pub(crate) fn at(
        &mut self,
        definitions: &mut Definitions,
        subject: Subject,
        code: Code,
    ) -> NameAndSource {
        let key = key(subject, code);
        if let Some((known, named)) = self.recent.get(slot(key))
            && *known == key
        {
            return *named;
        }
        self.look_up(definitions, key, subject, code)
    }

    /// The source location of a code address.
    #[inline(always)]
    pub(crate) fn source_location(
        &mut self,
        definitions: &mut Definitions,
        code: Code,
    ) -> SourceRef {
        self.at(definitions, Subject::Location, code).source
    }

    /// A slow path of [`Names::at`], a few times per code address.
    #[cold]
    fn look_up(
        &mut self,
        definitions: &mut Definitions,
        key: u64,
        subject: Subject,
        code: Code,
    ) -> NameAndSource {
        let named = match self.known.get(&key) {
            Some(named) => *named,
            None => self.make(definitions, key, subject, code),
        };
        if let Some(recent) = self.recent.get_mut(slot(key)) {
            *recent = (key, named);
        }
        named
    }

    fn make(
        &mut self,
        definitions: &mut Definitions,
        key: u64,
        subject: Subject,
        code: Code,
    ) -> NameAndSource {
        let (source, spot) = self.spot(definitions, code);
        let name = if subject == Subject::Location {
            0
        } else {
            let text = subject.text(spot.as_ref());
            self.text(definitions, &text, || subject.text(None))
        };
        let named = NameAndSource { name, source };
        if self.known.len() < MAX_TEXTS {
            self.known.insert(key, named);
        }
        named
    }

    /// The source location of `code`, defined when it is new.
    fn spot(&mut self, definitions: &mut Definitions, code: Code) -> (SourceRef, Option<Spot>) {
        let key = spot_key(code);
        if let Some((source, spot)) = self.spots.get(&key) {
            return (*source, Some(spot.clone()));
        }
        if self.spots.len() >= MAX_SPOTS {
            return (0, None);
        }
        let Some(spot) = self.code_names.spot(code) else { return (0, None) };
        let source = definitions.add_source_location(spot.source.clone());
        self.spots.insert(key, (source, spot.clone()));
        (source, Some(spot))
    }

    /// A text's number; where there are too many texts already, that of `plain`.
    pub(crate) fn text(
        &mut self,
        definitions: &mut Definitions,
        text: &str,
        plain: impl FnOnce() -> String,
    ) -> NameRef {
        if let Some(name) = self.texts.get(text) {
            return *name;
        }
        if self.texts.len() >= MAX_TEXTS || self.text_bytes >= MAX_TEXT_BYTES {
            let plain = plain();
            return if plain == text {
                self.define(definitions, text)
            } else {
                self.word(definitions, &plain)
            };
        }
        self.define(definitions, text)
    }

    /// The number of a text that is one of a few.
    pub(crate) fn word(&mut self, definitions: &mut Definitions, word: &str) -> NameRef {
        match self.texts.get(word) {
            Some(name) => *name,
            None => self.define(definitions, word),
        }
    }

    fn define(&mut self, definitions: &mut Definitions, text: &str) -> NameRef {
        let name = definitions.add_string(text);
        self.texts.insert(text.into(), name);
        self.text_bytes += text.len();
        name
    }

    /// The name of an explicit task made at `site`.
    #[inline(always)]
    pub(crate) fn task(&mut self, definitions: &mut Definitions, site: usize) -> NameAndSource {
        match self.tasks.get(site) {
            Some(Some(named)) => *named,
            _ => self.make_task(definitions, site),
        }
    }

    #[cold]
    fn make_task(&mut self, definitions: &mut Definitions, site: usize) -> NameAndSource {
        let code = self.sites.get(site);
        let (source, spot) = self.spot(definitions, code);
        let text = joined("task", spot.and_then(|spot| spot.label).as_deref());
        let named = NameAndSource { name: self.text(definitions, &text, || "task".into()), source };
        if self.tasks.len() <= site {
            self.tasks.resize(site + 1, None);
        }
        if let Some(entry) = self.tasks.get_mut(site) {
            *entry = Some(named);
        }
        named
    }

    /// The variable that a mutex is, if it is one, and the address that stands for it now.
    pub(crate) fn mutex_variable(&mut self, kind: Mutex, wait_id: u64) -> (Option<String>, u64) {
        match kind {
            Mutex::Atomic | Mutex::Ordered => (None, wait_id),
            _ => self.code_names.variable(wait_id, &self.moves),
        }
    }

    /// Name of a mutex for users. It was first seen at `code`, or was initialised at `made_at`.
    pub(crate) fn mutex(
        &mut self,
        kind: Mutex,
        wait_id: u64,
        code: Code,
        made_at: Option<String>,
        variable: Option<String>,
    ) -> String {
        let word = kind.name();
        match kind {
            Mutex::Atomic | Mutex::Ordered => word.to_owned(),
            Mutex::Critical => {
                let named = variable.as_deref().and_then(code_names::critical_of_symbol);
                let name = named.map(str::to_owned).or_else(|| self.critical_of_source(code));
                joined(word, name.as_deref())
            }
            _ => {
                let address = format!("{wait_id:#x}");
                let made = made_at.map(|site| format!("{site} ({address})"));
                joined(word, Some(&variable.or(made).unwrap_or(address)))
            }
        }
    }

    /// A critical section's name from its source line, or its location.
    fn critical_of_source(&mut self, code: Code) -> Option<String> {
        let spot = self.code_names.spot(code)?;
        spot.critical.or(spot.location)
    }

    /// Returns true if the program has a barrier directive at a code address.
    pub(crate) fn is_barrier(&mut self, code: Code) -> bool {
        if let Some(known) = self.barriers.get(&code.address) {
            return *known;
        }
        let is_barrier = self.barriers.len() < MAX_SPOTS && self.code_names.is_barrier(code);
        if self.barriers.len() < MAX_SPOTS {
            self.barriers.insert(code.address, is_barrier);
        }
        is_barrier
    }

    /// Returns true if a code address lies inside a runtime.
    pub(crate) fn is_in_runtime(&mut self, code: Code) -> bool {
        match self.spots.get(&spot_key(code)) {
            Some((_, spot)) => spot.label.is_none(),
            None => self.code_names.spot(code).is_some_and(|spot| spot.label.is_none()),
        }
    }

    /// Returns true if a code address lies in a library that begins target regions.
    pub(crate) fn is_in_offload(&mut self, code: Code) -> bool {
        match self.spots.get(&spot_key(code)) {
            Some((_, spot)) => spot.is_offload,
            None => self.code_names.spot(code).is_some_and(|spot| spot.is_offload),
        }
    }

    /// `file.c:12` of a code address, for names that are made elsewhere.
    pub(crate) fn location(&mut self, code: Code) -> Option<String> {
        self.code_names.spot(code).and_then(|spot| spot.location)
    }
}

#[inline(always)]
fn slot(key: u64) -> usize {
    (mix(key) >> 20) as usize % RECENT
}

/// Address, subject and enumerator in one word: 48, 1, 5 and 10 bits.
#[inline(always)]
fn key(subject: Subject, code: Code) -> u64 {
    let (number, of) = subject.numbers();
    code.address << 16 | u64::from(code.function) << 15 | number << 10 | of
}

fn spot_key(code: Code) -> u64 {
    code.address << 1 | u64::from(code.function)
}

fn joined(word: &str, location: Option<&str>) -> String {
    location.map_or_else(|| word.to_owned(), |location| format!("{word} {location}"))
}
