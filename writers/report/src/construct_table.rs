//! Table of constructs, which are identified by region, class, name and location. Its memory grows with the number of
//! different ones.

use crate::model::{Class, Site};
use ompttrace_model::{Definitions, NameRef, SourceLocation, SourceRef};
use rustc_hash::FxHashMap;

/// A construct's position.
pub(crate) type ConstructRef = u32;

/// Position for all time outside of constructs, and for constructs beyond the limit.
pub(crate) const OUTSIDE: ConstructRef = 0;

/// Constructs that are found without the table of all: mostly it is one of a few.
const RECENT: usize = 32;

/// Constructs that are distinguished.
const MAX_CONSTRUCTS: usize = 1 << 15;

/// By what a construct is found again: several of one class may have one location, as teams and parallel of a combined
/// directive have. The name is the first that means the same: `single` has another name on threads that leave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    region: ConstructRef,
    class: Class,
    name: NameRef,
    source: SourceRef,
}

/// Definition of a construct: all that is known of it but its numbers.
#[derive(Clone, Debug)]
pub(crate) struct ConstructDefinition {
    pub class: Class,
    pub region: ConstructRef,
    pub name: String,
    pub source: SourceRef,
    /// The regions on either side of a serial section.
    pub between: Option<(ConstructRef, ConstructRef)>,
}

/// Names, locations and constructs.
#[derive(Debug)]
pub(crate) struct ConstructTable {
    names: Vec<String>,
    /// For each name the first one that means the same construct; and first names by their text.
    same_names: Vec<NameRef>,
    first_names: FxHashMap<String, NameRef>,
    /// For each text, true if it is the flags of a created task that runs no code of the program.
    of_no_task: Vec<bool>,
    locations: Vec<SourceLocation>,
    /// For each location the first one with the same line: code addresses differ, lines do not.
    same: Vec<SourceRef>,
    first: FxHashMap<(Option<String>, Option<String>, u32, bool), SourceRef>,
    constructs: Vec<ConstructDefinition>,
    index: FxHashMap<Key, ConstructRef>,
    /// Constructs that were asked for last, with what was asked for, by a few bits of that.
    recent: [Option<(Key, ConstructRef)>; RECENT],
}

impl ConstructTable {
    pub(crate) fn new() -> ConstructTable {
        let outside = ConstructDefinition {
            class: Class::Outside,
            region: OUTSIDE,
            name: "outside of all constructs".into(),
            source: 0,
            between: None,
        };
        ConstructTable {
            names: Vec::new(),
            same_names: Vec::new(),
            first_names: FxHashMap::default(),
            of_no_task: Vec::new(),
            locations: vec![SourceLocation::default()],
            same: vec![0],
            first: FxHashMap::default(),
            constructs: vec![outside],
            index: FxHashMap::default(),
            recent: [None; RECENT],
        }
    }

    /// Adds the definitions since the last call.
    pub(crate) fn define(&mut self, definitions: &Definitions) {
        let known = self.names.len();
        for text in definitions.strings().iter().skip(known) {
            let name = self.names.len() as NameRef;
            self.names.push(text.to_string());
            self.same_names.push(*self.first_names.entry(name_of(text)).or_insert(name));
            let is_such = |flag| matches!(flag, "taskwait" | "implicit" | "initial");
            self.of_no_task.push(text.split(", ").any(is_such));
        }
        for location in definitions.source_locations().iter().skip(self.locations.len() - 1) {
            self.add_location(location);
        }
    }

    fn add_location(&mut self, location: &SourceLocation) {
        let source = self.locations.len() as SourceRef;
        let same = match location.line {
            Some(line) => {
                let (function, file) = (location.function.clone(), location.file.clone());
                *self.first.entry((function, file, line, location.is_near)).or_insert(source)
            }
            None => source,
        };
        self.locations.push(location.clone());
        self.same.push(same);
    }

    /// A text.
    pub(crate) fn text(&self, name: NameRef) -> &str {
        self.names.get(name as usize).map_or("", String::as_str)
    }

    /// True if these flags of a task mean that it runs no code of the program.
    pub(crate) fn is_of_no_task(&self, flags: NameRef) -> bool {
        self.of_no_task.get(flags as usize).copied().unwrap_or(false)
    }

    /// The first location that says the same as this one.
    pub(crate) fn same(&self, source: SourceRef) -> SourceRef {
        self.same.get(source as usize).copied().unwrap_or(0)
    }

    /// Source location for a report.
    pub(crate) fn site(&self, source: SourceRef) -> Site {
        self.locations.get(source as usize).map(Site::of).unwrap_or_default()
    }

    /// The construct of a class in a region, identified by its name and location.
    #[inline]
    pub(crate) fn construct(
        &mut self,
        region: ConstructRef,
        class: Class,
        name: NameRef,
        source: SourceRef,
    ) -> ConstructRef {
        let key = Key { region, class, name, source };
        let slot = (name ^ source.wrapping_mul(5) ^ region.wrapping_mul(11)) as usize % RECENT;
        match &self.recent[slot] {
            Some((recent, construct)) if *recent == key => *construct,
            _ => {
                let construct = self.find(key);
                self.recent[slot] = Some((key, construct));
                construct
            }
        }
    }

