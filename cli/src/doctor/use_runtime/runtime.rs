//! A loaded runtime, by the functions that compilers call.

use libloading::os::unix::Library;
use std::ffi::{CStr, c_uint, c_void};
use std::path::Path;

/// Number of threads of a team.
const THREADS: c_uint = 2;

/// Type of the function that a compiler makes of the body of a region or task.
pub type Body = extern "C" fn(*mut c_void);
/// GCC's function that carries out a parallel region: body, its argument, threads, flags.
type Parallel = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint);

/// An OpenMP runtime that is loaded.
pub struct Runtime {
    process: Library,
    library: &'static Library,
    parallel: Parallel,
}

impl Runtime {
    /// Loads the runtime from its file.
    pub fn load(file: &Path) -> Result<Runtime, libloading::Error> {
        // SAFETY: the initialisers of an OpenMP runtime, in a process that does nothing else.
        let library = unsafe { Library::new(file)? };
        // Its threads live until the end of the process: it must stay.
        let library = Box::leak(Box::new(library));
        let process = Library::this();
        // SAFETY: the function has this type in every library that has it.
        let parallel = unsafe {
            match process.get::<Parallel>(c"GOMP_parallel") {
                Ok(in_front) => *in_front,
                Err(_) => *library.get::<Parallel>(c"GOMP_parallel")?,
            }
        };
        Ok(Runtime { process, library, parallel })
    }

    /// A function of this name, if there is one: a wrapper of the runtime's own comes first.
    ///
    /// # Safety
    /// `F` is the type of the function.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Option<F> {
        // SAFETY: the caller's.
        let found = unsafe {
            self.process.get::<F>(name).ok().or_else(|| self.library.get::<F>(name).ok())
        };
        found.map(|function| *function)
    }

    /// Has each thread of a team do this.
    pub fn team(&self, work: &(dyn Fn() + Sync)) {
        extern "C" fn body(data: *mut c_void) {
            // SAFETY: what is handed over below, while `team` waits for all threads.
            let work = unsafe { *data.cast::<&(dyn Fn() + Sync)>() };
            work();
        }
        let data = (&raw const work).cast_mut().cast();
        // SAFETY: the body gets what it expects, and does not unwind: its work only calls the runtime.
        unsafe { (self.parallel)(body, data, THREADS, 0) };
    }
}
