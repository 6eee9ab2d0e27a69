//! Lookup of the libgomp that receives a call: the one on which the library of the caller depends.
//!
//! A process can hold several, also under other names and loaded so that only their users see them
//! (wheels of Python bring a `libgomp-<hash>.so` each), but all of them reach us. So every call
//! site is looked up once, by its library's dependences, and remembered by its address.
//!
//! Limits: a library that uses another's libgomp without depending on it gets the first in the process; and an address
//! in a library whose unloading is not noticed is remembered for good, also when another is loaded there.

use crate::describe::FoundLibgomp;
use crate::entry_point::Entry;
use crate::libraries::{LIBRARIES, library_at};
use crate::{inquiry, start};
use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use ompttrace_recorder::{Locked, caught};

/// The last number of a libgomp, which is never assigned: calls have it while no libgomp is loaded, and no entry point
/// has a function there.
const NOWHERE: usize = LIBRARIES - 1;

/// Origin of a call.
#[derive(Clone, Copy)]
pub(crate) enum CallOrigin {
    /// A library of the program, whose calls go to the libgomp with the number `library`; `reported` is true if its
    /// events are recorded.
    Library { library: usize, reported: bool },
    /// This library itself: a jump at the end of a function that we called.
    Ours,
}

/// Remembered call sites: the address, and in the top byte the result of its lookup, which is never 0.
static CALL_SITES: [AtomicU64; 4096] = [const { AtomicU64::new(0) }; 4096];
const ADDRESS: u64 = (1 << 56) - 1;
const REPORTED: u64 = 0x40;
const OURS: u64 = 0x80;

#[inline(always)]
fn site(address: u64) -> &'static AtomicU64 {
    let hash = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    #[allow(clippy::indexing_slicing, reason = "the remainder is below the length")]
    &CALL_SITES[hash as usize % CALL_SITES.len()]
}

/// Origin of the call that returns to this address.
#[inline(always)]
pub(crate) fn of(address: u64) -> CallOrigin {
    let found = site(address).load(Ordering::Relaxed);
    if found & ADDRESS == address && found != 0 {
        return decode(found >> 56);
    }
    look_up(address)
}

