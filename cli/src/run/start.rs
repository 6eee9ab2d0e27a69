//! The program's start: which file it is, and the environment that brings the library into it.

use super::child::{self, NotStarted, Running};
use super::libraries;
use super::mpi;
use super::program_kind::{self, ProgramKind};
use super::settings::Settings;
use super::stop::{FAILURE, NOT_EXECUTABLE, NOT_FOUND, Stop};
use crate::arguments::RunArguments;
use crate::say;
use ompttrace_recording::settings::Cupti;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = "libompttrace.so";
/// Name of the library that also wraps GCC's libgomp.
const GOMP_LIBRARY: &str = "libompttrace-gomp.so";
/// Name of that library where it was built: cargo allows no hyphen.
const GOMP_LIBRARY_AS_BUILT: &str = "libompttrace_gomp.so";
/// The variable with the library that CUDA's driver loads and initialises when a program begins to use it.
const CUDA_INJECTION: &str = "CUDA_INJECTION64_PATH";
/// The variables with the library to which Kokkos, NVTX and ITT report what the program marks for them.
const PHASE_TOOLS: [&str; 3] =
    ["KOKKOS_TOOLS_LIBS", "NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64"];
/// Name of the library in front of MPI, and its name where it was built.
const MPI_LIBRARIES: [&str; 2] = ["libompttrace-mpi.so", "libompttrace_mpi.so"];

/// Path of the library in the folder of this program, or in ../lib or ../lib64 of it.
pub fn library() -> Result<PathBuf, Stop> {
    let own = std::env::current_exe().map_err(|error| {
        let needs =
            "which locates its library and the processes that it records: mount -t proc proc /proc";
        Stop::new(FAILURE, format!("/proc/self/exe: {error}: ompttrace needs /proc, {needs}"))
    })?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    // Beside it where it was built; where packages put libraries.
    let found = ["", "../lib", "../lib64"]
        .into_iter()
        .find_map(|beside| std::fs::canonicalize(folder.join(beside).join(LIBRARY)).ok());
    let shown = folder.display();
    let found = found.ok_or_else(|| {
        let line = format!("no {LIBRARY} in {shown}, {shown}/../lib or {shown}/../lib64");
        Stop::new(FAILURE, line)
    })?;
    // Runtimes take a list.
    match found.as_os_str().as_bytes().contains(&b':') {
        true => {
            let line = format!("{}: runtimes cannot load a path with a colon", found.display());
            Err(Stop::new(FAILURE, line))
        }
        false => Ok(found),
    }
}

/// Path of the library for programs on libgomp, in the same folder as the other one.
pub fn gomp_library(library: &Path) -> Option<PathBuf> {
    let names = [GOMP_LIBRARY, GOMP_LIBRARY_AS_BUILT];
    beside(library, names)
}

/// The one of these files that is in the folder of the library.
fn beside(library: &Path, names: [&str; 2]) -> Option<PathBuf> {
    names.map(|name| library.with_file_name(name)).into_iter().find(|file| file.is_file())
}

/// A program that is ready to be started.
pub struct Plan {
    command: Command,
    file: PathBuf,
    kind: ProgramKind,
    /// Remarks for the user before the start.
    pub remarks: Vec<String>,
}

impl Plan {
    pub fn new(
        arguments: &RunArguments,
        settings: &Settings,
        library: &Path,
    ) -> Result<Plan, Stop> {
        let (name, words) = arguments.program.split_first().ok_or_else(|| nothing("".as_ref()))?;
        let file = find(name).ok_or_else(|| nothing(name))?;
        let mut kind = program_kind::inspect(&file, library);
        let mut command = Command::new(name);
        command.args(words).envs(settings.variables.iter().map(|(name, value)| (name, value)));
        prepend(&mut command, "OMP_TOOL_LIBRARIES", library);
        if !libraries::older_runtimes(&file).is_empty() {
            preload(&mut command, library);
        }
        let mut remarks = Vec::new();
        let gomp = || (gomp_library(library), GOMP_LIBRARY);
        let in_front = match arguments.runtime {
            Some(_) => Ok(true),
            None if kind.may_use_libgomp() => stand_in_front(&mut command, library, gomp()),
            None => Ok(false),
        };
        let is_wrapped = in_front == Ok(true) && arguments.runtime.is_none();
        let copy = gomp_library(library).filter(|_| is_wrapped);
        inject(&mut command, settings, copy.as_deref().unwrap_or(library));
        if mpi::is_wanted(settings.mpi, &file) {
            let [name, _] = MPI_LIBRARIES;
            let found = (beside(library, MPI_LIBRARIES), name);
            remarks.extend(stand_in_front(&mut command, library, found).err());
        }
        remarks.extend(kind.warning(&file, in_front.as_ref().is_ok_and(|in_front| *in_front)));
        remarks.extend(in_front.err().filter(|_| kind == ProgramKind::Libgomp));
        remarks.extend(allow_tools(&mut command));
        if arguments.inspectable {
            command.env("OMP_DEBUG", "enabled");
        }
        if arguments.runtime.is_some() {
            let libomp = replace_runtime(&mut command)?;
            if kind == ProgramKind::Libgomp {
                remarks.push(format!(
                    "on {}: for a program built by GCC, static loops, masked and flush are not recorded",
                    say::shown(&libomp)
                ));
                kind = ProgramKind::Llvm("libomp".into(), Some(libomp));
            }
        }
        Ok(Plan { command, file, kind, remarks })
    }

