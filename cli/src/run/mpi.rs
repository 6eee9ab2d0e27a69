//! The decision to put functions of ours in front of MPI's. In a program without MPI they must not be visible: some
//! programs test whether such functions are there.

use super::elf::Elf;
use super::job;
use super::libraries;
use ompttrace_recording::settings::MpiMode;
use std::path::{Path, PathBuf};

/// By what the user wants, by the libraries of the program, and by the variables of the one that started us. A launcher's ranks
/// inherit what it has.
pub fn is_wanted(mode: MpiMode, program: &Path) -> bool {
    match mode {
        MpiMode::Off => false,
        MpiMode::Calls | MpiMode::Messages => true,
        MpiMode::Auto => match use_of(program) {
            Use::Linked => true,
            Use::Asked => false,
            Use::Unknown => {
                job::has_launcher(|name| std::env::var_os(name))
                    || job::is_launcher(program.as_os_str())
            }
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

/// All implementations call their libraries so: libmpi.so, libmpich.so, libmpi_abi.so, libmpifort.so.
fn is_mpi(library: &str) -> bool {
    library.starts_with("libmpi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_says_counts_before_what_is_seen() {
        let own = std::env::current_exe().expect("a path");
        assert!(is_wanted(MpiMode::Calls, &own) && !is_wanted(MpiMode::Off, &own));
        assert_eq!(use_of(&own), Use::Unknown);
        assert!(is_mpi("libmpich.so.12") && is_mpi("libmpi_abi.so.1") && !is_mpi("libm.so.6"));
    }
}
