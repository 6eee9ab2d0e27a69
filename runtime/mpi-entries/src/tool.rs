//! The copy of the tool that is in the process: found where a runtime or the loader brought it, else loaded from beside this
//! library, from where the runtime will get the same copy.

use crate::library;
use crate::thread::Thread;
use crate::{abi, communicators, files, later};
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use ompttrace_mpi_interface::{Interface, Library, SYMBOL, VERSION, Wanted};
use std::ffi::{CStr, CString};
use std::sync::Once;

/// Address of the tool's [`Interface`]; null until it records MPI.
static TOOL: AtomicPtr<Interface> = AtomicPtr::new(core::ptr::null_mut());
/// 1 if the data that calls transfer are wanted as well; else 0.
static MESSAGES: AtomicU8 = AtomicU8::new(0);

/// Name of the tool's file, in the folder of this library.
const FILE: &str = "libompttrace.so";

/// The tool, if calls are recorded now; the first call of the process finds the tool.
#[inline(always)]
pub(crate) fn wanted(thread: &Thread, frame: usize) -> Option<&'static Interface> {
    let tool = known().or_else(|| begins(thread, frame))?;
    if tool.is_recording.load(Ordering::Relaxed) { Some(tool) } else { passed(tool) }
}

/// The tool, if a command from outside has ended a pause just now.
#[inline(never)]
fn passed(tool: &'static Interface) -> Option<&'static Interface> {
    (tool.passed)();
    tool.is_recording.load(Ordering::Relaxed).then_some(tool)
}

/// The tool, if it records calls at all, also while it is paused.
#[inline(always)]
pub(crate) fn known() -> Option<&'static Interface> {
    // SAFETY: null or the address of a static of a library that is never unloaded.
    unsafe { TOOL.load(Ordering::Acquire).as_ref() }
}

/// True if peers, tags and bytes are wanted.
#[inline(always)]
pub(crate) fn wants_messages() -> bool {
    MESSAGES.load(Ordering::Relaxed) != 0
}

/// Finds the tool at the first call of the process. Calls that the tool makes meanwhile count as inside of that call.
#[cold]
#[inline(never)]
fn begins(thread: &Thread, frame: usize) -> Option<&'static Interface> {
    static ONCE: Once = Once::new();
    if !ONCE.is_completed() {
        thread.set_outermost(frame);
        ONCE.call_once(|| {
            let tool = begin().map_or(core::ptr::null_mut(), |tool| (&raw const *tool).cast_mut());
            TOOL.store(tool, Ordering::Release);
        });
        thread.set_outermost(0);
    }
    known()
}

/// The tool, once it has begun to record; `None`: it does not record MPI.
fn begin() -> Option<&'static Interface> {
    let tool = attached().or_else(loaded).or_else(load)?;
    if tool.version != VERSION {
        eprintln!(
            "ompttrace: MPI is not recorded: the tool in the process is of another version than libompttrace-mpi.so; \
             a program that it is linked into has to be linked again"
        );
        return None;
    }
    abi::find();
    communicators::find();
    let version = library::version();
    let file = library::file();
    let described = Library { version: version.as_ptr(), file: file.as_ptr() };
    let wanted = (tool.begin)(&described);
    MESSAGES.store(u8::from(wanted == Wanted::Messages), Ordering::Relaxed);
    if wanted == Wanted::Nothing {
        return None;
    }
    later::put_in_place();
    Some(tool)
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
