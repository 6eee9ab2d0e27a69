//! A runtime on trial: does it call the tool, and which callbacks does it deliver?

use super::finding::{Finding, Level};
use crate::info;
use crate::recover::recover;
use crate::run::elf::Elf;
use crate::run::{libraries, start};
use ompttrace_recording::Recording;
use ompttrace_recording::facts::Facts;
use rustix::process::geteuid;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The finding about this runtime, and findings about the machine from its recording.
pub fn finding(runtime: &Path, library: &Path) -> (Finding, Vec<Finding>) {
    let shown = runtime.display();
    let finding = |level, text| Finding::new(level, "runtime", format!("{shown}: {text}"));
    let tried = Way::to(runtime, library).and_then(|way| Ok((attempt(runtime, &way)?, way)));
    match tried {
        Ok((Tried { delivered, facts }, way)) => {
            let version = facts.runtimes.last().map_or("", |runtime| &runtime.version);
            let how = match way.older {
                Some(interface) => format!("reports to tools through {interface}"),
                None if way.in_front.is_some() => "can be recorded".to_owned(),
                None => "calls the tool".to_owned(),
            };
            let text = format!("{how}; tested: {delivered} kinds of callbacks ({version})");
            (finding(Level::Good, text), vec![clock(&facts), cores(&facts)])
        }
        Err(why) => (finding(Level::Note, why), Vec::new()),
    }
}

/// Reason not to load a runtime: a program may name one in which others can put code that would run with our
/// rights. The usual folders are root's and the user's choice.
pub fn refusal(runtime: &Path) -> Option<String> {
    if libraries::is_in_usual_folder(runtime) {
        return None;
    }
    let error = ompttrace_ompd::trusted(runtime, geteuid().as_raw()).err()?;
    Some(format!("{error}; if you trust it, name its folder in LD_LIBRARY_PATH"))
}

/// True if the file is a library with a function that this command can call.
pub fn can_be_called(runtime: &Path) -> bool {
    Elf::read(runtime).is_some_and(|elf| elf.has_gcc && elf.is_library)
}

/// The libraries by which a runtime is recorded.
pub struct Way {
    /// Path of the tool's library.
    library: PathBuf,
    /// The library to preload in front of the runtime.
    in_front: Option<PathBuf>,
    /// Name of its interface, if that is not today's.
    older: Option<&'static str>,
}

impl Way {
    /// Returns the libraries for a runtime, or the reason why it cannot be recorded.
    pub fn to(runtime: &Path, library: &Path) -> Result<Way, String> {
        refusal(runtime).map_or(Ok(()), Err)?;
        let elf = Elf::read(runtime).ok_or("not a library for a 64-bit machine")?;
        let older = elf.older_interface();
        let mut way = Way { library: library.to_owned(), in_front: None, older };
        if elf.has_gcc && !elf.has_llvm {
            let front = start::gomp_library(library);
            let front =
                front.ok_or("has no tool interface, and the library to preload is missing")?;
            way.in_front = Some(front);
        } else if let Some(interface) = older {
            if !can_be_called(runtime) {
                let text = "not tested: it has none of the functions that this command could call";
                return Err(format!("has {interface}; {text}"));
            }
            way.in_front = Some(library.to_owned());
        } else if !elf.for_tools {
            return Err(
                "has no ompt_start_tool: too old, or built without OMPT; use another".into()
            );
        }
        Ok(way)
    }

    /// Uses the runtime in another process, with these further arguments, and records that into `run`.
    pub fn record(&self, runtime: &Path, more: &[&str], run: &Path) -> Result<Output, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(own);
        command
            .arg("use-runtime")
            .args(more)
            .arg(runtime)
            .env("OMP_TOOL_LIBRARIES", &self.library)
            .env("OMP_TOOL_VERBOSE_INIT", "disabled")
            .envs([
                ("OMP_TOOL", "enabled"),
                ("OMP_CANCELLATION", "true"),
                ("OMPTTRACE_FORMAT", "recording"),
                ("OMPTTRACE_QUIET", "1"),
                ("OMPTTRACE_CORES", "auto"),
            ])
            .envs([("OMPTTRACE_START", "on"), ("OMPTTRACE_EVENTS", "all")])
            .env("OMPTTRACE_OUTPUT", run)
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::null());
        if let Some(library) = &self.in_front {
            command.env("LD_PRELOAD", library);
        }
        let output = command.output().map_err(|error| format!("cannot be tested: {error}"))?;
        // Of a process that ended without the runtime's end its buffers are left.
        let _ = recover(run, false);
        Ok(output)
    }
}

/// Results of a recording of a runtime.
struct Tried {
    /// Number of kinds of callbacks that were delivered.
    delivered: usize,
    facts: Facts,
}

/// Uses the runtime, and reads the recording.
fn attempt(runtime: &Path, way: &Way) -> Result<Tried, String> {
    let scratch = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let run = scratch.path().join("run");
    let output = way.record(runtime, &[], &run)?;
    let last_line = last_stderr_line(&output);
    if !output.status.success() {
        return Err(format!("does not work here: {last_line} ({})", output.status));
    }
    match Recording::open(&run) {
        Ok(recording) => {
            let delivered =
                info::delivered(&recording).iter().filter(|(_, count)| *count > 0).count();
            Ok(Tried { delivered, facts: recording.facts.clone() })
        }
        Err(_) => Err(why_nothing(last_line)),
    }
}

/// The last line on stderr.
pub fn last_stderr_line(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    stderr.lines().last().unwrap_or("").trim_start_matches("ompttrace: ").to_owned()
}

/// The reason why a runtime that was used has no recording: what the library reported, if it did.
pub fn why_nothing(last_line: String) -> String {
    match last_line.is_empty() {
        true => "did not call the tool; OMP_TOOL_VERBOSE_INIT=stderr shows why".into(),
        false => last_line,
    }
}

/// Finding about whether switches of threads can be recorded.
fn cores(facts: &Facts) -> Finding {
    let level = if facts.cores.why.is_empty() { Level::Good } else { Level::Note };
    let threads = facts.cores.threads_by_switches + facts.cores.threads_by_accounting;
    Finding::new(level, "cores", info::cores::in_words(&facts.cores, threads as usize))
}

fn clock(facts: &Facts) -> Finding {
    let source = &facts.clock.source;
    let record = facts.record_picoseconds as f64 / 1000.0;
    let cost = format!("{source}; storing a record takes {record:.1} ns");
    match source.as_str() {
        "quanta" => Finding::new(
            Level::Note,
            "clock",
            format!(
                "{cost}: the processor's counter is unreliable here, so a slower clock is used"
            ),
        ),
        "clock_gettime" => Finding::new(
            Level::Note,
            "clock",
            format!(
                "{cost}: the processor's counter may not be read here, so a slower clock is used"
            ),
        ),
        _ => Finding::new(Level::Good, "clock", cost),
    }
}
