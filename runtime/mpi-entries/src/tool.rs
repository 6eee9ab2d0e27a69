//! The copy of the tool that is in the process: found where a runtime or the loader brought it, else loaded from beside this
//! library, from where the runtime will get the same copy.

use crate::library;
use crate::thread::Thread;
use crate::{abi, communicators, files, later};
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use ompttrace_mpi_interface::{Interface, Library, SYMBOL, VERSION, Wanted};
use std::ffi::{CStr, CString};
use std::sync::Once;

/// Address of the tool's [`Interface`]; null until it is known.
static TOOL: AtomicPtr<Interface> = AtomicPtr::new(core::ptr::null_mut());

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// 1 if the data that calls transfer are wanted as well; else 0.
static MESSAGES: AtomicU8 = AtomicU8::new(0);

/// Name of the tool's file, in the folder of this library.
const FILE: &str = "libompttrace.so";

/// The tool, if calls are recorded now; the first call of the process finds the tool.
#[inline(always)]
pub(crate) fn wanted(thread: &Thread, frame: usize) -> Option<&'static Interface> {
    if STATE.load(Ordering::Acquire) != ON {
        begins(thread, frame);
    }
    known().filter(|tool| tool.is_recording.load(Ordering::Relaxed))
}

/// The tool, if it records calls at all, also while it is paused.
#[inline(always)]
pub(crate) fn known() -> Option<&'static Interface> {
    if STATE.load(Ordering::Acquire) != ON {
        return None;
    }
    // SAFETY: null or the address of a static of a library that is never unloaded.
    unsafe { TOOL.load(Ordering::Relaxed).as_ref() }
}

/// True if peers, tags and bytes are wanted.
#[inline(always)]
pub(crate) fn wants_messages() -> bool {
    MESSAGES.load(Ordering::Relaxed) != 0
}

/// Finds the tool at the first call of the process. Calls that the tool makes meanwhile count as inside of that call.
#[cold]
#[inline(never)]
fn begins(thread: &Thread, frame: usize) {
    static ONCE: Once = Once::new();
    if STATE.load(Ordering::Acquire) == UNKNOWN {
        thread.set_outermost(frame);
        ONCE.call_once(|| STATE.store(if begin() { ON } else { OFF }, Ordering::Release));
        thread.set_outermost(0);
    }
}

fn begin() -> bool {
    let Some(tool) = attached().or_else(loaded).or_else(load) else { return false };
    if tool.version != VERSION {
        eprintln!(
            "ompttrace: MPI is not recorded: the tool in the process is of another version than libompttrace-mpi.so; \
             a program that it is linked into has to be linked again"
        );
        return false;
    }
    TOOL.store((&raw const *tool).cast_mut(), Ordering::Relaxed);
    abi::find();
    communicators::find();
    let version = library::version();
    let file = library::file();
    let described = Library { version: version.as_ptr(), file: file.as_ptr() };
    let wanted = (tool.begin)(&described);
    MESSAGES.store(u8::from(wanted == Wanted::Messages), Ordering::Relaxed);
    if wanted != Wanted::Nothing {
        later::put_in_place();
    }
    wanted != Wanted::Nothing
}

/// The tool that was the first to offer itself; null if none did.
static OFFERED: AtomicPtr<Interface> = AtomicPtr::new(core::ptr::null_mut());

/// Accepts a tool that is loaded: see [`ompttrace_mpi_interface::Attach`].
#[unsafe(no_mangle)]
pub extern "C" fn ompttrace_mpi_attach(tool: &'static Interface) {
    let (none, tool) = (core::ptr::null_mut(), (&raw const *tool).cast_mut());
    let _ = OFFERED.compare_exchange(none, tool, Ordering::Relaxed, Ordering::Relaxed);
}

fn attached() -> Option<&'static Interface> {
    // SAFETY: null or the address of a static of a library that is never unloaded.
    unsafe { OFFERED.load(Ordering::Relaxed).as_ref() }
}

/// Interface of a tool whose symbols are visible to all libraries.
fn loaded() -> Option<&'static Interface> {
    interface_in(libc::RTLD_DEFAULT)
}

/// Interface of the tool in this library's folder, which may have been loaded for a runtime alone.
fn load() -> Option<&'static Interface> {
    let own = files::file_of(load as *const ())?;
    let path = std::path::Path::new(std::str::from_utf8(own.to_bytes()).ok()?).with_file_name(FILE);
    let path = CString::new(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())).ok()?;
    interface_in(files::open(&path, libc::RTLD_LAZY)?)
}

fn interface_in(handle: *mut libc::c_void) -> Option<&'static Interface> {
    // SAFETY: a handle of the loader's and a C string; the symbol is that of a static interface, whose version comes first.
    unsafe { libc::dlsym(handle, CStr::as_ptr(SYMBOL)).cast::<Interface>().as_ref() }
}
