//! MPI's name service, by which processes of one job find out about each other before they communicate: a process publishes a
//! short text under a name, and others look it up.
//!
//! No rank waits in it for another one, so that it serves where it is not known which ranks are recorded.

use crate::abi::{self, Handle};
use crate::library;
use core::ffi::{CStr, c_char, c_int};
use std::ffi::CString;

type Publish = extern "C" fn(*const c_char, usize, *const c_char) -> c_int;
type LookUp = extern "C" fn(*const c_char, usize, *mut c_char) -> c_int;
type GetHandler = extern "C" fn(usize, *mut usize) -> c_int;
type SetHandler = extern "C" fn(usize, usize) -> c_int;
type FreeHandler = extern "C" fn(*mut usize) -> c_int;

/// More than any library's MPI_MAX_PORT_NAME, which is 1024.
const LONGEST: usize = 4096;

/// The library's functions.
pub(crate) struct Names {
    publish: Publish,
    unpublish: Publish,
    look_up: LookUp,
    get_handler: GetHandler,
    set_handler: SetHandler,
    free_handler: FreeHandler,
}

impl Names {
    /// `None`: the library has no name service that may be asked for names that are not there.
    pub(crate) fn find() -> Option<Names> {
        if !is_trusted() {
            return None;
        }
        let symbols = [
            c"PMPI_Publish_name",
            c"PMPI_Unpublish_name",
            c"PMPI_Lookup_name",
            c"PMPI_Comm_get_errhandler",
            c"PMPI_Comm_set_errhandler",
            c"PMPI_Errhandler_free",
        ];
        let [publish, unpublish, look_up, get_handler, set_handler, free_handler] =
            symbols.map(library::symbol);
        // SAFETY: the functions' types in every MPI, with handles as machine words.
        unsafe {
            Some(Names {
                publish: core::mem::transmute::<*mut (), Publish>(publish?),
                unpublish: core::mem::transmute::<*mut (), Publish>(unpublish?),
                look_up: core::mem::transmute::<*mut (), LookUp>(look_up?),
                get_handler: core::mem::transmute::<*mut (), GetHandler>(get_handler?),
                set_handler: core::mem::transmute::<*mut (), SetHandler>(set_handler?),
                free_handler: core::mem::transmute::<*mut (), FreeHandler>(free_handler?),
            })
        }
    }

    /// True once the text is published.
    pub(crate) fn publish(&self, name: &str, text: &str) -> bool {
        let (Ok(name), Ok(text)) = (CString::new(name), CString::new(text)) else { return false };
        (self.publish)(name.as_ptr(), abi::own(Handle::NoInfo), text.as_ptr()) == 0
    }

    /// Takes a name back.
    pub(crate) fn unpublish(&self, name: &str, text: &str) {
        if let (Ok(name), Ok(text)) = (CString::new(name), CString::new(text)) {
            (self.unpublish)(name.as_ptr(), abi::own(Handle::NoInfo), text.as_ptr());
        }
    }

    /// The text under a name, if that is published. Hydra's name server gives an empty text for one that is not.
    pub(crate) fn look_up(&self, name: &str) -> Option<String> {
        let name = CString::new(name).ok()?;
        let mut text = vec![0u8; LONGEST];
        let found = (self.look_up)(
            name.as_ptr(),
            abi::own(Handle::NoInfo),
            text.as_mut_ptr().cast::<c_char>(),
        );
        let text = CStr::from_bytes_until_nul(&text).ok()?;
        (found == 0 && !text.is_empty()).then(|| text.to_string_lossy().into_owned())
    }

    /// Does something while errors are returned, as that of a name that is not published: by default they end the program. They
    /// belong to one of two communicators, by the version of MPI.
    pub(crate) fn with_errors_returned<R>(&self, body: impl FnOnce() -> R) -> R {
        let communicators = [Handle::World, Handle::Itself].map(abi::own);
        let before = communicators.map(|communicator| {
            let mut handler = 0usize;
            let is_known = (self.get_handler)(communicator, &raw mut handler) == 0;
            (self.set_handler)(communicator, abi::own(Handle::ErrorsReturn));
            is_known.then_some(handler)
        });
        let result = body();
        for (communicator, handler) in communicators.into_iter().zip(before) {
            if let Some(mut handler) = handler {
                (self.set_handler)(communicator, handler);
                (self.free_handler)(&raw mut handler);
            }
        }
        result
    }
}

/// True for libraries that were seen to return the error of a name that is not published. Intel MPI with the binary
/// interface of the standard ends the program, whatever its error handlers are.
fn is_trusted() -> bool {
    let version = library::version();
    let version = version.to_string_lossy();
    let is_standard = abi::abi().number == abi::STANDARD;
    version.starts_with("Open MPI v")
        || version.starts_with("MPICH Version")
        || version.starts_with("Intel(R) MPI Library") && !is_standard
}
