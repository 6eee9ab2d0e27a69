//! The definitions of an archive, each called by a sum of what it says: their numbers are the writer's.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::references::{Part, parts};

/// A definition that refers to itself through this many others lies in a ring.
const DEEPEST: usize = 200;
const STRING: &str = "STRING";

type Key = (String, u64);

/// All definitions, and the numbers given to those that were referenced so far.
#[derive(Default)]
pub(super) struct Definitions {
    said: BTreeMap<Key, String>,
    /// Definitions without a number: kind and text.
    further: Vec<(String, String)>,
    sums: HashMap<Key, String>,
    /// Number of definitions with the same contents, by their hash.
    alike: HashMap<String, u64>,
    /// Numbers that distinguish definitions with the same contents, in the order in which they were first referenced.
    named: HashMap<Key, u64>,
    count: HashMap<String, u64>,
}

impl Definitions {
    pub(super) fn parse(listing: &str) -> Definitions {
        let mut all = Definitions::default();
        for line in
            listing.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        {
            let (kind, rest) = super::column(line);
            let (id, attributes) = super::column(rest);
            match id.parse() {
                _ if kind == "Definition" => {}
                Ok(id) => drop(all.said.insert((kind.to_owned(), id), attributes.to_owned())),
                Err(_) => all.further.push((kind.to_owned(), rest.to_owned())),
            }
        }
        let keys: Vec<Key> = all.said.keys().cloned().collect();
        for key in keys {
            let sum = all.sum(&key, 0);
            *all.alike.entry(sum).or_default() += 1;
        }
        all
    }

    /// One line for each definition but strings, with the hash of its contents, sorted.
    pub(super) fn lines(&mut self) -> Vec<String> {
        let said: Vec<(Key, String)> = self.said.clone().into_iter().collect();
        let mut lines = Vec::new();
        for (key, text) in said.iter().filter(|((kind, _), _)| kind != STRING) {
            let sum = self.sum(key, 0);
            lines.push(format!("{} {} {sum}", key.0, self.unnamed(&key.0, text, 0)));
        }
        for (kind, text) in self.further.clone() {
            lines.push(format!("{kind} {}", self.unnamed(&kind, &text, 0)));
        }
        lines.sort();
        lines
    }

    /// Name of a definition in events: its text's first name and the hash of its contents.
    pub(super) fn name(&mut self, kind: &str, id: u64) -> String {
        let key = (kind.to_owned(), id);
        let said = self.said.get(&key).map(|text| first_name(text).to_owned()).unwrap_or_default();
        format!("{said}{}", self.called(&key))
    }

    /// An event's text with each reference replaced by the definition's name and hash.
    pub(super) fn resolved(&mut self, line: &str, text: &str) -> String {
        let mut out = String::new();
        for part in parts(line, text) {
            match part {
                Part::Plain(plain) => out.push_str(plain),
                Part::Reference { kinds: [STRING], name, .. } => out.push_str(name),
                Part::Reference { kinds, id, name } => {
                    out.push_str(name);
                    let key = self.key(kinds, id);
                    out.push_str(&self.called(&key));
                }
            }
        }
        out
    }

    /// The hash of a definition's contents, with a number in order of first reference if others have the same contents.
    fn called(&mut self, key: &Key) -> String {
        let sum = self.sum(key, 0);
        if self.said.contains_key(key) && self.alike.get(&sum).is_none_or(|alike| *alike < 2) {
            return sum;
        }
        let count = self.count.entry(sum.clone()).or_default();
        let number = self.named.entry(key.clone()).or_insert_with(|| {
            *count += 1;
            *count
        });
        format!("{sum}.{number}")
    }

    fn key(&self, kinds: &[&str], id: u64) -> Key {
        let keys = kinds.iter().map(|kind| ((*kind).to_owned(), id));
        let first = (kinds.first().copied().unwrap_or_default().to_owned(), id);
        keys.into_iter().find(|key| self.said.contains_key(key)).unwrap_or(first)
    }

    fn sum(&mut self, key: &Key, depth: usize) -> String {
        if let Some(sum) = self.sums.get(key) {
            return sum.clone();
        }
        let text = match self.said.get(key).cloned() {
            Some(text) if depth < DEEPEST => self.unnamed(&key.0, &text, depth + 1),
            // Locks have no definitions.
            _ => String::new(),
        };
        let mut hasher = DefaultHasher::new();
        (&key.0, text).hash(&mut hasher);
        let sum = format!("#{:08x}", hasher.finish() as u32);
        self.sums.insert(key.clone(), sum.clone());
        sum
    }

    /// A definition's text: those it refers to by their sums alone, whatever was named before.
    fn unnamed(&mut self, line: &str, text: &str, depth: usize) -> String {
        let mut out = String::new();
        for part in parts(line, text) {
            match part {
                Part::Plain(plain) => out.push_str(plain),
                Part::Reference { kinds: [STRING], name, .. } => out.push_str(name),
                Part::Reference { kinds, id, name } => {
                    out.push_str(name);
                    let key = self.key(kinds, id);
                    out.push_str(&self.sum(&key, depth));
                }
            }
        }
        out
    }
}

/// `"heat"` of `Name: "heat" <3>, Type: CPU_THREAD`.
fn first_name(text: &str) -> &str {
    let name = text.strip_prefix("Name: ").unwrap_or(text);
    name.split(" <").next().unwrap_or(name)
}
