//! One run of a load under a contender: environment, time, what it left.

use super::contender::{Contender, settings};
use super::loads::Load;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Command under which a program runs to have its instructions counted.
pub const VALGRIND: [&str; 3] = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];

/// Folders and settings of the runs of a bench: the built loads, the tool library, and the folder that the tools write to.
pub struct Bed {
    built: PathBuf,
    ours: PathBuf,
    folder: PathBuf,
    settings: Vec<(&'static str, String)>,
}

/// Measurements of one run of a load.
pub struct Run {
    /// Time of the measured part in nanoseconds, as the load itself prints it.
    pub ns: u64,
    /// Time of the process outside of the measured part, in nanoseconds: its start, the creation of threads, its end.
    pub around: u64,
    /// Peak resident memory of the process in KiB, as the load itself prints it.
    pub memory: u64,
    /// Size of the files that the tool wrote, in bytes.
    pub bytes: u64,
}

impl Bed {
    /// Makes a bed with the release build of the tool library, whose tools write to a new folder below `TMPDIR`.
    pub fn new(built: PathBuf) -> Result<Bed> {
        Bed::of(built, shell::tool_library()?)
    }

    /// Makes a bed with this tool library and loads built for it.
    pub fn of(built: PathBuf, ours: PathBuf) -> Result<Bed> {
        static BEDS: AtomicUsize = AtomicUsize::new(0);
        let number = BEDS.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("ompttrace-bench.{}.{number}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Bed { built, ours, folder, settings: Vec::new() })
    }

    /// Makes a bed whose programs preload these libraries (`LD_PRELOAD`).
    pub fn preloading(built: &Path, ours: &Path, libraries: &[&Path]) -> Result<Bed> {
        let mut bed = Bed::of(built.to_owned(), ours.to_owned())?;
        let names: Vec<_> = libraries.iter().map(|library| library.display().to_string()).collect();
        bed.set("LD_PRELOAD", &names.join(":"));
        bed.set("OMP_TOOL", "enabled");
        Ok(bed)
    }

    /// Sets a variable in the environment of the runs from now on.
    pub fn set(&mut self, name: &'static str, value: &str) {
        self.settings.retain(|(set, _)| *set != name);
        self.settings.push((name, value.to_owned()));
    }

    /// Runs the load once.
    pub fn run(&self, load: &Load, contender: Contender) -> Result<Run> {
        let mut command = self.equipped(load, contender);
        let started = Instant::now();
        let answer = shell::output(&mut command)?;
        let whole = started.elapsed().as_nanos() as u64;
        let (ns, memory) =
            read(&answer).with_context(|| format!("{} said {answer:?}", load.name()))?;
        let bytes = bytes_in(&self.folder)?;
        // The runtime is silent about a tool that it could not load.
        if contender.writes() && bytes == 0 {
            bail!("{} left nothing: OMP_TOOL_VERBOSE_INIT=stderr shows why", contender.name());
        }
        self.empty()?;
        Ok(Run { ns, around: whole.saturating_sub(ns), memory, bytes })
    }

    /// Time of one run of the load from the start of its process to its end, in seconds.
    pub fn seconds(&self, load: &Load, contender: Contender) -> Result<f64> {
        let begin = Instant::now();
        shell::output(&mut self.equipped(load, contender))?;
        let seconds = begin.elapsed().as_secs_f64();
        if contender.writes() && bytes_in(&self.folder)? == 0 {
            bail!("{} left nothing: OMP_TOOL_VERBOSE_INIT=stderr shows why", contender.name());
        }
        self.empty()?;
        Ok(seconds)
    }

    /// Runs the load once under ompttrace, and looks at the recording before it goes.
    pub fn recorded<T>(&self, load: &Load, look: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
        shell::output(&mut self.equipped(load, Contender::Ompttrace))?;
        let run = self.folder.join("run");
        if !run.is_dir() {
            bail!("{} left no recording", load.name());
        }
        let seen = look(&run);
        self.empty()?;
        seen
    }

    fn equipped(&self, load: &Load, contender: Contender) -> Command {
        self.equipped_under(load, contender, &[])
    }

    fn equipped_under(&self, load: &Load, contender: Contender, under: &[&str]) -> Command {
        let mut command = self.command(load, under);
        contender.equip(&mut command, self.library(contender).as_deref());
        command.envs(self.settings.clone());
        command
    }

    /// Counts the callbacks of one run with a tool that does nothing else.
    pub fn count(&self, load: &Load) -> Result<u64> {
        let file = self.folder.join("counts");
        let mut command = self.command(load, &[]);
        command.env("OMP_TOOL_LIBRARIES", self.built.join("count.so")).env("COUNT_OUTPUT", &file);
        shell::output(&mut command)?;
        let text = fs::read_to_string(&file).context("the counting tool left nothing")?;
        self.empty()?;
        sum(&text).context("the counting tool wrote something else than counts")
    }

    /// Counts the events of one run that the collector on this bed gets.
    pub fn delivered(&self, load: &Load) -> Result<u64> {
        let file = self.built.join("delivered");
        let _ = fs::remove_file(&file);
        shell::output(self.equipped(load, Contender::None).env("COLLECTOR_OUTPUT", &file))?;
        let text = fs::read_to_string(&file).context("the collector left no count")?;
        match text.trim().parse().context("the collector's count is no number")? {
            0 => bail!("the collector got no event of {}", load.name()),
            delivered => Ok(delivered),
        }
    }

    /// Counts the instructions of one run.
    pub fn instructions(&self, load: &Load, contender: Contender) -> Result<u64> {
        Ok(self.counted(&mut self.equipped_under(load, contender, &VALGRIND))?.0)
    }

    /// The instructions of a command under [`VALGRIND`], and what it says; what it left here goes.
    pub fn counted(&self, command: &mut Command) -> Result<(u64, String)> {
        let counted = counted(command);
        self.empty()?;
        counted
    }

    /// The load, perhaps under another program.
    fn command(&self, load: &Load, under: &[&str]) -> Command {
        let mut command = self.program(load.program, under);
        command.arg(load.iterations.to_string());
        command.env("OMP_NUM_THREADS", load.threads.to_string());
        command.env("OMP_PROC_BIND", "true").env("OMP_DYNAMIC", "false");
        // Active waiting: a thread that sleeps would hide a tool's cost.
        command.env("KMP_USE_YIELD", if load.crowded { "1" } else { "0" });
        command
    }

    /// One of the programs, perhaps under another, with an environment that is the same on every machine and has the
    /// tools write here.
    pub fn program(&self, name: &str, under: &[&str]) -> Command {
        let words: Vec<_> = under.iter().map(OsString::from).collect();
        let mut words = words.into_iter().chain([self.built.join(name).into_os_string()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["OMP_", "KMP_", "OMPTTRACE_"].iter().any(|start| text.starts_with(start)) {
                command.env_remove(&name);
            }
        }
        settings(&mut command, &self.folder);
        command
    }

    /// A contender's library.
    pub fn library(&self, contender: Contender) -> Option<PathBuf> {
        contender.library(&self.built, &self.ours)
    }

    fn empty(&self) -> Result<()> {
        fs::remove_dir_all(&self.folder)?;
        fs::create_dir_all(&self.folder)?;
        Ok(())
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The instructions of a command under [`VALGRIND`], and what it says.
pub fn counted(command: &mut Command) -> Result<(u64, String)> {
    let output = command.output().context("cannot start valgrind")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("`{}` ended with {}: {said}", shell::shown(command), output.status);
    }
    let instructions = collected(&said);
    let instructions = instructions.with_context(|| format!("valgrind did not count: {said}"))?;
    Ok((instructions, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Nanoseconds and KiB.
fn read(answer: &str) -> Option<(u64, u64)> {
    let (ns, memory) = answer.trim().split_once(' ')?;
    Some((ns.parse().ok()?, memory.parse().ok()?))
}

fn sum(counts: &str) -> Option<u64> {
    counts.lines().map(|line| line.split_once(' ')?.1.parse::<u64>().ok()).sum()
}

/// `==123== Collected : 4567`
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected : "))?;
    line.1.trim().parse().ok()
}

/// Bytes of the files in a folder and those below it.
pub fn bytes_in(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.metadata()?;
        bytes += if kind.is_dir() { bytes_in(&entry.path())? } else { kind.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{collected, sum};

    #[test]
    fn the_count_of_valgrind_is_found() {
        let said = "==1== \n==1== Events    : Ir\n==1== Collected : 4567\n";
        assert_eq!(collected(said), Some(4567));
        assert_eq!(collected("==1== Events    : Ir\n"), None);
    }

    #[test]
    fn counts_are_summed_and_nonsense_is_refused() {
        assert_eq!(sum("1 2\n3 40\n"), Some(42));
        assert_eq!(sum("1\n"), None);
    }
}
