//! The modules that were seen so far, for all threads: each is added once, and never changed, except for the flag that
//! it may have been unmapped.
//!
//! None is ever freed, because a walk may still read its tables, and because a library that was closed is
//! most often opened again: at most [`MAX_MODULES`].

use crate::image;
use framehop::{Unwinder, UnwinderNative};
use ompttrace_recorder::Locked;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// The framehop policy that forbids allocation while unwinding.
pub(crate) type Policy = framehop::MustNotAllocateDuringUnwind;
type Tables = UnwinderNative<image::Bytes, Policy>;

/// Maximum number of modules; in further ones frame pointers are followed.
const MAX_MODULES: usize = 512;

/// A mapping of executable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// First address of the mapping.
    pub start: u64,
    /// The first address after the mapping.
    pub end: u64,
    /// Address at which the beginning of its file is mapped; 0 for code without a file.
    pub header: u64,
    /// A number that identifies the file at these addresses; another one has a different number.
    pub identity: u64,
}

impl Mapped {
    fn covers(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

/// A module and its tables.
pub(crate) struct Module {
    mapped: Mapped,
    pub(crate) tables: Tables,
    /// True if the module may have been unmapped: its tables are not used then before it was found again.
    left: AtomicBool,
}

/// The known modules, filled from the front.
static MODULES: [AtomicPtr<Module>; MAX_MODULES] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_MODULES];
static FULL: AtomicBool = AtomicBool::new(false);
static FIND: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the function that returns the mapping at a code address. It is called once per module, in a callback, and
/// again when the module may have been unmapped.
pub fn set_find_module(find: fn(u64) -> Option<Mapped>) {
    FIND.store(find as *mut (), Ordering::Release);
}

fn find(address: u64) -> Option<Mapped> {
    let hook = FIND.load(Ordering::Acquire);
    if hook.is_null() {
        return None;
    }
    // SAFETY: the only value ever stored is such a function, by `set_find_module`.
    let hook: fn(u64) -> Option<Mapped> = unsafe { std::mem::transmute(hook) };
    hook(address)
}

fn modules() -> impl Iterator<Item = &'static Module> {
    // SAFETY: null or a leaked box, of which nothing changes more than its atomic word.
    MODULES.iter().map_while(|slot| unsafe { slot.load(Ordering::Acquire).as_ref() })
}

impl Module {
    /// The known module at `address`, unless it may have been unmapped.
    pub(crate) fn at(address: u64) -> Option<&'static Module> {
        let is_here = |module: &&Module| {
            module.mapped.covers(address) && !module.left.load(Ordering::Acquire)
        };
        modules().find(is_here)
    }

    /// The module at `address` after a look-up of the present mappings; `None` if there is no code.
    #[cold]
    pub(crate) fn found(address: u64) -> Option<&'static Module> {
        if FULL.load(Ordering::Relaxed) && !modules().any(|known| known.mapped.covers(address)) {
            return Some(without_tables());
        }
        let mapped = find(address)?;
        if let Some(known) = modules().find(|module| module.mapped == mapped) {
            known.left.store(false, Ordering::Release);
            return Some(known);
        }
        let Mapped { start, end, header, .. } = mapped;
        let mut tables = Tables::new();
        tables.add_module(image::module(start, end, header));
        let new = Box::into_raw(Box::new(Module { mapped, tables, left: AtomicBool::new(false) }));
        for slot in &MODULES {
            let null = std::ptr::null_mut();
            let other = match slot.compare_exchange(null, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => new,
                Err(other) => other,
            };
            // SAFETY: null or a leaked box, of which nothing changes more than its atomic word.
            let there = unsafe { other.as_ref() }.filter(|there| there.mapped == mapped);
            if there.is_some() {
                if other != new {
                    // SAFETY: made above, and nothing else has seen it.
                    drop(unsafe { Box::from_raw(new) });
                }
                return there;
            }
        }
        // SAFETY: made above, and every slot was taken: nothing else has seen it.
        drop(unsafe { Box::from_raw(new) });
        FULL.store(true, Ordering::Relaxed);
        Some(without_tables())
    }
}

/// The module at `address`, which is looked up if it is not known.
pub(crate) fn known_or_found(address: u64) -> Option<&'static Module> {
    // Threads that meet new code together wait for the first one's look.
    static LOOKS: Locked<()> = Locked::new(());
    let look = || Module::at(address).or_else(|| Module::found(address));
    Module::at(address).or_else(|| LOOKS.with(|()| look()).unwrap_or_else(look))
}

/// A module without tables, in which frame pointers are followed.
fn without_tables() -> &'static Module {
    static NONE: OnceLock<Module> = OnceLock::new();
    NONE.get_or_init(|| Module {
        mapped: Mapped { start: 0, end: 0, header: 0, identity: 0 },
        tables: Tables::new(),
        left: AtomicBool::new(false),
    })
}

/// Notes that the code in `start..end` may be unmapped from now on: modules there are looked up again before they are
/// used, and remembered walks become invalid.
pub fn left(start: u64, end: u64) {
    for module in modules() {
        if module.mapped.start < end && start < module.mapped.end {
            module.left.store(true, Ordering::Release);
        }
    }
    CHANGES.fetch_add(1, Ordering::Release);
}

/// Address ranges of code whose frames are not the program's: this library's, and the runtimes'.
static RUNTIME_CODE: [[AtomicU64; 2]; 9] = [const { [AtomicU64::new(0), AtomicU64::new(0)] }; 9];
/// True if neither this library nor any runtime is linked into the program itself.
static APART: AtomicBool = AtomicBool::new(true);
/// Number of times that a runtime was registered, or a module was unloaded.
static CHANGES: AtomicUsize = AtomicUsize::new(0);

/// Registers the module at `address` as a runtime's: frames in it are not the program's, nor are those of this
/// library, unless they are linked into the program itself. There is space for eight runtimes.
pub fn set_runtime(address: u64) {
    // SAFETY: asks for a number.
    let program = unsafe { libc::getauxval(libc::AT_ENTRY) };
    let add = |address| {
        let Some(Mapped { start, end, .. }) = find(address) else { return false };
        let apart = !(start..end).contains(&program);
        if apart {
            add_runtime_code(start, end);
        }
        apart
    };
    add(set_runtime as *const () as u64);
    if !add(address) {
        APART.store(false, Ordering::Relaxed);
    }
    CHANGES.fetch_add(1, Ordering::Release);
}

fn add_runtime_code(start: u64, end: u64) {
    for [first, last] in &RUNTIME_CODE {
        let taken = first.compare_exchange(0, start, Ordering::AcqRel, Ordering::Acquire);
        if taken.is_ok() || taken == Err(start) {
            return last.store(end, Ordering::Release);
        }
    }
}

/// A number that changes whenever frames may be classified differently, or modules may have changed.
pub(crate) fn changes() -> usize {
    CHANGES.load(Ordering::Acquire)
}

/// True if a frame at `address` is the runtime's or this library's.
pub fn is_runtime_code(address: u64) -> bool {
    let ranges = RUNTIME_CODE
        .iter()
        .map(|[first, last]| (first.load(Ordering::Acquire), last.load(Ordering::Acquire)));
    // Free slots are the last ones.
    ranges.take_while(|(first, _)| *first != 0).any(|(first, end)| (first..end).contains(&address))
}

/// True if a frame at `address` is certainly the program's.
pub(crate) fn is_of_program(address: u64) -> bool {
    APART.load(Ordering::Relaxed) && !is_runtime_code(address)
}