    /// Sends what the program writes on stdout to stderr.
    pub fn write_to_stderr(&mut self) {
        self.command.stdout(std::io::stderr());
    }

    /// Starts it.
    pub fn start(&mut self) -> Result<Running, Stop> {
        let name = self.command.get_program().display().to_string();
        child::start(&mut self.command).map_err(|why| match why {
            NotStarted::Signals(error) => Stop::new(FAILURE, format!("signals: {error}")),
            NotStarted::Exec(error) if error.kind() == ErrorKind::NotFound => {
                Stop::new(NOT_FOUND, format!("{name}: its interpreter is missing: {error}"))
            }
            NotStarted::Exec(error) => {
                Stop::new(NOT_EXECUTABLE, format!("{name} cannot be executed: {error}"))
            }
        })
    }

    /// The reason why there may be no recording.
    pub fn why_nothing(&self) -> String {
        self.kind.why_nothing(&self.file)
    }
}

/// The file that exec takes; for a name without a folder the first on the PATH.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|file| file.exists());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&path).map(|folder| folder.join(name));
    files.filter(|file| !name.is_empty() && file.is_file()).min_by_key(|file| !is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn nothing(name: &OsStr) -> Stop {
    let searched = if name.as_bytes().contains(&b'/') { "" } else { " on the PATH" };
    Stop::new(NOT_FOUND, format!("{}: no such program{searched}", name.display()))
}

/// Names the tool to libraries that the program may use, and that look for one themselves. A tool of the user's stays.
fn inject(command: &mut Command, settings: &Settings, library: &Path) {
    let of_devices = [CUDA_INJECTION].into_iter().filter(|_| settings.cupti != Cupti::Off);
    for variable in of_devices.chain(PHASE_TOOLS) {
        if std::env::var_os(variable).is_none() {
            command.env(variable, library);
        }
    }
}

/// Makes the loader put our entry points in front of those of a library; `in_front` is our file with them, and its
/// name.
fn stand_in_front(
    command: &mut Command,
    library: &Path,
    (in_front, name): (Option<PathBuf>, &str),
) -> Result<bool, String> {
    let Some(in_front) = in_front else {
        return Err(format!("no {name} beside {}", library.display()));
    };
    // The loader takes a list that spaces part.
    if in_front.as_os_str().as_bytes().contains(&b' ') {
        return Err(format!("{}: the loader accepts no path with a space", in_front.display()));
    }
    preload(command, &in_front);
    Ok(true)
}

/// Lifts OMP_TOOL=disabled; returns a remark about that.
fn allow_tools(command: &mut Command) -> Option<String> {
    let value = std::env::var_os("OMP_TOOL")?;
    if !value.to_string_lossy().trim().eq_ignore_ascii_case("disabled") {
        return None;
    }
    command.env("OMP_TOOL", "enabled");
    Some("OMP_TOOL=disabled is ignored for this run".into())
}

/// Puts LLVM's runtime under the program.
fn replace_runtime(command: &mut Command) -> Result<PathBuf, Stop> {
    let libomp = libraries::libomp().ok_or_else(|| {
        let line = "--runtime libomp: no libomp.so.5 in the usual folders or in /usr/lib/llvm-*/lib: install it (Debian: libomp5) or name its folder in \
                    LD_LIBRARY_PATH";
        Stop::new(FAILURE, line)
    })?;
    preload(command, &libomp);
    Ok(libomp)
}

/// Makes the loader load a library into the program before all others.
fn preload(command: &mut Command, library: &Path) {
    prepend(command, "LD_PRELOAD", library);
    // A program built with AddressSanitizer, which may be one that a script starts, would else refuse
    // to run; in front of its runtime we change nothing that it looks after.
    prepend(command, "ASAN_OPTIONS", Path::new("verify_asan_link_order=0"));
}

/// Puts something in front of a list in the environment.
fn prepend(command: &mut Command, variable: &str, first: &Path) {
    let mut value = OsString::from(first);
    let ours = command.get_envs().find(|(name, _)| *name == variable);
    let before = ours.and_then(|(_, value)| Some(value?.to_owned()));
    let before = before.or_else(|| std::env::var_os(variable));
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        value.push(":");
        value.push(before);
    }
    command.env(variable, value);
}
