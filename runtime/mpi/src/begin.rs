//! The start of recording MPI.

use crate::{late, ranks, threads};
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, Ordering};
use ompttrace_life::{MpiMode, Origin};
use ompttrace_mpi_interface::{Library, Wanted};
use ompttrace_recorder::{State, caught};
use ompttrace_recording::facts::{MPI, Runtime};

/// False while a command keeps calls out of the recording.
pub(crate) static IS_RECORDING: AtomicBool = AtomicBool::new(false);

/// Begins to record MPI; returns what must be reported.
pub(crate) extern "C" fn begin(library: &Library) -> Wanted {
    caught(|| try_begin(library)).unwrap_or(Wanted::Nothing)
}

fn try_begin(library: &Library) -> Wanted {
    let wanted = match ompttrace_life::mpi_mode() {
        Some(MpiMode::Off) | None => return Wanted::Nothing,
        Some(MpiMode::Calls) => Wanted::Calls,
        Some(MpiMode::Auto | MpiMode::Messages) => Wanted::Messages,
    };
    let version = first_line(&text(library.version));
    let runtime = Runtime {
        interface: MPI.to_owned(),
        version: version.clone(),
        library: text(library.file),
        ..Runtime::default()
    };
    if ompttrace_life::begin(|_| runtime).is_none() {
        return Wanted::Nothing;
    }
    ompttrace_life::on_command(command);
    ompttrace_life::on_command(late::on_command);
    set(ompttrace_recorder::state());
    // MPI may be used up to the end of the process, and nobody says when it was used last.
    ompttrace_life::at_last(ompttrace_life::finalized);
    threads::prepare();
    ranks::set(&version, wanted);
    wanted
}

fn command(state: State, _: Origin) {
    set(state);
}

fn set(state: State) {
    IS_RECORDING.store(!matches!(state, State::Paused | State::Ended), Ordering::Relaxed);
}

/// A call begins while nothing is recorded.
pub(crate) extern "C" fn passed() {
    ompttrace_recorder::take_outside_command();
}

fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's C string, as the interface has it.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The name and the version of a library, from the first line of its long description.
fn first_line(version: &str) -> String {
    let line = version.lines().next().unwrap_or_default();
    let words: Vec<_> = line.split_whitespace().collect();
    let text = words.join(" ").replace("Version: ", "").replace("MPICH MPICH", "MPICH");
    text.split(',').next().unwrap_or_default().replace("Open MPI v", "Open MPI ")
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn a_library_is_called_by_its_name_and_number() {
        let open_mpi = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4";
        assert_eq!(first_line(open_mpi), "Open MPI 4.1.4");
        assert_eq!(first_line("MPICH Version:      4.0.2\nMPICH Release date: x"), "MPICH 4.0.2");
        assert_eq!(first_line(""), "");
    }
}
