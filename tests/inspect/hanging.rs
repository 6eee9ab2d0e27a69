//! A program that hangs, and looks at it.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{By, RECORD_ONLY, Scratch};
use serde_json::Value;

/// LLVM's OMPD library: Debian's, of libomp-19-dev.
pub const LIBRARY: &str = "/usr/lib/llvm-19/lib/libompd.so";

/// Time limit until the program hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Runtime of the program: built by clang for a runtime with OMPT, or by GCC for libgomp.
#[derive(Clone, Debug)]
pub enum On {
    Ompt(Runtime),
    Libgomp,
}

impl On {
    /// All runtimes whose events come from different sources.
    pub fn all() -> Result<Vec<On>> {
        let mut all = vec![On::Ompt(runtimes::libomp_19()?), On::Libgomp];
        if cfg!(target_arch = "x86_64") {
            all.push(On::Ompt(runtimes::by_name("intel-2026")?));
        }
        Ok(all)
    }

    fn command(&self, program: &Program, scratch: &Scratch) -> Result<Command> {
        let (mut command, by) = match self {
            On::Ompt(runtime) => (program.command(runtime)?, By::Runtime),
            On::Libgomp => (program.by_gcc().command_as_linked()?, By::Gomp),
        };
        scratch.attach(&mut command, by)?;
        command.envs([RECORD_ONLY]).current_dir(scratch.path());
        Ok(command)
    }
}

/// A traced program that runs; it is killed when this is dropped.
pub struct Running {
    pub child: Child,
    pub scratch: Scratch,
}

impl Running {
    pub fn start(program: &Program, on: &On, arguments: &[&str]) -> Result<Running> {
        let scratch = Scratch::new()?;
        let mut command = on.command(program, &scratch)?;
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Running { child: command.spawn()?, scratch })
    }

    /// Starts a copy of the program's file with this name in the run's folder; returns the copy's path as well.
    pub fn copied(
        program: &Program,
        on: &On,
        arguments: &[&str],
        name: &str,
    ) -> Result<(Running, PathBuf)> {
        let scratch = Scratch::new()?;
        let original = on.command(program, &scratch)?;
        let path = scratch.path().join(name);
        std::fs::copy(original.get_program(), &path)?;
        let mut command = Command::new(&path);
        process::without_settings(&mut command);
        command.envs(original.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.args(arguments).current_dir(scratch.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok((Running { child: command.spawn()?, scratch }, path))
    }

    /// `hangs.c` in one of its ways.
    pub fn hanging(on: &On, way: &str) -> Result<Running> {
        Running::start(&programs::of_test("tests/inspect/hangs.c")?, on, &[way])
    }

    /// Looks until it is as it is wanted: a machine with much to do takes its time to get there.
    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let started = Instant::now();
        loop {
            let seen = look(&[&self.child.id().to_string()])?;
            if let Some(snapshot) = json(&seen)?
                && wanted(&snapshot)
            {
                return Ok(snapshot);
            }
            ensure!(self.child.try_wait()?.is_none(), "the program is over: {seen:?}");
            ensure!(started.elapsed() < LIMIT, "{}", String::from_utf8_lossy(&seen.stdout));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Kills it; its run folder.
    pub fn kill(&mut self) -> Result<PathBuf> {
        self.child.kill()?;
        self.child.wait()?;
        self.scratch.only_run()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `ompttrace inspect --json` with these arguments.
pub fn look(arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    Ok(command.args(["inspect", "--json"]).args(arguments).output()?)
}

/// The snapshot of a look that succeeded; one that did not says in one line why.
pub fn json(look: &Output) -> Result<Option<Value>> {
    if look.status.success() {
        return Ok(Some(serde_json::from_slice(&look.stdout)?));
    }
    let words = String::from_utf8_lossy(&look.stderr);
    let is_clear = look.status.code() == Some(1) && words.starts_with("ompttrace: ");
    ensure!(is_clear && words.lines().count() == 1, "{look:?}");
    Ok(None)
}

/// The words of the findings of a kind.
pub fn findings(snapshot: &Value, kind: &str) -> Vec<String> {
    let all = snapshot["findings"].as_array().into_iter().flatten();
    let of_kind = all.filter(|finding| finding["kind"] == kind);
    of_kind.filter_map(|finding| finding["text"].as_str().map(str::to_owned)).collect()
}

/// `hangs.c:12`, the line whose code is followed by `HERE` and this.
pub fn location(comment: &str) -> Result<String> {
    let source = programs::of_test("tests/inspect/hangs.c")?.source;
    let text = std::fs::read_to_string(source)?;
    let comment = format!("// HERE {comment}");
    match text.lines().position(|line| line.ends_with(&comment)) {
        Some(at) => Ok(format!("hangs.c:{}", at + 1)),
        None => bail!("{comment} is nowhere"),
    }
}

/// The thread of a snapshot with this label.
pub fn thread<'s>(snapshot: &'s Value, label: &str) -> Result<&'s Value> {
    let mut threads = snapshot["threads"].as_array().into_iter().flatten();
    threads
        .find(|thread| thread["label"] == label)
        .with_context(|| format!("no {label}: {snapshot}"))
}
