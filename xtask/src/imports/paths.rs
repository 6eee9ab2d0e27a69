//! Paths that a source names: each leaf of its `use` items, and paths in its code. The source comes without comments, quotes
//! and tests.

/// A path by its segments, and the name that it has in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPath {
    pub segments: Vec<String>,
    /// Name that a `use` item gives the path; None for a path in the code.
    pub name: Option<String>,
}

/// Every path of a source, in order. Within a module in the source's own braces `super` is the source itself.
pub fn of(code: &str) -> Vec<NamedPath> {
    let words = words(code);
    let mut paths = Vec::new();
    let mut braces = Braces::default();
    let mut at = 0;
    while at < words.len() {
        let before = paths.len();
        if words[at] == "use" {
            at = tree(&words, at + 1, &[], &mut paths);
        } else if is_name(&words[at]) {
            let (segments, end) = path(&words, at);
            if segments.len() > 1 && !is_behind_a_path(&words, at) {
                paths.push(NamedPath { segments, name: None });
            }
            braces.is_module |= words[at] == "mod";
            at = end;
        } else {
            braces.see(&words[at]);
            at += 1;
        }
        paths[before..].iter_mut().for_each(|path| braces.without_supers(path));
    }
    paths
}

/// The braces around a position, and which of them are modules'.
#[derive(Default)]
struct Braces {
    open: Vec<bool>,
    /// The next brace is a module's.
    is_module: bool,
}

impl Braces {
    fn see(&mut self, word: &str) {
        match word {
            "{" => self.open.push(std::mem::take(&mut self.is_module)),
            "}" => drop(self.open.pop()),
            ";" => self.is_module = false,
            _ => {}
        }
    }

    /// Takes a `super` away for each module that is in braces.
    fn without_supers(&self, path: &mut NamedPath) {
        let modules = self.open.iter().filter(|is_module| **is_module).count();
        let supers = path.segments.iter().take_while(|one| *one == "super").count();
        if supers > 0 && supers <= modules {
            path.segments.splice(..supers, ["self".to_owned()]);
        } else {
            path.segments.drain(..modules.min(supers));
        }
    }
}

/// Names, `::`, and what else there is one by one.
fn words(code: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_in_a_name = false;
    for one in code.chars() {
        let is_of_a_name = one.is_alphanumeric() || one == '_';
        match words.last_mut() {
            Some(last) if is_in_a_name && is_of_a_name => last.push(one),
            Some(last) if one == ':' && last == ":" => last.push(one),
            _ if one.is_whitespace() => {}
            _ => words.push(one.to_string()),
        }
        is_in_a_name = is_of_a_name;
    }
    words
}

fn is_name(word: &str) -> bool {
    word.starts_with(|one: char| one.is_alphabetic() || one == '_')
}

/// True behind `::`, where no path begins, and behind `.`, where a method is named.
fn is_behind_a_path(words: &[String], at: usize) -> bool {
    at > 0 && matches!(words[at - 1].as_str(), "::" | ".")
}

/// The segments of a path, and the position behind it.
fn path(words: &[String], from: usize) -> (Vec<String>, usize) {
    let mut segments = vec![words[from].clone()];
    let mut at = from + 1;
    while words.get(at).is_some_and(|word| word == "::")
        && words.get(at + 1).is_some_and(|word| is_name(word))
    {
        segments.push(words[at + 1].clone());
        at += 2;
    }
    (segments, at)
}

/// The leaves of a `use` tree behind `before`; returns the position behind it.
fn tree(words: &[String], from: usize, before: &[String], paths: &mut Vec<NamedPath>) -> usize {
    let mut segments = before.to_vec();
    let mut at = from;
    while at < words.len() {
        match words[at].as_str() {
            "::" => at += 1,
            "{" => return branches(words, at + 1, &segments, paths),
            "as" => {
                push(&segments, words.get(at + 1), paths);
                return at + 2;
            }
            word if is_name(word) || word == "*" => {
                segments.push(word.to_owned());
                at += 1;
            }
            _ => break,
        }
    }
    push(&segments, segments.last(), paths);
    at
}

fn branches(words: &[String], from: usize, before: &[String], paths: &mut Vec<NamedPath>) -> usize {
    let mut at = from;
    while at < words.len() && words[at] != "}" {
        at = if words[at] == "," { at + 1 } else { tree(words, at, before, paths) };
    }
    at + 1
}

/// `a::{self}` names `a`.
fn push(segments: &[String], name: Option<&String>, paths: &mut Vec<NamedPath>) {
    let mut segments = segments.to_vec();
    let mut name = name.cloned();
    if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
        segments.pop();
        name = name.filter(|name| name != "self").or_else(|| segments.last().cloned());
    }
    paths.push(NamedPath { segments, name });
}

#[cfg(test)]
mod tests {
    use super::of;

    fn shown(code: &str) -> Vec<String> {
        let shown = |path: super::NamedPath| match path.name {
            Some(name) => format!("{}={}", name, path.segments.join("::")),
            None => path.segments.join("::"),
        };
        of(code).into_iter().map(shown).collect()
    }

    #[test]
    fn each_leaf_of_a_tree_is_a_path() {
        let leaves = shown("use crate::a::{self, b::{C, D as E}, f};\npub(crate) use super::g::*;");
        let wanted = ["a=crate::a", "C=crate::a::b::C", "E=crate::a::b::D", "f=crate::a::f"];
        assert_eq!(leaves[..4], wanted);
        assert_eq!(leaves[4..], ["*=super::g::*"]);
    }

    #[test]
    fn a_module_in_braces_is_below_its_file() {
        let code = "mod a { use super::b::C; mod d { use super::super::super::E; } }\nmod f;\nuse super::G;";
        assert_eq!(shown(code), ["C=self::b::C", "E=super::E", "G=super::G"]);
    }

    #[test]
    fn paths_in_the_code_are_found() {
        let code = "fn a() -> crate::b::C { d::e::<F>(g.h, $crate::i::j!()); K::L }";
        assert_eq!(shown(code), ["crate::b::C", "d::e", "crate::i::j", "K::L"]);
    }
}
