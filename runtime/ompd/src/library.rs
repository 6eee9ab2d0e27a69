//! The OMPD library: the decision which file is trusted, and its functions.
//!
//! Its code runs with our rights. So it is never one that the target names (`ompd_dll_locations`), but the one beside the
//! runtime's own file, where nobody but root and ourselves could have put it, or one that the user named.

use crate::Error;
use crate::types::{Address, Callbacks, Code, FrameInfo, Handle};
use libloading::os::unix::{Library as Loaded, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{c_char, c_int, c_void};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const CPP: &str = "libstdc++.so.6";

/// Path of the OMPD library in the folder of a runtime's file, if `user` may load it: others must be able to change
/// neither the file nor its folders.
///
/// # Errors
/// There is no library, or it is not to be trusted.
pub fn beside(runtime: &Path, user: u32) -> Result<PathBuf, Error> {
    let real = fs::canonicalize(runtime)
        .map_err(|error| Error::Library(format!("{}: {error}", runtime.display())))?;
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = real.parent().unwrap_or(Path::new("/"));
    let names: &[&str] = if name.starts_with("libiomp5") {
        &["libiomp5_db.so"]
    } else {
        &["libompd.so", "libiomp5_db.so"]
    };
    let found = names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let Some(path) = found else {
        let text = format!("no {} beside {}", names.join(" or "), real.display());
        return Err(Error::Library(text));
    };
    trusted(&path, user)
}

/// The real path of a library that `user` may load: only root and the user may be able to change the file and its
/// folders.
///
/// # Errors
/// There is no such file, or others may change it.
pub fn trusted(library: &Path, user: u32) -> Result<PathBuf, Error> {
    let path = fs::canonicalize(library)
        .map_err(|error| Error::Library(format!("{}: {error}", library.display())))?;
    for part in path.ancestors() {
        if let Some(why) = distrust(part, user) {
            return Err(Error::Library(format!("{} is not loaded: {why}", path.display())));
        }
    }
    Ok(path)
}

/// Reason why others may have changed a file or folder; `None` if only root and `user` can.
fn distrust(path: &Path, user: u32) -> Option<String> {
    const WRITABLE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    let shown = path.display();
    let Ok(metadata) = path.symlink_metadata() else {
        return Some(format!("{shown} cannot be looked at"));
    };
    if metadata.uid() != 0 && metadata.uid() != user {
        return Some(format!("{shown} is user {}'s", metadata.uid()));
    }
    // In a folder such as /tmp nobody can replace what is another's.
    let sticky = metadata.is_dir() && metadata.mode() & STICKY != 0;
    let open = metadata.mode() & WRITABLE != 0 && !sticky;
    open.then(|| format!("others may change {shown}"))
}

macro_rules! functions {
    ($( $name:ident ( $($argument:ty),* ) ),+ $(,)?) => {
        /// Functions of a library, by their names in the specification without `ompd_`.
        pub struct Library {
            $( pub(crate) $name: unsafe extern "C" fn($($argument),*) -> Code, )+
            // Its code has to stay.
            _loaded: (Loaded, Option<Loaded>),
        }

        impl Library {
            /// Loads a library.
            ///
            /// # Errors
            /// The file cannot be loaded, or lacks a function.
            pub fn load(path: &Path) -> Result<Library, Error> {
                let failed = |error: libloading::Error| {
                    let why = std::error::Error::source(&error).map(ToString::to_string);
                    Error::Library(why.unwrap_or_else(|| format!("{}: {error}", path.display())))
                };
                // Intel's uses the C++ library and does not say so. SAFETY: it is the system's, as every program of C++
                // loads it. Where there is none the next call says what is missing.
                let cpp = unsafe { Loaded::open(Some(CPP), RTLD_NOW | RTLD_GLOBAL) }.ok();
                // SAFETY: its constructors run: the file was chosen by the user, or only root and the user could have
                // put it where it is.
                let loaded = unsafe { Loaded::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
                let loaded = loaded.map_err(failed)?;
                Ok(Library {
                    // SAFETY: the specification gives the function of this name this type.
                    $( $name: *unsafe {
                        loaded.get(concat!("ompd_", stringify!($name)).as_bytes())
                    }.map_err(failed)?, )+
                    _loaded: (loaded, cpp),
                })
            }
        }
    };
}

functions! {
    initialize(i64, *const Callbacks),
    finalize(),
    get_version_string(*mut *const c_char),
    process_initialize(*mut c_void, *mut Handle),
    rel_address_space_handle(Handle),
    get_omp_version(Handle, *mut i64),
    get_thread_handle(Handle, u64, u64, *const c_void, *mut Handle),
    get_thread_id(Handle, u64, u64, *mut c_void),
    rel_thread_handle(Handle),
    get_curr_parallel_handle(Handle, *mut Handle),
    get_enclosing_parallel_handle(Handle, *mut Handle),
    get_task_parallel_handle(Handle, *mut Handle),
    rel_parallel_handle(Handle),
    parallel_handle_compare(Handle, Handle, *mut c_int),
    get_curr_task_handle(Handle, *mut Handle),
    get_generating_task_handle(Handle, *mut Handle),
    get_scheduling_task_handle(Handle, *mut Handle),
    rel_task_handle(Handle),
    task_handle_compare(Handle, Handle, *mut c_int),
    get_task_function(Handle, *mut Address),
    get_task_frame(Handle, *mut FrameInfo, *mut FrameInfo),
    enumerate_states(Handle, i64, *mut i64, *mut *const c_char, *mut i64),
    get_state(Handle, *mut i64, *mut u64),
    get_display_control_vars(Handle, *mut *const *const c_char),
    rel_display_control_vars(*mut *const *const c_char),
    enumerate_icvs(Handle, u64, *mut u64, *mut *const c_char, *mut c_int, *mut c_int),
    get_icv_from_scope(Handle, c_int, u64, *mut i64),
    get_icv_string_from_scope(Handle, c_int, u64, *mut *const c_char),
    get_tool_data(Handle, c_int, *mut i64, *mut Address),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_others_may_change_is_not_loaded() {
        let folder = std::env::temp_dir().join(format!("ompttrace-ompd.{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let runtime = folder.join("libomp.so.5");
        fs::write(&runtime, "").expect("written");
        let own = fs::metadata(&runtime).expect("there").uid();
        let error = |user| beside(&runtime, user).expect_err("not trusted").to_string();
        assert!(error(own).starts_with("no libompd.so or "), "{}", error(own));
        let library = folder.join("libompd.so");
        fs::write(&library, "").expect("written");
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        };
        mode(&library, 0o666);
        assert!(error(own).contains("others may change"), "{}", error(own));
        mode(&library, 0o644);
        mode(&folder, 0o777);
        assert!(error(own).contains("others may change"), "{}", error(own));
        mode(&folder, 0o755);
        assert_eq!(beside(&runtime, own).ok(), fs::canonicalize(&library).ok());
        if own != 0 {
            assert!(error(own + 1).contains("is user"), "{}", error(own + 1));
        }
        fs::remove_dir_all(&folder).expect("removed");
    }
}
