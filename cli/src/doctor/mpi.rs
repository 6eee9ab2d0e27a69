//! MPI in `doctor`: which implementations lie here and which binary interface each has; with `--probe` each is tried by a
//! program of two ranks, of which both must be recorded with all their calls.

use super::finding::{Finding, Level};
use super::trial;
use super::use_mpi::CALLS;
use crate::run::libraries;
use ompttrace_recording::Recording;
use ompttrace_recording::mpi::function;
use ompttrace_timeline::count;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Number of ranks of the program.
const RANKS: usize = 2;
/// Time after which a launcher is ended.
const LONGEST: Duration = Duration::from_secs(30);

/// The binary interface of an MPI library, by the name that programs ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    OpenMpi,
    Mpich,
    Standard,
}

impl Abi {
    /// `None`: the file's name is none that an implementation has.
    pub fn of(library: &Path) -> Option<Abi> {
        let name = library.file_name()?.to_str()?;
        match name.split_once(".so.")? {
            ("libmpi_abi", _) => Some(Abi::Standard),
            ("libmpi", version) if major(version) >= 20 => Some(Abi::OpenMpi),
            ("libmpi" | "libmpich", _) => Some(Abi::Mpich),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Abi::OpenMpi => "Open MPI",
            Abi::Mpich => "MPICH",
            Abi::Standard => "MPI 5.0",
        }
    }

    /// The launchers of the implementation by their names in PATH; several implementations may be there at a time.
    fn launchers(self) -> &'static [&'static str] {
        match self {
            Abi::OpenMpi => &["mpirun.openmpi", "mpirun"],
            Abi::Mpich | Abi::Standard => {
                &["mpirun.mpich", "mpiexec.hydra", "mpiexec.mpich", "mpiexec"]
            }
        }
    }
}

fn major(version: &str) -> u32 {
    version.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Findings about MPI: one line for each implementation.
pub fn findings(is_probed: bool) -> Vec<Finding> {
    let all = libraries::mpis();
    let known = all.iter().filter_map(|library| Some((library, Abi::of(library)?)));
    known.map(|(library, abi)| finding(library, abi, is_probed)).collect()
}

fn finding(library: &Path, abi: Abi, is_probed: bool) -> Finding {
    let about = format!("{}: binary interface of {}", library.display(), abi.name());
    if !is_probed {
        return Finding::new(Level::Good, "MPI", format!("{about}; --probe tries it"));
    }
    match attempt(library, abi) {
        Ok(recorded) => Finding::new(Level::Good, "MPI", format!("{about}; {recorded}")),
        Err(why) => Finding::new(Level::Note, "MPI", format!("{about}; not recorded: {why}")),
    }
}

/// Has two ranks call all functions of the program; returns the recorded calls in words.
fn attempt(library: &Path, abi: Abi) -> Result<String, String> {
    trial::refusal(library).map_or(Ok(()), Err)?;
    let launchers = abi.launchers();
    let launcher = launchers.iter().find_map(|name| in_path(name));
    let launcher = launcher.ok_or_else(|| format!("no {} in PATH", launchers.join(" or ")))?;
    let scratch = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let output = scratch.path().join("rank.%r");
    launch(&launcher, library, abi, &output)?;
    let shown = launcher.display();
    for rank in 0..RANKS {
        let run = scratch.path().join(format!("rank.{rank}"));
        let recording = Recording::open(&run)
            .map_err(|error| format!("{shown} -n {RANKS}: rank {rank}: {error}"))?;
        let calls = count(&recording).mpi.calls;
        let called = |name: &str| {
            calls.iter().any(|(number, calls)| {
                function(*number).is_some_and(|known| known.name == name) && *calls == 1
            })
        };
        if let Some(missing) = CALLS.iter().find(|name| !called(name)) {
            return Err(format!("{shown} -n {RANKS}: rank {rank} called {missing}, unseen"));
        }
    }
    let calls = CALLS.join(", ");
    Ok(format!("tested with {shown} -n {RANKS}: each rank's calls of {calls} are recorded"))
}

fn launch(launcher: &Path, library: &Path, abi: Abi, output: &Path) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(launcher);
    if abi == Abi::OpenMpi {
        // It refuses root otherwise, and more ranks than cores.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.arg("--oversubscribe");
    }
    command.args(["-n", &RANKS.to_string()]).arg(&own);
    command.args(["run", "--quiet", "--format", "recording", "--mpi", "messages", "--output"]);
    command.arg(output).arg("--").arg(&own).arg("use-mpi").arg(library);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| format!("{}: {error}", launcher.display()))?;
    ended(child).map_err(|why| format!("{} -n {RANKS}: {why}", launcher.display()))
}

fn ended(mut child: Child) -> Result<(), String> {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if begin.elapsed() < LONGEST => std::thread::sleep(Duration::from_millis(10)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it took more than {} s", LONGEST.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_known_by_the_name_of_the_library() {
        let abi = |name: &str| Abi::of(Path::new(name));
        assert_eq!(abi("/usr/lib/libmpi.so.40.30.4"), Some(Abi::OpenMpi));
        assert_eq!(abi("/opt/lib/libmpi.so.12.1.8"), Some(Abi::Mpich));
        assert_eq!(abi("/usr/lib/libmpich.so.12"), Some(Abi::Mpich));
        assert_eq!(abi("/opt/lib/libmpi_abi.so.1"), Some(Abi::Standard));
        assert_eq!(abi("/usr/lib/libmpifort.so.12"), None);
        assert_eq!(abi("/usr/lib/libmpi.so"), None);
    }
}
