//! Kind of the program that is about to start, and the reason if nothing was recorded.

use super::elf::{Elf, Ompi};
use super::libraries;
use crate::say;
use std::path::{Path, PathBuf};

/// OpenMP in a program, as far as its file shows.
#[derive(Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// A script or something else that has no libraries of its own.
    NoElf,
    /// The program is for another kind of machine than the library.
    OtherArchitecture,
    /// No runtime is linked; it may be loaded later.
    Nothing,
    /// GCC's libgomp, which has no tool interface.
    Libgomp,
    /// The program runs with another user's rights: the loader brings nothing into it.
    Setuid,
    /// LLVM's or Intel's runtime by its name, and its file where it was found.
    Llvm(String, Option<PathBuf>),
    /// The runtime is in the program itself.
    Inside(Elf),
    /// OMPi's runtime is in the program itself.
    Ompi(Ompi),
}

/// Advice for recording a program of OMPi's.
const BUILD_WITH_OMPI: &str =
    "compile it with `ompicc --ort=ompttrace` (share/doc/ompttrace/ompi.md says what to install)";

/// Looks at the program's file; `library` is the tool.
pub fn inspect(program: &Path, library: &Path) -> ProgramKind {
    let Some(elf) = Elf::read(program) else { return ProgramKind::NoElf };
    if is_setuid(program) {
        return ProgramKind::Setuid;
    }
    if Elf::read(library).is_some_and(|library| library.architecture != elf.architecture) {
        return ProgramKind::OtherArchitecture;
    }
    if let Some(ompi) = elf.ompi {
        return ProgramKind::Ompi(ompi);
    }
    if elf.has_llvm || elf.has_gcc {
        return ProgramKind::Inside(elf);
    }
    let libraries = libraries::of_program(&elf);
    let named = |start: &str| libraries.iter().find(|(name, _)| name.starts_with(start));
    if let Some((name, file)) = named("libomp.so").or_else(|| named("libiomp5.so")) {
        return ProgramKind::Llvm(name.clone(), file.clone());
    }
    match named("libgomp.so") {
        // LLVM's packages can take over this name.
        Some((name, Some(file))) if Elf::read(file).is_some_and(|elf| elf.has_llvm) => {
            ProgramKind::Llvm(name.clone(), Some(file.clone()))
        }
        Some(_) => ProgramKind::Libgomp,
        None => ProgramKind::Nothing,
    }
}

fn is_setuid(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    const SETUID_OR_SETGID: u32 = 0o6000;
    program.metadata().is_ok_and(|facts| facts.permissions().mode() & SETUID_OR_SETGID != 0)
}

impl ProgramKind {
    /// True if the program or processes that it starts may call functions of libgomp.
    pub fn may_use_libgomp(&self) -> bool {
        matches!(self, ProgramKind::Libgomp | ProgramKind::Nothing | ProgramKind::NoElf)
    }

    /// A warning before the program starts, if one is needed. `helped`: libgomp has our entry points in front of it, or
    /// another runtime replaces it.
    pub fn warning(&self, program: &Path, helped: bool) -> Option<String> {
        let program = say::shown(program);
        match self {
            ProgramKind::OtherArchitecture => Some(format!(
                "{program} is for another architecture than the library: it runs untraced"
            )),
            ProgramKind::Libgomp if !helped => Some(format!(
                "{program} uses GCC's libgomp, which has no tool interface: `ompttrace run --runtime libomp` \
                 runs it unmodified on LLVM's runtime"
            )),
            ProgramKind::Setuid => Some(format!(
                "{program} is setuid or setgid: the loader preloads no library, and it runs untraced"
            )),
            ProgramKind::Inside(elf) if !elf.dynamic => Some(format!(
                "{program} is linked statically: no tool can be loaded into it; \
                 link its OpenMP runtime dynamically"
            )),
            // A runtime with an older interface gets a preloaded tool.
            ProgramKind::Inside(elf) if elf.older_interface().is_some() => None,
            ProgramKind::Inside(elf) if elf.has_gcc && !elf.has_llvm => Some(format!(
                "{program} contains GCC's libgomp, which can be neither recorded nor replaced there: link it \
                 dynamically"
            )),
            ProgramKind::Inside(elf) if !elf.for_tools && elf.older_interface().is_none() => {
                Some(format!(
                    "{program} contains an OpenMP runtime without a visible ompt_start_tool: it may not call tools"
                ))
            }
            ProgramKind::Ompi(Ompi::Alone) => Some(format!(
                "{program} contains OMPi's runtime, which has no tool interface: {BUILD_WITH_OMPI}"
            )),
            _ => None,
        }
    }

    /// The reason why there may be no recording, after the program's end.
    pub fn why_nothing(&self, program: &Path) -> String {
        let name = say::shown(program);
        let next = "OMP_TOOL_VERBOSE_INIT=stderr makes the runtime report why";
        match self {
            ProgramKind::NoElf => format!(
                "{name} is not an ELF program, and no program that it started called the tool"
            ),
            ProgramKind::OtherArchitecture => {
                "the program is for another architecture than the library".into()
            }
            ProgramKind::Nothing => format!(
                "{name} is not linked with an OpenMP runtime, and loaded none that called the tool"
            ),
            ProgramKind::Libgomp => {
                format!("{name} is linked with GCC's libgomp, but did not call it")
            }
            ProgramKind::Setuid => "the program is setuid or setgid".into(),
            ProgramKind::Inside(elf) if !elf.dynamic => {
                "no tool can be loaded into a static program".into()
            }
            ProgramKind::Ompi(Ompi::Alone) => {
                format!("OMPi's runtime is linked without wrappers: {BUILD_WITH_OMPI}")
            }
            ProgramKind::Ompi(Ompi::Recorded) => {
                format!("{name} ended before OMPi's runtime was initialised")
            }
            ProgramKind::Inside(_) => format!(
                "the OpenMP runtime in {name} did not call the tool, or was never used; {next}"
            ),
            ProgramKind::Llvm(library, None) => {
                format!("{library} is not in the usual folders; {next}")
            }
            ProgramKind::Llvm(_, Some(file)) => of_runtime(file, next),
        }
    }
}

/// The reason why a runtime that was found may not have called the tool.
fn of_runtime(file: &Path, next: &str) -> String {
    let file_shown = say::shown(file);
    match Elf::read(file) {
        None => format!("{file_shown} is not a library for this machine"),
        Some(elf) if !elf.for_tools && elf.older_interface().is_none() => {
            format!("{file_shown} has no ompt_start_tool: it is too old, or built without OMPT")
        }
        Some(_) => {
            format!("the program did not use OpenMP, or {file_shown} refused the tool; {next}")
        }
    }
}
