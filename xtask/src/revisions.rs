//! Commands and libraries of other revisions, as packages have them (`release`). They stay in `target/bench/revisions/COMMIT`,
//! so each commit is built once.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// One revision.
pub struct Revision {
    /// The name by which it was asked for.
    pub name: String,
    commit: String,
}

impl Revision {
    /// The revision that git knows by this name.
    pub fn named(name: &str) -> Result<Revision> {
        let commit = format!("{name}^{{commit}}");
        let mut git = shell::command("git");
        git.args(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
        let Ok(commit) = shell::output(&mut git) else { bail!("git knows no revision `{name}`") };
        Ok(Revision { name: name.to_owned(), commit: commit.trim().to_owned() })
    }

    /// Full id of the commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Path of the revision's command, which is built if it does not exist.
    pub fn command(&self) -> Result<PathBuf> {
        self.built("ompttrace-cli", "ompttrace")
    }

    /// Path of the revision's library for LLVM's runtime, which is built if it does not exist.
    pub fn library(&self) -> Result<PathBuf> {
        self.built("ompttrace-tool", "libompttrace.so")
    }

    /// Folder of the revision's built files.
    pub fn folder(&self) -> PathBuf {
        all().join(&self.commit)
    }

    fn built(&self, package: &str, file: &str) -> Result<PathBuf> {
        let kept = self.folder().join(file);
        if kept.is_file() {
            return Ok(kept);
        }
        fs::create_dir_all(self.folder()).with_context(|| format!("{}", kept.display()))?;
        let [sources, target] = ["sources", "build"].map(|name| all().join(name));
        self.take_out(&sources)?;
        let mut build = shell::cargo();
        build.args(["build", "--release", "--package", package]).current_dir(&sources);
        shell::run(build.env("CARGO_TARGET_DIR", &target))?;
        // Only whole files are kept.
        let copy = kept.with_extension("new");
        fs::copy(target.join("release").join(file), &copy)
            .and_then(|_| fs::rename(&copy, &kept))
            .with_context(|| format!("cannot keep {}", kept.display()))?;
        Ok(kept)
    }

    /// Puts its files into a folder, with the present time: cargo would take older files for those that it built last.
    fn take_out(&self, folder: &Path) -> Result<()> {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        }
        fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        let archive = folder.with_extension("tar");
        shell::run(
            shell::command("git").args(["archive", "--output"]).arg(&archive).arg(&self.commit),
        )?;
        shell::run(shell::command("tar").arg("-xmf").arg(&archive).arg("-C").arg(folder))?;
        fs::remove_file(&archive).with_context(|| format!("{}", archive.display()))
    }
}

fn all() -> PathBuf {
    shell::target_dir().join("bench/revisions")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_revisions_are_named() {
        let error = Revision::named("no-such-revision").err().expect("unknown");
        assert_eq!(error.to_string(), "git knows no revision `no-such-revision`");
        assert!(Revision::named("--all").is_err());
    }
}
