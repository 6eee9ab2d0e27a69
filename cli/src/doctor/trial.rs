//! A runtime on trial: does it call the tool, and which callbacks does it deliver?

use super::{Finding, Level};
use crate::info;
use crate::run::elf::Elf;
use crate::run::start;
use ompttrace_recording::Recording;
use ompttrace_recording::facts::Facts;
use std::path::Path;
use std::process::{Command, Stdio};

/// What this runtime does, and what its recording says of the machine.
pub fn finding(runtime: &Path, library: &Path) -> (Finding, Vec<Finding>) {
    let shown = runtime.display();
    let finding = |level, text| Finding::new(level, "runtime", format!("{shown}: {text}"));
    let note = |text: String| (finding(Level::Note, text), Vec::new());
    let mut in_front = None;
    let elf = Elf::read(runtime);
    let older = elf.as_ref().and_then(Elf::older_interface);
    match elf {
        None => return note("no library for a 64-bit machine".into()),
        Some(elf) if elf.has_gcc && !elf.has_llvm => match start::gomp_library(library) {
            Some(library) => in_front = Some(library),
            None => {
                return note(
                    "tells tools nothing, and what stands in front of it is missing".into(),
                );
            }
        },
        Some(_) if older.is_some() => {
            if !can_be_called(runtime) {
                let text = "not tried: it has none of the functions that this command could call";
                return note(format!("has {}; {text}", older.unwrap_or_default()));
            }
            in_front = Some(library.to_owned());
        }
        Some(elf) if !elf.for_tools => {
            return note(
                "has no ompt_start_tool: too old, or built without OMPT; use another".into(),
            );
        }
        Some(_) => {}
    }
    match attempt(runtime, library, in_front.as_deref()) {
        Ok(Tried { delivered, facts }) => {
            let version = facts.runtimes.last().map_or("", |runtime| &runtime.version);
            let how = match older {
                Some(interface) => format!("tells tools by {interface}"),
                None if in_front.is_some() => "can be told of".to_owned(),
                None => "calls the tool".to_owned(),
            };
            let text = format!("{how}; tried: {delivered} kinds of callbacks ({version})");
            (finding(Level::Good, text), vec![clock(&facts), cores(&facts)])
        }
        Err(why) => note(why),
    }
}

/// Whether it is a library with a function that this command can call.
pub fn can_be_called(runtime: &Path) -> bool {
    Elf::read(runtime).is_some_and(|elf| elf.has_gcc && elf.is_library)
}

/// What was recorded when a runtime was used.
struct Tried {
    /// Kinds of callbacks.
    delivered: usize,
    facts: Facts,
}

/// Uses the runtime in another process, with `in_front` before it, and reads what was recorded.
fn attempt(runtime: &Path, library: &Path, in_front: Option<&Path>) -> Result<Tried, String> {
    let scratch = tempfile::tempdir().map_err(|error| format!("no folder to try it: {error}"))?;
    let run = scratch.path().join("run");
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command
        .arg("use-runtime")
        .arg(runtime)
        .env("OMP_TOOL_LIBRARIES", library)
        .env("OMP_TOOL_VERBOSE_INIT", "disabled")
        .envs([
            ("OMP_TOOL", "enabled"),
            ("OMPTTRACE_FORMAT", "recording"),
            ("OMPTTRACE_QUIET", "1"),
            ("OMPTTRACE_CORES", "auto"),
        ])
        .envs([("OMPTTRACE_START", "on"), ("OMPTTRACE_EVENTS", "all")])
        .env("OMPTTRACE_OUTPUT", &run)
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null());
    if let Some(library) = in_front {
        command.env("LD_PRELOAD", library);
    }
    let output = command.output().map_err(|error| format!("cannot be tried: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().last().unwrap_or("").trim_start_matches("ompttrace: ").to_owned();
    if !output.status.success() {
        return Err(format!("does not work here: {said} ({})", output.status));
    }
    match Recording::open(&run) {
        Ok(recording) => {
            Ok(Tried { delivered: info::delivered(&recording), facts: recording.facts.clone() })
        }
        Err(_) if said.is_empty() => {
            Err("did not call the tool; OMP_TOOL_VERBOSE_INIT=stderr makes it say why".into())
        }
        Err(_) => Err(said),
    }
}

/// Whether switches of threads can be recorded.
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
            format!("{cost}: the processor's counter is not sound here, and a slower clock serves"),
        ),
        "clock_gettime" => Finding::new(
            Level::Note,
            "clock",
            format!(
                "{cost}: the processor's counter may not be read here, and a slower clock serves"
            ),
        ),
        _ => Finding::new(Level::Good, "clock", cost),
    }
}
