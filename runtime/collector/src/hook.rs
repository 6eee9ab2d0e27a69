//! Hooks by which a library that no program calls gets control: at the program's start, and whenever a library is
//! loaded.
//!
//! The initialiser of every shared object and program (`_init` of the C library's crti.o) calls
//! `__gmon_start__` if there is such a function, which else only programs built with `-pg` have. Ours
//! is found instead if this library is preloaded. The program's own initialiser is the last
//! one of the start: all runtimes are up then. Afterwards a runtime that comes with dlopen is found
//! when a library that needs it is initialised; where the runtime itself is opened, its constructors
//! are still to run, and a known one (OpenUH's) would hang if it were asked before: a thread of ours
//! waits until the dynamic linker is done with it.

use crate::attach;
use collector_sys::SYMBOL;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use ompttrace_recorder::caught;
use std::ffi::CString;

/// Symbol that our own provider for runtimes with OMPT exports, so that it is recognised: those runtimes are recorded
/// through OMPT itself.
const PROVIDER: &CStr = c"ompttrace_collector_provider";

/// Description of a loaded object by the dynamic linker, as far as `dladdr1` documents it.
#[repr(C)]
struct LinkMap {
    address: usize,
    name: *const c_char,
}

unsafe extern "C" {
    fn dladdr1(
        address: *const c_void,
        info: *mut libc::Dl_info,
        extra: *mut *mut LinkMap,
        flags: c_int,
    ) -> c_int;
}

const RTLD_DL_LINKMAP: c_int = 2;

/// True once the program's own initialiser has run.
static STARTED: AtomicBool = AtomicBool::new(false);
/// A runtime's function that must not be called before its constructors have run.
static WAITING: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// Called by the initialisers of the program and its libraries.
///
/// # Safety
/// Only these may call it: the caller is identified by the return address.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn __gmon_start__() {
    #[cfg(target_arch = "x86_64")]
    core::arch::naked_asm!("mov rdi, qword ptr [rsp]", "jmp {}", sym initialised);
    #[cfg(target_arch = "aarch64")]
    core::arch::naked_asm!("mov x0, x30", "b {}", sym initialised);
}

extern "C" fn initialised(from: *const c_void) {
    let _ = caught(|| if attach::is_taken() { attach::wait_until_attached() } else { look(from) });
}

/// Our own constructor, for programs with a `__gmon_start__` of their own, which would be called instead of ours.
extern "C" fn constructor() {
    let _ = caught(|| {
        // SAFETY: a zero-terminated name.
        let called = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__gmon_start__".as_ptr()) };
        if !core::ptr::eq(called, __gmon_start__ as *const c_void) {
            attach_to(default_symbol());
        }
    });
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

fn default_symbol() -> *mut c_void {
    // SAFETY: a zero-terminated name.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr()) }
}

/// The object around `from` is being initialised.
fn look(from: *const c_void) {
    let Some(name) = object(from) else { return };
    if name.is_empty() {
        // The program has no name for the dynamic linker.
        STARTED.store(true, Ordering::Release);
        return attach_to(default_symbol());
    }
    if !STARTED.load(Ordering::Acquire) {
        return;
    }
    // A waiting thread has had its turn when another object is initialised.
    attach_to(WAITING.swap(core::ptr::null_mut(), Ordering::AcqRel));
    let symbol = symbol_of(&name);
    if !symbol.is_null() && object(symbol).as_ref() == Some(&name) {
        wait_for(name, symbol);
    } else {
        attach_to(symbol);
    }
}

/// The name of the object in which an address lies; empty for the program itself.
fn object(address: *const c_void) -> Option<CString> {
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let mut map: *mut LinkMap = core::ptr::null_mut();
    // SAFETY: fills both results or returns 0; a map's name is a C string as long as the object is
    // there, and it is: we were called from it, or found a symbol in it.
    unsafe {
        let found = dladdr1(address, info.as_mut_ptr(), &raw mut map, RTLD_DL_LINKMAP);
        let name = map.as_ref().filter(|_| found != 0)?.name;
        Some(if name.is_null() { CString::default() } else { CStr::from_ptr(name).to_owned() })
    }
}

/// The interface's function as seen from an object that is there: its own or that of what it needs.
fn symbol_of(name: &CStr) -> *mut c_void {
    // SAFETY: opens nothing that is not there; the handle is released.
    unsafe {
        let handle = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return core::ptr::null_mut();
        }
        let symbol = libc::dlsym(handle, SYMBOL.as_ptr());
        libc::dlclose(handle);
        symbol
    }
}

