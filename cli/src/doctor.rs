//! `ompttrace doctor`: tries what tracing needs, a line for each finding, with what to do.

mod displaced;
mod finding;
mod leftover_pools;
mod machine;
mod mpi;
mod ompd;
mod probe;
mod program;
mod trial;
pub mod use_mpi;
pub mod use_runtime;

use crate::arguments::DoctorArguments;
use crate::ask_tool::{Answer, ask};
use crate::run::{libraries, start};
use crate::say;
use finding::{Finding, Level};
use probe::Probe;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The version of what `--json` prints: raised when a field changes its meaning or is removed. `schemas` describes it.
const SCHEMA: u32 = 1;

pub fn run(arguments: &DoctorArguments) -> ExitCode {
    let mut findings = vec![machine::system()];
    findings.extend(with_library(arguments));
    let probes = arguments.probe.then(|| probes(arguments));
    findings.extend(mpi::findings(arguments.probe));
    findings.extend(machine::findings());
    findings.extend(leftover_pools::finding(Path::new("/dev/shm")));
    let works = findings.iter().all(|finding| finding.level != Level::Problem);
    let written = match arguments.json {
        true => say::json(&value(works, &findings, probes.as_deref())),
        false => {
            let lines = findings.iter().map(Finding::line);
            let tables = probes.iter().flatten().flat_map(Probe::lines);
            say::out(&lines.chain(tables).collect::<Vec<_>>().join("\n"))
        }
    };
    ExitCode::from(u8::from(!works || written.is_err()))
}

fn value(works: bool, findings: &[Finding], probes: Option<&[Probe]>) -> Value {
    json!({
        "schema": SCHEMA,
        "tool": env!("CARGO_PKG_VERSION"),
        "works": works,
        "findings": findings.iter().map(Finding::value).collect::<Vec<_>>(),
        "probes": probes.map(|probes| probes.iter().map(Probe::value).collect::<Vec<_>>()),
    })
}

/// Every runtime of the program, and every one of the machine; none without a library to record with.
fn probes(arguments: &DoctorArguments) -> Vec<Probe> {
    let Ok(library) = start::library() else { return Vec::new() };
    let of_program = arguments.program.as_deref().map(program::runtimes).unwrap_or_default();
    let mut files: Vec<PathBuf> = Vec::new();
    for file in of_program.into_iter().chain(libraries::runtimes()) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files.iter().map(|file| probe::probe(file, &library)).collect()
}

fn with_library(arguments: &DoctorArguments) -> Vec<Finding> {
    let library = match start::library() {
        Ok(library) => library,
        Err(stop) => return vec![Finding::new(Level::Problem, "library", stop.line)],
    };
    let shown = library.display();
    let (level, text) = match ask(&library, &[]) {
        Answer::Accepted => (Level::Good, shown.to_string()),
        Answer::Refused(why) => (Level::Problem, format!("{why}: change or unset the variable")),
        Answer::Broken(why) => (Level::Problem, format!("{shown} cannot be used: {why}")),
    };
    let mut findings = vec![Finding::new(level, "library", text)];
    if level == Level::Good {
        let program = arguments.program.as_deref().map(|name| program::findings(name, &library));
        let of_program = program.is_some();
        findings.extend(program.into_iter().flatten());
        findings.extend(displaced::by_environment(&library));
        for finding in of_runtimes(&library, of_program) {
            // The program's own was tried with it.
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings
}

/// Every runtime that lies in the usual folders; a program has its own, which is judged with it.
fn of_runtimes(library: &Path, of_program: bool) -> Vec<Finding> {
    let runtimes = libraries::runtimes();
    let trials: Vec<_> = runtimes.iter().map(|runtime| trial::finding(runtime, library)).collect();
    let mut of_machine = trials.iter().map(|(_, of_machine)| of_machine);
    let of_machine = of_machine.find(|found| !found.is_empty()).cloned();
    let mut findings: Vec<_> = trials.into_iter().map(|(finding, _)| finding).collect();
    if findings.iter().all(|finding| finding.level != Level::Good) {
        let level = if of_program { Level::Note } else { Level::Problem };
        let text = "found none that calls tools in the usual folders: install LLVM's (Debian: libomp5), or name \
            its folder in LD_LIBRARY_PATH";
        findings.push(Finding::new(level, "runtime", text));
    }
    findings.extend(of_machine.into_iter().flatten());
    findings.extend(runtimes.iter().filter_map(|runtime| ompd::finding(runtime)));
    findings
}
