//! A rank of the program with which `doctor --probe` tries an MPI: it loads the library and calls a few functions by the names that
//! programs use, of which ours come first.

use super::mpi::Abi;
use crate::arguments::UseMpiArguments;
use crate::say;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{CStr, c_int, c_void};
use std::path::Path;
use std::process::ExitCode;

/// The functions that it calls, once each.
pub const CALLS: [&str; 3] = ["MPI_Init", "MPI_Barrier", "MPI_Finalize"];

/// Seconds after which a library that hangs is ended.
const SECONDS: u32 = 20;

/// Handles of MPI_COMM_WORLD (`runtime/mpi-entries/src/abi.rs`).
const MPICH_WORLD: usize = 0x4400_0000;
const STANDARD_WORLD: usize = 0x101;

pub fn run(arguments: &UseMpiArguments) -> ExitCode {
    // SAFETY: no handler is there for the signal, which ends the process.
    unsafe { libc::alarm(SECONDS) };
    match use_library(&arguments.library) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::remark(&error);
            ExitCode::FAILURE
        }
    }
}

fn use_library(file: &Path) -> Result<(), String> {
    let abi = Abi::of(file).ok_or_else(|| format!("{}: not an MPI", file.display()))?;
    // SAFETY: the initialisers of an MPI library, in a process that does nothing else.
    let library = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_GLOBAL) };
    // Its threads live until the end of the process: it must stay.
    let library = Box::leak(Box::new(library.map_err(|error| error.to_string())?));
    let process = Library::this();
    let world = match abi {
        Abi::Mpich => MPICH_WORLD,
        Abi::Standard => STANDARD_WORLD,
        // SAFETY: the address of a variable, which is the handle.
        Abi::OpenMpi => unsafe {
            let handle = library.get::<*mut c_void>(c"ompi_mpi_comm_world");
            handle.map_err(|error| error.to_string())?.into_raw().expose_provenance()
        },
    };
    // Handles are ints or pointers: a machine word has room for both.
    call(&process, c"MPI_Init", [0, 0])?;
    call(&process, c"MPI_Barrier", [world, 0])?;
    call(&process, c"MPI_Finalize", [0, 0])
}

/// Calls a function, which may have fewer arguments.
fn call(process: &Library, name: &CStr, words: [usize; 2]) -> Result<(), String> {
    type Function = unsafe extern "C" fn(usize, usize) -> c_int;
    // SAFETY: a function of MPI, whose arguments are machine words in registers; those beyond its own are not looked at.
    let result = unsafe {
        let function = process.get::<Function>(name).map_err(|error| error.to_string())?;
        function(words[0], words[1])
    };
    if result == 0 { Ok(()) } else { Err(format!("{}: error {result}", name.to_string_lossy())) }
}