    /// As [`ConstructTable::construct`], of one that was not asked for just before.
    #[inline(never)]
    fn find(&mut self, Key { region, class, name, source }: Key) -> ConstructRef {
        let source = self.same(source);
        let name = self.same_names.get(name as usize).copied().unwrap_or(name);
        let key = Key { region, class, name, source };
        if let Some(found) = self.index.get(&key) {
            return *found;
        }
        let name = name_of(self.text(name));
        self.add(key, ConstructDefinition { class, region, name, source, between: None })
    }

    /// A parallel region, which is the same whatever region it is in.
    pub(crate) fn region(&mut self, name: NameRef, source: SourceRef) -> ConstructRef {
        self.construct(OUTSIDE, Class::Region, name, source)
    }

    /// The serial section between two regions; [`OUTSIDE`] is the begin or the end of the program.
    pub(crate) fn serial_section(&mut self, from: ConstructRef, to: ConstructRef) -> ConstructRef {
        let key = Key { region: from, class: Class::Serial, name: to, source: 0 };
        if let Some(found) = self.index.get(&key) {
            return *found;
        }
        let end = |construct, other: &str| match construct {
            OUTSIDE => other.to_owned(),
            construct => self.name(construct).to_owned(),
        };
        let name = format!("serial, {} to {}", end(from, "begin"), end(to, "end"));
        let between = Some((from, to));
        let class = Class::Serial;
        self.add(key, ConstructDefinition { class, region: OUTSIDE, name, source: 0, between })
    }

    fn add(&mut self, key: Key, named: ConstructDefinition) -> ConstructRef {
        if self.constructs.len() >= MAX_CONSTRUCTS {
            return OUTSIDE;
        }
        let construct = self.constructs.len() as ConstructRef;
        self.constructs.push(named);
        self.index.insert(key, construct);
        construct
    }

    /// Definition of a construct.
    pub(crate) fn get(&self, construct: ConstructRef) -> Option<&ConstructDefinition> {
        self.constructs.get(construct as usize)
    }

    fn name(&self, construct: ConstructRef) -> &str {
        self.get(construct).map_or("", |named| named.name.as_str())
    }

    /// All constructs.
    pub(crate) fn constructs(&self) -> &[ConstructDefinition] {
        &self.constructs
    }
}

/// The name of a construct, by that of a slice or instant of it.
fn name_of(text: &str) -> String {
    let name = text.replace(" (other thread)", "");
    match name.split_once("create task") {
        Some((location, task)) => format!("{location}task{task}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(line: u32) -> SourceLocation {
        let (file, line) = (Some("/a/b.c".into()), Some(line));
        SourceLocation { file, line, ..SourceLocation::default() }
    }

    #[test]
    fn the_same_line_at_two_addresses_is_one_construct() {
        let (mut construct_table, mut definitions) =
            (ConstructTable::new(), Definitions::default());
        definitions.add_string("single b.c:7");
        definitions.add_string("single (other thread) b.c:7");
        for line in [7, 7, 8] {
            definitions.add_source_location(location(line));
        }
        construct_table.define(&definitions);
        let first = construct_table.construct(OUTSIDE, Class::Work, 1, 1);
        assert_eq!(construct_table.construct(OUTSIDE, Class::Work, 0, 2), first);
        assert_ne!(construct_table.construct(OUTSIDE, Class::Work, 0, 3), first);
        assert_ne!(construct_table.construct(first, Class::Work, 0, 2), first, "in another region");
        assert_eq!(
            construct_table.get(first).map(|named| named.name.as_str()),
            Some("single b.c:7")
        );
    }

    #[test]
    fn combined_directives_of_one_line_are_distinguished() {
        let (mut construct_table, mut definitions) =
            (ConstructTable::new(), Definitions::default());
        for name in
            ["teams b.c:7 (main)", "parallel b.c:7 (main)", "create task b.c:7", "task b.c:7"]
        {
            definitions.add_string(name);
        }
        definitions.add_source_location(location(7));
        construct_table.define(&definitions);
        assert_ne!(construct_table.region(0, 1), construct_table.region(1, 1));
        let created = construct_table.construct(OUTSIDE, Class::Task, 2, 1);
        assert_eq!(construct_table.construct(OUTSIDE, Class::Task, 3, 1), created);
    }

    #[test]
    fn constructs_without_a_location_are_distinguished_by_name() {
        let (mut construct_table, mut definitions) =
            (ConstructTable::new(), Definitions::default());
        definitions.add_string("for");
        definitions.add_string("sections");
        construct_table.define(&definitions);
        let one = construct_table.construct(OUTSIDE, Class::Work, 0, 0);
        assert_ne!(construct_table.construct(OUTSIDE, Class::Work, 1, 0), one);
    }
}
