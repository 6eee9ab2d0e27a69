//! Checks that take a minute and whose verdict depends on files alone: what has passed is kept in `xtask/checked.txt`, and a
//! check whose files are the same has the same verdict. `cargo xtask test --all` runs them anyway.

use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A check, by the name that its line in `xtask/checked.txt` begins with.
pub struct Check<'c> {
    /// Name of the check, without spaces.
    pub name: &'c str,
    /// The files on which its verdict depends: absolute, or relative to the top of the repository.
    pub files: Vec<PathBuf>,
}

impl Check<'_> {
    /// Runs the check unless it has passed with these files; where it passes, that is kept.
    ///
    /// # Errors
    /// The check's own, and a file that cannot be read.
    pub fn pass(&self, always: bool, run: impl FnOnce() -> Result<()>) -> Result<()> {
        let kept = shell::root().join("xtask/checked.txt");
        let text = fs::read_to_string(&kept).unwrap_or_default();
        let sum = self.sum()?;
        if !always && sum_of(&text, self.name) == Some(&sum) {
            println!("{}: these files have passed (xtask/checked.txt)", self.name);
            return Ok(());
        }
        run()?;
        let changed = with(&text, self.name, &sum);
        if changed != text {
            println!("{}: passed; commit xtask/checked.txt, which has that now", self.name);
            fs::write(&kept, changed).with_context(|| format!("{}", kept.display()))?;
        }
        Ok(())
    }

    /// A checksum of all names and contents.
    fn sum(&self) -> Result<String> {
        let mut files = self.files.clone();
        files.sort();
        let mut all = shell::command("sha256sum");
        let list = shell::output(all.arg("--").args(&files))?;
        let folder = shell::target_dir().join("checked");
        fs::create_dir_all(&folder)?;
        let file = folder.join(self.name);
        fs::write(&file, list)?;
        let sum = shell::output(Command::new("sha256sum").arg(&file))?;
        let sum = sum.split(' ').next().context("sha256sum printed nothing")?;
        Ok(sum.to_owned())
    }
}

/// The files of a folder, not of those below it.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| path.is_file()).collect())
}

fn sum_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
}

/// The text with this sum.
fn with(text: &str, name: &str, sum: &str) -> String {
    let others = text.lines().filter(|line| line.split(' ').next() != Some(name));
    let mut lines: Vec<_> = others.map(str::to_owned).chain([format!("{name} {sum}")]).collect();
    lines.sort();
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn a_sum_replaces_the_one_of_the_same_name() {
        let text = with(&with("", "b", "1"), "a", "2");
        assert_eq!(text, "a 2\nb 1\n");
        assert_eq!(with(&text, "b", "3"), "a 2\nb 3\n");
        assert_eq!((sum_of(&text, "b"), sum_of(&text, "c")), (Some("1"), None));
    }

    #[test]
    fn a_file_that_changed_is_checked_again_and_a_failure_is_not_kept() {
        let folder = shell::target_dir().join("tests-of-checked");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("file");
        fs::write(&file, "one").unwrap();
        let check = Check { name: "never-kept", files: vec![file.clone()] };
        let first = check.sum().unwrap();
        fs::write(&file, "two").unwrap();
        assert_ne!(check.sum().unwrap(), first);
        assert!(check.pass(false, || bail!("it fails")).is_err());
        assert!(check.pass(false, || bail!("and again")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
