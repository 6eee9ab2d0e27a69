//! Graph of the files of a crate and the files that they use, from the paths in them. A re-export (`pub use`) counts as a use
//! of the file that it comes from, and a declaration (`mod`) as none.

use super::paths::{self, NamedPath};
use crate::lines::File;
use std::collections::{BTreeMap, BTreeSet};

/// Files by the files that they use, all by name.
pub type Uses = BTreeMap<String, BTreeSet<String>>;

/// The uses within each crate, by the crate's folder.
pub fn by_crate(files: &[File]) -> BTreeMap<String, Uses> {
    let mut crates: BTreeMap<String, Modules> = BTreeMap::new();
    for (name, code) in crate::lines::code_of(files) {
        let Some((folder, path)) = name.rsplit_once("src/") else { continue };
        let Some(module) = module_of(path) else { continue };
        let modules = crates.entry(folder.trim_end_matches('/').to_owned()).or_default();
        // Of a program beside a library only the library has modules.
        if path != "main.rs" || !modules.0.contains_key(&module) {
            modules.0.insert(module, Module { file: name.clone(), paths: paths::of(&code) });
        }
    }
    crates.into_iter().map(|(folder, modules)| (folder, modules.uses())).collect()
}

/// The path of a file's module in its crate.
fn module_of(path: &str) -> Option<Vec<String>> {
    let path = path.strip_suffix(".rs")?;
    let mut module: Vec<String> = path.split('/').map(str::to_owned).collect();
    let is_root = matches!(path, "lib" | "main");
    if is_root || module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    Some(module)
}

/// A file and what it names.
struct Module {
    file: String,
    paths: Vec<NamedPath>,
}

/// The modules of a crate by their paths.
#[derive(Default)]
struct Modules(BTreeMap<Vec<String>, Module>);

/// `use` items that are followed at most from one to the next.
const STEPS: usize = 8;

impl Modules {
    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (own, module) in &self.0 {
            let used =
                module.paths.iter().filter_map(|path| self.owner(own, &path.segments, STEPS));
            let files = used.filter(|used| used != own).filter_map(|used| self.0.get(&used));
            uses.insert(module.file.clone(), files.map(|used| used.file.clone()).collect());
        }
        uses
    }

    /// The module in which a path of the module `own` ends; `None`: not in this crate.
    fn owner(&self, own: &[String], segments: &[String], steps: usize) -> Option<Vec<String>> {
        let (mut module, mut rest) = self.begin(own, segments, steps)?;
        while let [next, others @ ..] = rest.as_slice() {
            let below = [module.as_slice(), std::slice::from_ref(next)].concat();
            if !self.0.contains_key(&below) {
                break;
            }
            (module, rest) = (below, others.to_vec());
        }
        match rest.first().and_then(|name| self.imported(&module, name)) {
            Some(path) if steps > 0 => {
                let path = [path, rest.get(1..).unwrap_or_default()].concat();
                self.owner(&module, &path, steps - 1)
            }
            _ => self.0.contains_key(&module).then_some(module),
        }
    }

    /// The module at which a path begins, and the segments behind it.
    fn begin(
        &self,
        own: &[String],
        segments: &[String],
        steps: usize,
    ) -> Option<(Vec<String>, Vec<String>)> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => Some((Vec::new(), rest.to_vec())),
            "self" => Some((own.to_vec(), rest.to_vec())),
            "super" => {
                let supers = segments.iter().take_while(|one| *one == "super").count();
                let module = own.get(..own.len().checked_sub(supers)?)?;
                Some((module.to_vec(), segments[supers..].to_vec()))
            }
            _ if self.0.contains_key(&[own, std::slice::from_ref(first)].concat()) => {
                Some((own.to_vec(), segments.to_vec()))
            }
            _ => {
                let path = self.imported(own, first).filter(|path| path.first() != Some(first))?;
                let path = [path, rest].concat();
                if steps == 0 { None } else { self.begin(own, &path, steps - 1) }
            }
        }
    }

    /// The path by which a module has a name from elsewhere.
    fn imported(&self, module: &[String], name: &str) -> Option<&[String]> {
        let paths = &self.0.get(module)?.paths;
        // `pub(crate) use name;` passes on a macro of its own.
        let is_own = |path: &NamedPath| path.segments.len() == 1 && path.segments[0] == name;
        let mut named = paths.iter().filter(|path| path.name.as_deref() == Some(name));
        let named = named.find(|path| name != "*" && !is_own(path));
        named.map(|path| path.segments.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let file =
            |(name, text): &(&str, &str)| File { name: (*name).into(), text: (*text).into() };
        let files: Vec<File> = files.iter().map(file).collect();
        let all = by_crate(&files).remove("a").expect("a crate");
        let short = |name: String| name.trim_start_matches("a/src/").to_owned();
        let used = all.into_iter().filter(|(_, used)| !used.is_empty());
        used.map(|(file, used)| (short(file), used.into_iter().map(short).collect())).collect()
    }

    #[test]
    fn what_is_passed_on_is_a_use_of_where_it_comes_from() {
        let found = uses(&[
            ("a/src/lib.rs", "mod b;\nmod c;\npub use c::D;"),
            ("a/src/b.rs", "use crate::{D, c};\nfn e() { c::own::f(); }"),
            ("a/src/c/mod.rs", "mod own;\npub(crate) use own::D;"),
            (
                "a/src/c/own.rs",
                "pub(crate) fn f() { std::mem::drop(()) }\n#[cfg(test)]\nuse crate::b;",
            ),
        ]);
        let own = || "c/own.rs".to_owned();
        let wanted = [
            ("b.rs".to_owned(), vec!["c/mod.rs".to_owned(), own()]),
            ("c/mod.rs".to_owned(), vec![own()]),
            ("lib.rs".to_owned(), vec![own()]),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_macro_that_is_passed_on_is_its_modules_own() {
        let found = uses(&[
            ("a/src/b.rs", "macro_rules! d { () => { $crate::c::E } }\npub(crate) use d;"),
            ("a/src/c.rs", "use crate::b::d;\nd!();"),
        ]);
        let own = |file: &str| vec![file.to_owned()];
        assert_eq!(found, [("b.rs".to_owned(), own("c.rs")), ("c.rs".to_owned(), own("b.rs"))]);
    }

    #[test]
    fn the_module_above_is_used_by_super() {
        let found = uses(&[
            ("a/src/lib.rs", "mod b;"),
            ("a/src/b.rs", "mod c;\npub(crate) struct E;"),
            ("a/src/b/c.rs", "use super::E;\nfn d(_: super::super::X) {}"),
        ]);
        assert_eq!(found, [("b/c.rs".to_owned(), vec!["b.rs".to_owned(), "lib.rs".to_owned()])]);
    }
}
