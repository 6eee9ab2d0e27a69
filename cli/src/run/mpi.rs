//! The decision to put functions of ours in front of MPI's. In a program without MPI they must not be visible: some
//! programs test whether such functions are there.

use super::elf::Elf;
use super::libraries;
use ompttrace_recording::settings::MpiMode;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables that launchers of MPI programs set for each process.
const OF_LAUNCHERS: [&str; 6] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "PMI_FD",
    "MPI_LOCALRANKID",
    "MV2_COMM_WORLD_RANK",
];

/// True by the user's choice, by the libraries of the program, or by the variables of the launcher that started us.
pub fn is_wanted(mode: MpiMode, program: &Path) -> bool {
    match mode {
        MpiMode::Off => false,
        MpiMode::Calls | MpiMode::Messages => true,
        MpiMode::Auto => match use_of(program) {
            Use::Linked => true,
            Use::Asked => false,
            Use::Unknown => has_launcher(|name| std::env::var_os(name)),
        },
    }
}

/// The use of MPI that a program's files show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The loader brings an MPI with the program.
    Linked,
    /// The loader brings none, and the program or a library of it tests whether one is there.
    Asked,
    /// The files show nothing: an interpreter may load one.
    Unknown,
}

fn use_of(program: &Path) -> Use {
    let Some(elf) = Elf::read(program) else { return Use::Unknown };
    let libraries = libraries::of_program(&elf);
    if libraries.iter().any(|(name, _)| is_mpi(name)) {
        return Use::Linked;
    }
    let asks = |file: &PathBuf| Elf::read(file).is_some_and(|library| library.asks_for_mpi);
    let asks = elf.asks_for_mpi || libraries.iter().filter_map(|(_, file)| file.as_ref()).any(asks);
    if asks { Use::Asked } else { Use::Unknown }
}

fn has_launcher(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    OF_LAUNCHERS.iter().any(|name| variable(name).is_some())
}

/// True for a library of MPI. All implementations have such names: libmpi.so, libmpich.so, libmpi_abi.so,
/// libmpifort.so.
fn is_mpi(library: &str) -> bool {
    library.starts_with("libmpi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_is_known_by_its_variables() {
        let only = |set: &'static str| move |name: &str| (name == set).then(|| OsString::from("0"));
        assert!(has_launcher(only("PMIX_RANK")) && has_launcher(only("PMI_RANK")));
        assert!(!has_launcher(only("SLURM_PROCID")));
    }

    #[test]
    fn what_the_user_says_counts_before_what_is_seen() {
        let own = std::env::current_exe().expect("a path");
        assert!(is_wanted(MpiMode::Calls, &own) && !is_wanted(MpiMode::Off, &own));
        assert_eq!(use_of(&own), Use::Unknown);
        assert!(is_mpi("libmpich.so.12") && is_mpi("libmpi_abi.so.1") && !is_mpi("libm.so.6"));
    }
}