/// Has a runtime attached to when its constructors have run: at the next object's initialiser or when
/// the dynamic linker's lock is free, whichever comes first.
fn wait_for(name: CString, symbol: *mut c_void) {
    WAITING.store(symbol, Ordering::Release);
    let waiter = std::thread::Builder::new().name("ompttrace".into()).spawn(move || {
        no_signals();
        // Waits for the lock that dlopen holds until all constructors have run.
        let _ = symbol_of(&name);
        attach_to(WAITING.swap(core::ptr::null_mut(), Ordering::AcqRel));
    });
    if waiter.is_err() {
        ompttrace_life::say("no thread to wait for a runtime with the Collector API");
    }
}

/// The program's signals are not for our thread.
fn no_signals() {
    // SAFETY: fills a set on this stack and takes it as the thread's mask.
    unsafe {
        let mut all = core::mem::MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), core::ptr::null_mut());
    }
}

fn attach_to(symbol: *mut c_void) {
    if symbol.is_null() || attach::is_taken() {
        return;
    }
    let name = file_of(symbol);
    if is_provider(&name) {
        return say_if_in_front(&name);
    }
    // SAFETY: the dynamic linker's address for the interface's symbol.
    if let Some(api) = unsafe { attach::function(symbol) } {
        attach::attach(api, name.to_string_lossy().into_owned());
    }
}

/// The file of the object in which an address lies, as runtimes with OMPT are named.
fn file_of(address: *const c_void) -> CString {
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr fills the structure or leaves the zeros; the name is a C string or null.
    unsafe {
        libc::dladdr(address, info.as_mut_ptr());
        let name = info.assume_init().dli_fname;
        if name.is_null() { CString::default() } else { CStr::from_ptr(name).to_owned() }
    }
}

fn is_provider(name: &CStr) -> bool {
    // SAFETY: dladdr fills the structure or leaves the zeros; the name is a C string or null.
    unsafe {
        let handle = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return false;
        }
        let mark = libc::dlsym(handle, PROVIDER.as_ptr());
        libc::dlclose(handle);
        !mark.is_null()
    }
}

/// Our provider becomes the runtimes' only tool if they find it before us.
fn say_if_in_front(provider: &CStr) {
    // SAFETY: a zero-terminated name.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"ompt_start_tool".as_ptr()) };
    if !first.is_null() && *file_of(first) == *provider {
        ompttrace_life::say(
            "libompttrace_collector.so stands in front of libompttrace.so in LD_PRELOAD: \
             put it behind; the program runs untraced",
        );
    }
}

/// The key whose destructor reports a thread's end, plus one; 0: not made yet.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Arranges for the calling thread's end to be reported: the interface has no event for it.
pub(crate) fn watch_end() {
    if let Some(key) = key() {
        // SAFETY: a key of ours; any value but null calls the destructor.
        unsafe { libc::pthread_setspecific(key, core::ptr::dangling()) };
    }
}

fn key() -> Option<libc::pthread_key_t> {
    if let Some(key) = KEY.load(Ordering::Acquire).checked_sub(1) {
        return Some(key);
    }
    let mut made: libc::pthread_key_t = 0;
    // SAFETY: stores a key through the pointer; the destructor is a function of this library, which is
    // never unloaded.
    if unsafe { libc::pthread_key_create(&raw mut made, Some(ends)) } != 0 {
        return None;
    }
    match KEY.compare_exchange(0, made + 1, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(made),
        Err(first) => {
            // SAFETY: our own key, which no thread has used.
            unsafe { libc::pthread_key_delete(made) };
            first.checked_sub(1)
        }
    }
}

unsafe extern "C" fn ends(_: *mut c_void) {
    let _ = caught(crate::events::thread_ends);
}
