//! Runtimes by name only: a library with the functions that make a file an OpenMP runtime, and a program that uses it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use tempfile::TempDir;

use crate::{build, process, terminal};

/// A library and its program, in one folder.
pub struct FakeRuntime {
    /// `libomp.so.5`.
    pub library: PathBuf,
    /// A program that names the library's folder as its own.
    pub program: PathBuf,
}

impl FakeRuntime {
    /// Builds both from a C file of the tests, the library with `-DRUNTIME`.
    pub fn build(source: &str, folder: &Path) -> Result<FakeRuntime> {
        let source = build::root().join(source);
        let (library, program) = (folder.join("libomp.so.5"), folder.join("program"));
        let mut gcc = Command::new("gcc");
        gcc.args(["-DRUNTIME", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5"]);
        build::run(gcc.arg(&source).arg("-o").arg(&library), "gcc")?;
        let mut gcc = Command::new("gcc");
        gcc.arg(&source).arg(&library).args(["-Wl,-rpath,$ORIGIN", "-o"]).arg(&program);
        build::run(&mut gcc, "gcc")?;
        Ok(FakeRuntime { library, program })
    }
}

/// A runtime that reports, when it is loaded, what the process can reach of the terminal and the files of whoever
/// started the command.
pub struct Spy {
    /// The runtime.
    pub runtime: FakeRuntime,
    folder: TempDir,
}

impl Spy {
    /// The first words of its line.
    pub const REPORT: &str = "reached: ";
    /// The line that the program prints if it reaches nothing.
    pub const NOTHING: &str = "reached: terminal 0, secret 0";

    /// Builds it.
    pub fn build() -> Result<Spy> {
        let folder = tempfile::tempdir()?;
        let runtime = FakeRuntime::build("tests/harness/fake_runtime/spy.c", folder.path())?;
        std::fs::write(folder.path().join("secret"), "secret")?;
        Ok(Spy { runtime, folder })
    }

    /// Everything that a command says which has a terminal and the secret file open; `None`: there are no terminals here.
    pub fn watch(&self, words: &[&str]) -> Result<Option<String>> {
        if !terminal::can_be_made()? {
            println!("no pseudo-terminals here: nothing to see");
            return Ok(None);
        }
        let words: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        let secret = self.folder.path().join("secret");
        let words = format!("exec {} 9< {}", words.join(" "), secret.display());
        let mut shell = terminal::shell(&words);
        process::without_settings(&mut shell);
        let run = shell.current_dir(self.folder.path()).stdin(Stdio::null()).output()?;
        ensure!(run.stderr.is_empty(), "{run:?}");
        Ok(Some(String::from_utf8_lossy(&run.stdout).into_owned()))
    }
}
