//! Findings about a program.

use super::finding::{Finding, Level};
use super::{displaced, ompd, trial};
use crate::run::elf::Elf;
use crate::run::program_kind::{self, ProgramKind};
use crate::run::{libraries, start};
use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Findings about whether the program can be traced.
pub fn findings(name: &OsStr, library: &Path) -> Vec<Finding> {
    let finding = |level, text: String| vec![Finding::new(level, "program", text)];
    let Some(file) = start::find(name) else {
        return finding(Level::Problem, format!("{}: no such program", name.display()));
    };
    let shown = file.display();
    let kind = program_kind::inspect(&file, library);
    let helped = kind == ProgramKind::Libgomp && start::gomp_library(library).is_some();
    if let Some(warning) = kind.warning(&file, helped) {
        return finding(Level::Problem, warning);
    }
    let older = libraries::older_runtimes(&file);
    if !older.is_empty() {
        return older.iter().flat_map(|runtime| with_older(&file, runtime, library)).collect();
    }
    match kind {
        ProgramKind::Llvm(_, Some(runtime)) => {
            let runtime = std::fs::canonicalize(&runtime).unwrap_or(runtime);
            let mut all = finding(Level::Good, format!("{shown} uses {}", runtime.display()));
            let (mut tried, _) = trial::finding(&runtime, library);
            if tried.level != Level::Good && trial::refusal(&runtime).is_none() {
                tried.level = Level::Problem;
            }
            all.push(tried);
            all.extend(displaced::by_thread_sanitizer(&file, &runtime));
            all.extend(ompd::finding(&runtime));
            all
        }
        ProgramKind::Llvm(name, None) => {
            finding(Level::Note, format!("{shown} uses {name}, which is not in the usual folders"))
        }
        ProgramKind::Libgomp => {
            finding(Level::Good, format!("{shown} uses GCC's libgomp, which `ompttrace run` wraps"))
        }
        ProgramKind::Ompi(_) => finding(
            Level::Good,
            format!("{shown} contains OMPi's runtime, linked with its wrappers"),
        ),
        ProgramKind::Inside(_) => {
            finding(Level::Good, format!("{shown} contains an OpenMP runtime"))
        }
        ProgramKind::NoElf if !can_be_executed(&file) => {
            finding(Level::Problem, format!("{shown} cannot be executed"))
        }
        ProgramKind::NoElf => finding(
            Level::Note,
            format!("{shown} is a script or the like: check the program that it starts"),
        ),
        _ => finding(
            Level::Note,
            format!("{shown} is not linked with an OpenMP runtime; it may load one later"),
        ),
    }
}

/// The runtimes of a program that lie in files of their own.
pub fn runtimes(name: &OsStr) -> Vec<PathBuf> {
    let Some(file) = start::find(name) else { return Vec::new() };
    let Some(elf) = Elf::read(&file) else { return Vec::new() };
    let names = ["libomp.so", "libiomp5.so", "libgomp.so"];
    let is_one = |name: &str| names.iter().any(|start| name.starts_with(start));
    let linked = libraries::of_program(&elf).into_iter().filter(|(name, _)| is_one(name));
    let older = libraries::older_runtimes(&file).into_iter().map(|(runtime, _)| runtime);
    let files = linked.filter_map(|(_, file)| file).chain(older);
    files.filter_map(|file| std::fs::canonicalize(file).ok()).collect()
}

fn can_be_executed(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

/// A program with a runtime that has another interface than today's: reported, and tried where that can be.
fn with_older(
    program: &Path,
    (runtime, interface): &(PathBuf, &'static str),
    library: &Path,
) -> Vec<Finding> {
    let has = format!("a runtime with {interface}, for which `ompttrace run` preloads the tool");
    if runtime == program {
        let text = format!("{} contains {has}", program.display());
        let tried = trial::can_be_called(runtime).then(|| trial::finding(runtime, library).0);
        return [Finding::new(Level::Good, "program", text)].into_iter().chain(tried).collect();
    }
    let runtime = std::fs::canonicalize(runtime).unwrap_or(runtime.clone());
    let text = format!("{} uses {}, {has}", program.display(), runtime.display());
    vec![Finding::new(Level::Good, "program", text), trial::finding(&runtime, library).0]
}
