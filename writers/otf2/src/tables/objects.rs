//! Functions of windows and files of MPI as OTF2 has them.

use ompttrace_model::{Access, Moves};
use ompttrace_recording::mpi::{function, lock, mode};
use otf2_sys::*;

/// The effect of a function that is given a window or a file and moves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// All ranks of the window come to it, and all accesses are complete.
    Fence,
    /// The window is gone.
    Free,
    /// Access to one rank's part of the window begins, or to all of it, and ends.
    Lock,
    LockAll,
    Unlock,
    UnlockAll,
    /// Accesses of this process to one rank's part are complete, or to all of it.
    Flush,
    FlushAll,
    /// They are complete as far as this process is concerned.
    FlushLocal,
    FlushLocalAll,
    /// Accesses are complete that began with MPI_Win_start.
    Complete,
    /// Others have accessed the window.
    Wait,
    /// The window's memory is made consistent.
    Sync,
    /// The file is closed.
    Close,
    /// An access to the file ends that another function has begun.
    End,
}

/// The effect of a function by its name; `None`: OTF2 has no record for it.
fn effect(name: &str) -> Option<Effect> {
    let effect = match name.strip_prefix("MPI_")? {
        "Win_fence" => Effect::Fence,
        "Win_free" => Effect::Free,
        "Win_lock" => Effect::Lock,
        "Win_lock_all" => Effect::LockAll,
        "Win_unlock" => Effect::Unlock,
        "Win_unlock_all" => Effect::UnlockAll,
        "Win_flush" => Effect::Flush,
        "Win_flush_all" => Effect::FlushAll,
        "Win_flush_local" => Effect::FlushLocal,
        "Win_flush_local_all" => Effect::FlushLocalAll,
        "Win_complete" => Effect::Complete,
        "Win_wait" | "Win_test" => Effect::Wait,
        "Win_sync" => Effect::Sync,
        "File_close" => Effect::Close,
        name if name.starts_with("File_") && name.ends_with("_end") => Effect::End,
        _ => return None,
    };
    Some(effect)
}

/// The effect of the function with this number.
pub(crate) fn effect_of(number: u16) -> Option<Effect> {
    effect(function(number.into())?.name)
}

/// True for a function that all ranks of a window call together.
pub(crate) fn is_collective(effect: Effect) -> bool {
    matches!(effect, Effect::Fence | Effect::Free)
}

/// OTF2's number of the type of a lock.
pub(crate) fn lock_type(flags: u32) -> u8 {
    (if flags == lock::EXCLUSIVE { OTF2_LOCK_EXCLUSIVE } else { OTF2_LOCK_SHARED }) as u8
}

/// OTF2's number of an atomic operation; `None`: it is none.
pub(crate) fn atomic_type(moves: Moves) -> Option<u8> {
    let kind = match moves {
        Moves::Accumulate => OTF2_RMA_ATOMIC_TYPE_ACCUMULATE,
        Moves::FetchAndAccumulate => OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
        Moves::CompareAndSwap => OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP,
        Moves::Put | Moves::Get | Moves::Read | Moves::Write => return None,
    };
    Some(kind as u8)
}

/// OTF2's mode of an access to a file, and its flags but for that of one that is not blocking.
pub(crate) fn io_operation(access: &Access) -> (u8, u32) {
    let mode = match access.moves() {
        Some(Moves::Read) => OTF2_IO_OPERATION_MODE_READ,
        _ => OTF2_IO_OPERATION_MODE_WRITE,
    };
    let name = function(access.function.into()).map_or("", |function| function.name);
    let is_collective = name.contains("_all") || name.contains("_ordered");
    let flags = if is_collective { OTF2_IO_OPERATION_FLAG_COLLECTIVE } else { 0 };
    (mode as u8, flags)
}

/// True if another function ends the access.
pub(crate) fn is_split(access: &Access) -> bool {
    let name = function(access.function.into()).map_or("", |function| function.name);
    name.trim_end_matches("_c").ends_with("_begin")
}

/// OTF2's mode, creation flags and status flags of a file that is opened.
pub(crate) fn opened(flags: u32) -> (u8, u32, u32) {
    let has = |one: u32| flags & one != 0;
    let access = match () {
        () if has(mode::READ_WRITE) => OTF2_IO_ACCESS_MODE_READ_WRITE,
        () if has(mode::WRITE_ONLY) => OTF2_IO_ACCESS_MODE_WRITE_ONLY,
        () => OTF2_IO_ACCESS_MODE_READ_ONLY,
    };
    let all = |of: &[(u32, u32)]| {
        of.iter().filter(|(one, _)| has(*one)).fold(0, |all, (_, flag)| all | flag)
    };
    let creation = [
        (mode::CREATE, OTF2_IO_CREATION_FLAG_CREATE),
        (mode::EXCLUSIVE, OTF2_IO_CREATION_FLAG_EXCLUSIVE),
        (mode::UNIQUE, OTF2_IO_CREATION_FLAG_UNIQUE),
        (mode::SEQUENTIAL, OTF2_IO_CREATION_FLAG_NO_SEEK),
    ];
    let status = [
        (mode::APPEND, OTF2_IO_STATUS_FLAG_APPEND),
        (mode::DELETE_ON_CLOSE, OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE),
    ];
    (access as u8, all(&creation), all(&status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::mpi::{FUNCTIONS, Group};

    #[test]
    fn functions_have_effects_or_move_something_or_are_regions_only() {
        let of_windows = FUNCTIONS.iter().filter(|one| one.group == Group::OneSided);
        for one in of_windows.filter(|one| one.takes_object) {
            let name = one.name;
            let is_either = effect(name).is_some() != Moves::of(name).is_some();
            let asks = ["_attr", "_info", "_name", "_group", "_query", "attach", "detach", "_c"];
            let begins = ["MPI_Win_start", "MPI_Win_post"].contains(&name);
            let is_neither = begins || asks.iter().any(|part| name.contains(part));
            assert!(is_either || is_neither, "{name}");
        }
        let ends = FUNCTIONS.iter().filter(|one| effect(one.name) == Some(Effect::End));
        assert_eq!(ends.count(), 6);
    }

    #[test]
    fn a_file_is_opened_as_its_mode_says() {
        let all = mode::ALL.iter().fold(0, |all, one| all | one);
        assert_eq!(opened(all), (2, 0x609, 0x102));
        assert_eq!(opened(mode::WRITE_ONLY), (1, 0, 0));
        assert_eq!(opened(mode::READ_ONLY), (0, 0, 0));
    }

    #[test]
    fn accesses_to_files_are_collective_by_their_names() {
        let number = |name: &str| {
            let mut all = FUNCTIONS.iter();
            all.find(|one| one.name == name).expect("a function").number
        };
        let access = |name| Access { object: 0, function: number(name), peer: 0, bytes: 0, id: 0 };
        assert_eq!(io_operation(&access("MPI_File_iread_at_all")), (0, 2));
        assert_eq!(io_operation(&access("MPI_File_write_ordered_begin")), (1, 2));
        assert_eq!(io_operation(&access("MPI_File_write_shared")), (1, 0));
        assert!(is_split(&access("MPI_File_read_at_all_begin_c")));
        assert!(!is_split(&access("MPI_File_read_at_all")));
    }
}
