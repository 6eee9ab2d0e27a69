//! Uses an OpenMP runtime for a moment, in a process of its own: a parallel region of two threads.
//!
//! All of them have the functions that GCC's compiler calls, which need no compiler to be called. Ours
//! of the same names, where they stand in front of libgomp's, come first.

use crate::arguments::UseRuntimeArguments;
use crate::say;
use std::ffi::{c_uint, c_void};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

const THREADS: c_uint = 2;

/// GCC's function that carries out a parallel region: body, its argument, threads, flags.
type Parallel = unsafe extern "C" fn(extern "C" fn(*mut c_void), *mut c_void, c_uint, c_uint);

static MEMBERS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn body(_: *mut c_void) {
    MEMBERS.fetch_add(1, Ordering::Relaxed);
}

/// 0: the region was carried out.
pub fn run(arguments: &UseRuntimeArguments) -> ExitCode {
    match region(&arguments.library) {
        Ok(()) if MEMBERS.load(Ordering::Relaxed) > 0 => ExitCode::SUCCESS,
        Ok(()) => ExitCode::FAILURE,
        Err(error) => {
            say::aside(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn region(library: &Path) -> Result<(), libloading::Error> {
    // SAFETY: the initialisers of an OpenMP runtime, in a process that does nothing else.
    let library = unsafe { libloading::Library::new(library)? };
    // Its threads live until the end of the process: it must stay.
    let library = Box::leak(Box::new(library));
    let process = libloading::os::unix::Library::this();
    // SAFETY: the function has this type in every library that has it.
    let parallel = unsafe {
        match process.get::<Parallel>(c"GOMP_parallel") {
            Ok(in_front) => *in_front,
            Err(_) => *library.get::<Parallel>(c"GOMP_parallel")?,
        }
    };
    // SAFETY: the body uses no argument and does not unwind.
    unsafe { parallel(body, std::ptr::null_mut(), THREADS, 0) };
    Ok(())
}
