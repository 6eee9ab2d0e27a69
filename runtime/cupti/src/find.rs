//! Search for libcupti: first for one in the process, since only one can be in use, then for installed ones.

use core::ffi::{CStr, c_void};
use ompttrace_life::Cupti;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// File names of libcupti, newest first.
const NAMES: [&CStr; 3] = [c"libcupti.so.13", c"libcupti.so.12", c"libcupti.so"];
/// Folders of CUDA toolkits that are not on the loader's path.
const FOLDERS: [&str; 2] = ["/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64"];

/// A loaded library and its file.
pub(crate) struct Found {
    pub(crate) handle: *mut c_void,
    pub(crate) file: String,
}

/// Finds the library according to the setting; otherwise returns a message.
pub(crate) fn find(wanted: &Cupti) -> Result<Found, String> {
    if let Cupti::Library(path) = wanted {
        return at(path, libc::RTLD_NOW)
            .ok_or_else(|| format!("cannot load {} (OMPTTRACE_CUPTI): {}", path.display(), why()));
    }
    loaded().or_else(installed).ok_or_else(|| {
        "no libcupti was found, so activities of devices are not recorded: OMPTTRACE_CUPTI can name one".to_owned()
    })
}

/// The library, if one is loaded in the process.
fn loaded() -> Option<Found> {
    NAMES.iter().find_map(|name| open(name, libc::RTLD_NOW | libc::RTLD_NOLOAD))
}

/// Loads the library from the loader's path, or from a folder of CUDA's other libraries.
fn installed() -> Option<Found> {
    NAMES.iter().find_map(|name| open(name, libc::RTLD_NOW)).or_else(|| {
        let all = folders().into_iter().flat_map(|folder| {
            NAMES.map(|name| folder.join(std::ffi::OsStr::from_bytes(name.to_bytes())))
        });
        all.into_iter().find_map(|path| at(&path, libc::RTLD_NOW))
    })
}

/// Folders of toolkits, and those near the CUDA runtime in the process, such as that of a Python package.
fn folders() -> Vec<PathBuf> {
    let set = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(std::env::var_os).flat_map(|root| {
        let root = PathBuf::from(root);
        [root.join("extras/CUPTI/lib64"), root.join("lib64")]
    });
    let runtimes = [c"libcudart.so.13", c"libcudart.so.12"];
    let runtime = runtimes.iter().find_map(|name| open(name, libc::RTLD_NOW | libc::RTLD_NOLOAD));
    // …/nvidia/cuda_runtime/lib/libcudart.so.12 has …/nvidia/cuda_cupti/lib beside it; packages of CUDA 13 share a folder.
    let beside =
        runtime.iter().filter_map(|found| Path::new(&found.file).parent()).flat_map(|lib| {
            [Some(lib.to_owned()), lib.parent().map(|own| own.with_file_name("cuda_cupti/lib"))]
        });
    set.chain(beside.flatten()).chain(FOLDERS.iter().map(PathBuf::from)).collect()
}

fn at(path: &Path, flags: i32) -> Option<Found> {
    open(&CString::new(path.as_os_str().as_bytes()).ok()?, flags)
}

fn open(name: &CStr, flags: i32) -> Option<Found> {
    // SAFETY: a C string; the constructors of a libcupti are what every user of it runs.
    let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
    (!handle.is_null()).then(|| Found { handle, file: file_of(handle, name) })
}

/// Path of a library's file, or the name by which the library was found.
fn file_of(handle: *mut c_void, name: &CStr) -> String {
    // SAFETY: a handle that dlopen gave, and a C string.
    let function = unsafe { libc::dlsym(handle, c"cuptiGetVersion".as_ptr()) };
    let function = if function.is_null() {
        // SAFETY: as above.
        unsafe { libc::dlsym(handle, c"cudaRuntimeGetVersion".as_ptr()) }
    } else {
        function
    };
    // SAFETY: all-zero is a valid value of these pointers.
    let mut known: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: any address may be asked for; the pointer is to storage for the answer.
    let found = !function.is_null() && unsafe { libc::dladdr(function, &raw mut known) } != 0;
    if !found || known.dli_fname.is_null() {
        return name.to_string_lossy().into_owned();
    }
    // SAFETY: a C string of the loader's, which lives as long as the library.
    unsafe { CStr::from_ptr(known.dli_fname) }.to_string_lossy().into_owned()
}

fn why() -> String {
    // SAFETY: the answer is null or a C string that lives until the next call of this thread.
    unsafe {
        let why = libc::dlerror();
        if why.is_null() {
            return "unknown".to_owned();
        }
        CStr::from_ptr(why).to_string_lossy().into_owned()
    }
}
