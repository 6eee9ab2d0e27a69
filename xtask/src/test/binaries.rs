//! The test binaries of the workspace, as cargo builds them.

use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A binary that runs tests.
#[derive(Debug, PartialEq)]
pub struct Binary {
    /// The target's name: of a crate, or of a file of tests.
    pub name: String,
    path: PathBuf,
    /// The folder of its package, in which cargo would run it.
    folder: PathBuf,
}

impl Binary {
    /// The binary in a line of output: the package's folder and the target.
    pub fn shown(&self) -> String {
        let folder = self.folder.strip_prefix(shell::root()).unwrap_or(&self.folder);
        format!("{} {}", folder.display(), self.name)
    }

    /// The command that runs its tests, where cargo would run it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }

    /// The binary that a message of cargo's is about; none, if it is about something else.
    fn of(message: &Value) -> Option<Binary> {
        let is_test = message.pointer("/profile/test")?.as_bool()?;
        let path = message["executable"].as_str().filter(|_| is_test)?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let name = message.pointer("/target/name")?.as_str()?.to_owned();
        Some(Binary { name, path: path.into(), folder: folder.into() })
    }
}

/// Builds all of them. Examples are compiled by clippy; those in documentation are not among them.
pub fn build() -> Result<Vec<Binary>> {
    let mut cargo = shell::cargo();
    cargo.args(["test", "--workspace", "--lib", "--bins", "--tests", "--no-run"]);
    cargo.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    let mut child = cargo.spawn().context("cannot start cargo test")?;
    let stdout = child.stdout.take().context("cargo test has no stdout")?;
    let mut binaries = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let message: Value = serde_json::from_str(&line?).context("cargo printed no JSON")?;
        binaries.extend(Binary::of(&message));
    }
    let status = child.wait()?;
    if !status.success() || binaries.is_empty() {
        bail!("cargo test --no-run ended with {status} and {} binaries", binaries.len());
    }
    Ok(binaries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_runs_tests_is_a_test_binary() {
        let message = |executable: Value, test| {
            json!({
                "executable": executable, "profile": { "test": test },
                "manifest_path": "/a/b/Cargo.toml", "target": { "name": "c" },
            })
        };
        let binary = Binary { name: "c".into(), path: "/d".into(), folder: "/a/b".into() };
        assert_eq!(Binary::of(&message(json!("/d"), true)), Some(binary));
        assert_eq!(Binary::of(&message(json!("/d"), false)), None);
        assert_eq!(Binary::of(&message(Value::Null, true)), None);
        assert_eq!(Binary::of(&json!({ "reason": "build-finished" })), None);
    }
}
