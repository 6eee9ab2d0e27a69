//! The files of the repository: everything in the folder but what is built,
//! downloaded or traced.

use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// One file, its name relative to the top of the repository.
pub struct File {
    pub name: String,
    pub text: String,
}

/// Every file; what is not UTF-8 comes with replacement characters.
pub fn all() -> Result<Vec<File>> {
    let mut files = Vec::new();
    walk(&shell::root(), "", &mut files)?;
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

/// The names of all files.
pub fn names() -> Result<Vec<String>> {
    Ok(all()?.into_iter().map(|file| file.name).collect())
}

fn walk(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if kind.is_dir() && !skipped(&name) {
            walk(&entry.path(), &format!("{prefix}{name}/"), files)?;
        } else if kind.is_file() && name != ".git" {
            // In a work tree of git's that name is a file.
            let bytes = fs::read(entry.path())?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            files.push(File { name: format!("{prefix}{name}"), text });
        }
    }
    Ok(())
}

fn skipped(folder: &str) -> bool {
    matches!(folder, ".git" | "target" | "node_modules" | "build") || folder.ends_with(".ompttrace")
}

#[cfg(test)]
mod tests {
    use super::{all, skipped};

    #[test]
    fn finds_itself_and_leaves_out_what_is_built() {
        let files = all().expect("the repository can be read");
        assert!(files.iter().any(|file| file.name == "xtask/src/repository.rs"));
        assert!(
            skipped("target") && skipped("build") && skipped("a.1.ompttrace") && !skipped("src")
        );
    }
}
