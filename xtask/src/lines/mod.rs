//! `cargo xtask lines [REVISION...]`: lines of Rust code by crate, of the working tree and of revisions. Tests, examples,
//! comments, blank lines and generated files are left out.

mod code;
mod sources;
mod tests_left_out;

use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};

pub use sources::{File, of_revision, of_the_working_tree};
pub use tests_left_out::code as code_of;

/// Lines of code by the crate's folder.
type Sums = BTreeMap<String, usize>;

const ALL: &str = "all";

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    if let Some(option) = arguments.iter().find(|word| word.starts_with('-')) {
        bail!("`{option}`: lines takes names of revisions only");
    }
    let mut columns = vec![("here", sums(&of_the_working_tree()?))];
    for revision in arguments {
        columns.push((revision, sums(&of_revision(revision)?)));
    }
    print!("{}", table(&columns));
    Ok(())
}

/// Counts the lines of all sources, by crate.
fn sums(files: &[File]) -> Sums {
    let crates: Vec<&str> =
        files.iter().filter_map(|file| file.name.strip_suffix("/Cargo.toml")).collect();
    let mut sums = Sums::new();
    for (name, code) in code_of(files) {
        let owners = crates
            .iter()
            .filter(|folder| name.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/')));
        let owner = owners.max_by_key(|folder| folder.len()).copied().unwrap_or(".");
        *sums.entry(owner.to_owned()).or_default() += code::lines(&code);
    }
    sums.insert(ALL.to_owned(), sums.values().sum());
    sums
}

/// The crates below each other, and what all of them have last.
fn table(columns: &[(&str, Sums)]) -> String {
    let names = columns.iter().flat_map(|(_, sums)| sums.keys()).filter(|name| *name != ALL);
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    let mut text = format!("{:<28}", "crate");
    let width = |name: &str| name.len().max(8) + 2;
    columns.iter().for_each(|(name, _)| text += &format!("{name:>0$}", width(name)));
    for crate_folder in names.into_iter().chain([ALL]) {
        text += &format!("\n{crate_folder:<28}");
        for (name, sums) in columns {
            let lines = sums.get(crate_folder).copied().unwrap_or(0);
            text += &format!("{lines:>0$}", width(name));
        }
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_count_for_the_crate_around_them() {
        let file = |name: &str, text: &str| File { name: name.into(), text: text.into() };
        let files = [
            file("a/Cargo.toml", ""),
            file("a/b/Cargo.toml", ""),
            file("a/src/lib.rs", "fn one() {}\n\n// none\n"),
            file("a/b/src/lib.rs", "fn one() {}\nfn two() {}\n"),
            file("a/tests/all.rs", "fn test() {}\n"),
        ];
        let sums = sums(&files);
        let wanted = [("a", 1), ("a/b", 2), (ALL, 3)];
        assert_eq!(sums, wanted.map(|(name, lines)| (name.to_owned(), lines)).into());
        let text = table(&[("here", sums)]);
        assert!(text.ends_with("all                                  3\n"), "{text}");
    }
}
