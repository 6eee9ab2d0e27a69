//! Files of the working tree and of revisions, which are read from git's objects without a checkout.

use crate::revisions::Revision;
use crate::{repository, shell};
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::thread;

pub use crate::repository::File;

/// The sources and manifests of the working tree.
pub fn of_the_working_tree() -> Result<Vec<File>> {
    Ok(repository::all()?.into_iter().filter(|file| is_wanted(&file.name)).collect())
}

/// The sources of a revision.
pub fn of_revision(name: &str) -> Result<Vec<File>> {
    let commit = Revision::named(name)?.commit().to_owned();
    let mut tree = shell::command("git");
    tree.args(["ls-tree", "-r", "-z", "--full-tree", "--name-only", &commit]);
    let names = shell::output(&mut tree)?;
    let names: Vec<&str> = names.split('\0').filter(|name| is_wanted(name)).collect();
    let mut git = shell::command("git");
    git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut git = git.spawn().context("cannot start git")?;
    let stdin = git.stdin.take().context("git has no stdin")?;
    let stdout = git.stdout.take().context("git has no stdout")?;
    let files = thread::scope(|scope| {
        scope.spawn(|| ask(stdin, &commit, &names));
        let mut answers = BufReader::new(stdout);
        names.iter().map(|name| read(&mut answers, name)).collect::<Result<Vec<_>>>()
    })?;
    git.wait()?;
    Ok(files)
}

fn is_wanted(name: &str) -> bool {
    name.ends_with(".rs") || name.ends_with("Cargo.toml")
}

/// Names all files; where git ends early, its answers show it.
fn ask(mut git: impl Write, commit: &str, names: &[&str]) {
    for name in names {
        if writeln!(git, "{commit}:{name}").is_err() {
            return;
        }
    }
}

/// One answer: `OBJECT blob BYTES`, and the text with an end of line behind it.
fn read(answers: &mut impl BufRead, name: &str) -> Result<File> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, "blob", bytes] = words[..] else { bail!("git says of {name}: {line}") };
    let mut text = vec![0; bytes.parse::<usize>()? + 1];
    answers.read_exact(&mut text)?;
    text.pop();
    Ok(File { name: name.to_owned(), text: String::from_utf8_lossy(&text).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_one_after_the_other() {
        let mut answers = &b"1a blob 4\na\nb\n\n2b blob 0\n\n3c missing\n"[..];
        assert_eq!(read(&mut answers, "a.rs").expect("a blob").text, "a\nb\n");
        assert_eq!(read(&mut answers, "b.rs").expect("a blob").text, "");
        assert!(read(&mut answers, "c.rs").is_err());
    }
}