/// Forgets all call sites in `start..end`, since the code there is unmapped or about to be and another library may be
/// loaded there.
pub(crate) fn code_left(start: u64, end: u64) {
    CALLERS.with(|callers| {
        for slot in callers {
            if slot.as_ref().is_some_and(|caller| (start..end).contains(&caller.code)) {
                *slot = None;
            }
        }
    });
    for site in &CALL_SITES {
        let found = site.load(Ordering::Relaxed);
        if (start..end).contains(&(found & ADDRESS)) {
            let _ = site.compare_exchange(found, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

#[inline(always)]
fn decode(found: u64) -> CallOrigin {
    if found & OURS != 0 {
        return CallOrigin::Ours;
    }
    CallOrigin::Library { library: (found & 7) as usize, reported: found & REPORTED != 0 }
}

#[cold]
#[inline(never)]
fn look_up(address: u64) -> CallOrigin {
    let Some(found) = caught(|| classify(address)).flatten() else {
        return CallOrigin::Library { library: NOWHERE, reported: false };
    };
    site(address).store(address & ADDRESS | found << 56, Ordering::Relaxed);
    decode(found)
}

/// Known libgomps; the position of each is its number.
struct Known {
    base: usize,
    reported: bool,
}

static KNOWN: Locked<Vec<Known>> = Locked::new(Vec::new());

/// Looks up an unknown call site; returns the byte to remember, or `None` if no libgomp is loaded yet.
fn classify(address: u64) -> Option<u64> {
    let of_caller = library_at(address as *const c_void);
    if let (Some((ours, _)), Some((caller, _))) =
        (library_at(classify as *const c_void), &of_caller)
        && ours == *caller
    {
        return Some(OURS);
    }
    let caller = of_caller.map(|(base, _)| base);
    if let Some(found) = caller.and_then(found_for) {
        return Some(found);
    }
    let probe = of_caller.and_then(|(_, name)| through(name)).or_else(next).or_else(any);
    let (base, handle) = probe?;
    let known = KNOWN.with(|known| {
        if let Some(number) = known.iter().position(|one| one.base == base) {
            return Some((number, known.get(number)?.reported));
        }
        let number = known.len();
        if number >= NOWHERE {
            return None;
        }
        fill(number, handle);
        let reported = is_to_be_reported(base, handle, number);
        known.push(Known { base, reported });
        Some((number, reported))
    });
    // Interrupted in itself, or one too many: the first serves.
    let (number, reported) = known.flatten().unwrap_or((0, false));
    let found = number as u64 | if reported { REPORTED } else { 0 } | 0x10;
    if let Some(base) = caller.filter(|_| known.flatten().is_some()) {
        keep(Caller { base, code: address, found });
    }
    Some(found)
}

/// A library that calls libgomp: its base address, an address in its code, and the result of its lookup.
struct Caller {
    base: usize,
    code: u64,
    found: u64,
}

/// Libraries that were looked up. Further call sites in them need no call of the loader, whose lock may be contended
/// in a region and whose memory would give each thread a heap of its own.
static CALLERS: Locked<[Option<Caller>; 32]> = Locked::new([const { None }; 32]);

fn found_for(base: usize) -> Option<u64> {
    let one = |callers: &mut [Option<Caller>; 32]| {
        let same = callers.iter().flatten().find(|caller| caller.base == base);
        same.map(|caller| caller.found)
    };
    CALLERS.with(one).flatten()
}

/// Remembers a library; one for which there is no slot is looked up at each of its call sites.
fn keep(caller: Caller) {
    CALLERS.with(|callers| {
        if let Some(free) = callers.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(caller);
        }
    });
}

/// Functions of which each libgomp has at least one, whatever its age.
const PROBES: [&CStr; 2] = [c"GOMP_barrier", c"omp_set_lock"];

/// Base address of the libgomp that `handle` leads to, other than this library, and a handle of its own.
fn probe(handle: *mut c_void) -> Option<(usize, *mut c_void)> {
    let (ours, _) = library_at(classify as *const c_void)?;
    for name in PROBES {
        // SAFETY: a handle of the loader and a C string.
        let function = unsafe { libc::dlsym(handle, name.as_ptr()) };
        if function.is_null() {
            continue;
        }
        if let Some((base, file)) = library_at(function)
            && base != ours
        {
            // SAFETY: a C string; the library is loaded already and stays so.
            let own = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            return Some((base, if own.is_null() { handle } else { own }));
        }
    }
    None
}

/// Finds the libgomp that a library depends on.
fn through(name: &CStr) -> Option<(usize, *mut c_void)> {
    // SAFETY: a C string; nothing is loaded that is not yet. The program itself is not to be had so.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return None;
    }
    let found = probe(handle);
    if found.is_none_or(|(_, kept)| kept != handle) {
        // SAFETY: the handle that was had above. With it the library would stay when the program closes it.
        unsafe { libc::dlclose(handle) };
    }
    found
}

/// Finds the next libgomp after this library among all libraries that the program was started with.
fn next() -> Option<(usize, *mut c_void)> {
    probe(libc::RTLD_NEXT)
}

/// Finds any loaded library whose file name begins with `libgomp`.
fn any() -> Option<(usize, *mut c_void)> {
    let mut found = None;
    // SAFETY: the callback gets the pointer that is passed with it.
    unsafe { libc::dl_iterate_phdr(Some(see), (&raw mut found).cast()) };
    through(found?)
}

/// A C string that lives as long as the library it names.
type Name = &'static CStr;

unsafe extern "C" fn see(
    library: *mut libc::dl_phdr_info,
    _: libc::size_t,
    found: *mut c_void,
) -> libc::c_int {
    // SAFETY: the loader's own description, and the pointer that `any` passes.
    unsafe {
        let name = (*library).dlpi_name;
        if name.is_null() {
            return 0;
        }
        let name = CStr::from_ptr(name);
        let file = name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_one = file.starts_with(b"libgomp");
        if is_one {
            *found.cast::<Option<Name>>() = Some(name);
        }
        i32::from(is_one)
    }
}

unsafe extern "C" {
    /// All entry points by family, which [`entries`](crate::entries) puts here when the library is linked: at run time the first
    /// call may come before any code of ours has run. The name is visible in the library only.
    #[allow(improper_ctypes, reason = "Rust on both sides")]
    static ompttrace_libgomp_entries: &'static &'static [&'static [&'static Entry]];
}

/// Looks up all entry points at once: a later look-up might wait for the loader's lock inside a region, while
/// the thread that holds it waits for the region.
fn fill(number: usize, handle: *mut c_void) {
    // SAFETY: a reference to constants, which nothing changes.
    let tables = unsafe { ompttrace_libgomp_entries };
    for entry in tables.iter().copied().flatten() {
        // SAFETY: a handle of the loader and a C string.
        let real = unsafe { libc::dlsym(handle, entry.name.as_ptr()) };
        entry.set(number, real.cast());
    }
}

/// Begins to record a libgomp; returns true if it is recorded. LLVM's runtime, which has these functions too, is not:
/// it reports through OMPT.
fn is_to_be_reported(base: usize, handle: *mut c_void, number: usize) -> bool {
    let has = |name: &CStr| {
        // SAFETY: a handle of the loader and a C string.
        let function = unsafe { libc::dlsym(handle, name.as_ptr()) };
        !function.is_null() && library_at(function).is_some_and(|(other, _)| other == base)
    };
    if has(c"__kmpc_fork_call") || !has(c"GOMP_parallel_start") {
        return false;
    }
    let newest = VERSIONS.iter().find(|(name, _)| has(name)).map_or("GOMP_1.0", |(_, known)| known);
    // SAFETY: the functions' types are those of omp.h; both are there in every libgomp.
    let real = |name: &CStr| unsafe { libc::dlsym(handle, name.as_ptr()) };
    inquiry::set_inquiry(number, real(c"omp_get_thread_num"), real(c"omp_get_num_threads"));
    inquiry::set_more(number, real(c"omp_get_max_threads"), real(c"omp_get_schedule"));
    inquiry::set_levels(number, real(c"omp_get_level"), real(c"omp_get_ancestor_thread_num"));
    inquiry::ask_may_cancel(number, real(c"omp_get_cancellation"));
    let barrier = real(c"GOMP_barrier");
    let file = library_at(barrier).map(|(_, file)| file);
    let found = FoundLibgomp {
        version: format!("GNU libgomp with {newest}"),
        library: file.map_or_else(String::new, |file| file.to_string_lossy().into_owned()),
        address: barrier.addr() as u64,
    };
    start::begin(&found, code_left)
}

/// Versions of libgomp's symbols that came with functions, newest first, each with one such function.
const VERSIONS: [(&CStr, &str); 9] = [
    (c"GOMP_interop", "GOMP_5.1.3"),
    (c"GOMP_target_map_indirect_ptr", "GOMP_5.1.2"),
    (c"GOMP_taskwait_depend_nowait", "GOMP_5.1.1"),
    (c"GOMP_scope_start", "GOMP_5.1"),
    (c"GOMP_alloc", "GOMP_5.0.1"),
    (c"GOMP_teams_reg", "GOMP_5.0"),
    (c"GOMP_taskloop", "GOMP_4.5"),
    (c"GOMP_parallel", "GOMP_4.0"),
    (c"GOMP_taskyield", "GOMP_3.0"),
];
