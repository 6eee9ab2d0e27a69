//! Windows and files of MPI, and accesses to them: what functions move, by their names.

use crate::mpi::CommunicatorRef;
use ompttrace_recording::mpi::function;

/// The number of a window or a file, dense from 0, in the order in which they were made.
pub type MpiObjectRef = u32;

/// Kinds of what a call of MPI accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MpiObjectKind {
    /// Memory of several ranks.
    Window,
    /// A file.
    File,
}

/// A window or an open file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MpiObject {
    /// Its kind.
    pub kind: MpiObjectKind,
    /// The name of a file; empty for a window.
    pub name: String,
    /// The mode in which a file was opened ([`ompttrace_recording::mpi::mode`]).
    pub mode: u32,
    /// The communicator whose ranks have made it, if that is known.
    pub communicator: Option<CommunicatorRef>,
    /// A number that all ranks of the job have for it; 0: not known.
    pub id: u64,
}

/// An access to a window or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The window or file.
    pub object: MpiObjectRef,
    /// The function's number ([`ompttrace_recording::mpi::FUNCTIONS`]).
    pub function: u16,
    /// The rank whose memory is accessed, in the window's communicator.
    pub peer: u32,
    /// Bytes that are moved.
    pub bytes: u64,
    /// A number that no other access of the run has.
    pub id: u64,
}

/// A call that is given a window or a file and moves nothing: it synchronises, locks or closes, among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectCall {
    /// The window or file.
    pub object: MpiObjectRef,
    /// The function's number.
    pub function: u16,
    /// The rank that the function is given, in the window's communicator; without one the process's own.
    pub peer: u32,
    /// The type of a lock ([`ompttrace_recording::mpi::lock`]).
    pub lock: u32,
    /// The call's number, as an access has it.
    pub id: u64,
}

/// Direction in which a function moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Into a window.
    Put,
    /// Out of a window.
    Get,
    /// Into a window, combined with what is there.
    Accumulate,
    /// Into a window, combined with what was there, which comes back.
    FetchAndAccumulate,
    /// Into a window if a value is there, which comes back.
    CompareAndSwap,
    /// Out of a file.
    Read,
    /// Into a file.
    Write,
}

/// Prefixes of the names of functions of files, without `MPI_File_`.
const FILES: [(&str, Moves); 4] = [
    ("read", Moves::Read),
    ("iread", Moves::Read),
    ("write", Moves::Write),
    ("iwrite", Moves::Write),
];

/// Functions of windows, without `MPI_`.
const WINDOWS: [(&str, Moves); 10] = [
    ("Put", Moves::Put),
    ("Rput", Moves::Put),
    ("Get", Moves::Get),
    ("Rget", Moves::Get),
    ("Accumulate", Moves::Accumulate),
    ("Raccumulate", Moves::Accumulate),
    ("Get_accumulate", Moves::FetchAndAccumulate),
    ("Rget_accumulate", Moves::FetchAndAccumulate),
    ("Fetch_and_op", Moves::FetchAndAccumulate),
    ("Compare_and_swap", Moves::CompareAndSwap),
];

impl Moves {
    /// The direction in which a function moves data; `None`: it moves none between the process and a window or file, or ends what another
    /// one has begun.
    pub fn of(function: &str) -> Option<Moves> {
        let name = function.strip_prefix("MPI_")?;
        let name = name.strip_suffix("_c").unwrap_or(name);
        let found = match name.strip_prefix("File_") {
            Some(name) if name.ends_with("_end") => None,
            Some(name) => FILES.into_iter().find(|(start, _)| name.starts_with(start)),
            None => WINDOWS.into_iter().find(|(window, _)| *window == name),
        };
        found.map(|(_, moves)| moves)
    }
}

impl Access {
    /// The direction in which it moves data.
    pub fn moves(&self) -> Option<Moves> {
        Moves::of(function(self.function.into())?.name)
    }

    /// Bytes that this process gives and takes.
    pub fn given_and_taken(&self) -> (u64, u64) {
        match self.moves() {
            Some(Moves::Put | Moves::Accumulate | Moves::Write) => (self.bytes, 0),
            Some(Moves::Get | Moves::Read) => (0, self.bytes),
            Some(Moves::FetchAndAccumulate | Moves::CompareAndSwap) => (self.bytes, self.bytes),
            None => (0, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::mpi::{FUNCTIONS, Group};

    #[test]
    fn functions_move_what_their_names_say() {
        for (name, moves) in [
            ("MPI_Rput_c", Some(Moves::Put)),
            ("MPI_Get", Some(Moves::Get)),
            ("MPI_Get_accumulate_c", Some(Moves::FetchAndAccumulate)),
            ("MPI_File_iread_at_all", Some(Moves::Read)),
            ("MPI_File_write_ordered_begin_c", Some(Moves::Write)),
            ("MPI_File_write_ordered_end", None),
            ("MPI_File_get_size", None),
            ("MPI_Win_fence", None),
            ("MPI_Get_address", None),
        ] {
            assert_eq!(Moves::of(name), moves, "{name}");
        }
    }

    #[test]
    fn what_moves_data_is_given_a_window_or_a_file() {
        for one in FUNCTIONS {
            let is_of_object = matches!(one.group, Group::OneSided | Group::Io);
            assert!(
                Moves::of(one.name).is_none() || is_of_object && one.takes_object,
                "{}",
                one.name
            );
        }
    }
}
