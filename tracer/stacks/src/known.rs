//! The modules that were seen so far, for all threads: a list that is never changed, only replaced.
//!
//! An older list is never freed, because a walk may still read it; there are as many as modules that
//! frames were found in, and at most [`MAX_LISTS`].

use crate::image;
use framehop::{Unwinder, UnwinderNative};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// How framehop is told not to allocate.
pub(crate) type Policy = framehop::MustNotAllocateDuringUnwind;
type Tables = UnwinderNative<image::Bytes, Policy>;

/// Lists beyond these are not made: in a module found later frame pointers are followed.
const MAX_LISTS: u32 = 512;

/// A mapping of executable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Its first address.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// Where its file's beginning is mapped; 0 for code without a file.
    pub header: u64,
}

/// Modules and their tables.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) tables: Tables,
    ranges: Vec<(u64, u64)>,
}

static KNOWN: AtomicPtr<Known> = AtomicPtr::new(std::ptr::null_mut());
static LISTS: AtomicU32 = AtomicU32::new(0);
static FIND: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Says who knows what is mapped at a code address. It is asked once per module, in a callback.
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

impl Known {
    /// The list of this moment; `None` before the first module.
    pub(crate) fn current() -> Option<&'static Known> {
        let known = KNOWN.load(Ordering::Acquire);
        // SAFETY: null or a leaked box that nobody changes.
        unsafe { known.as_ref() }
    }

    pub(crate) fn has(&self, address: u64) -> bool {
        self.ranges.iter().any(|(start, end)| (*start..*end).contains(&address))
    }

    /// A list that has the module of `address`; `None` where no code is mapped there.
    #[cold]
    pub(crate) fn with(address: u64) -> Option<&'static Known> {
        if LISTS.fetch_add(1, Ordering::Relaxed) >= MAX_LISTS {
            LISTS.store(MAX_LISTS, Ordering::Relaxed);
            return Self::current();
        }
        let Mapped { start, end, header } = find(address)?;
        let mut old = KNOWN.load(Ordering::Acquire);
        loop {
            // SAFETY: as in `current`.
            let before = unsafe { old.as_ref() };
            let mut new = before
                .map_or_else(|| Known { tables: Tables::new(), ranges: Vec::new() }, Known::clone);
            new.tables.add_module(image::module(start, end, header));
            new.ranges.push((start, end));
            let new = Box::into_raw(Box::new(new));
            match KNOWN.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: as in `current`.
                Ok(_) => return unsafe { new.as_ref() },
                Err(other) => {
                    old = other;
                    // SAFETY: made above, and nobody else has seen it.
                    drop(unsafe { Box::from_raw(new) });
                }
            }
        }
    }
}

/// Code whose frames are not the program's: our own, and the runtime's.
static FOREIGN: [[AtomicU64; 2]; 9] = [const { [AtomicU64::new(0), AtomicU64::new(0)] }; 9];
/// Whether every runtime has a module of its own.
static APART: AtomicBool = AtomicBool::new(true);
/// How often a runtime was told of.
static CHANGES: AtomicUsize = AtomicUsize::new(0);

/// Says where a runtime's code is: frames in the module at `address` are none of the program's,
/// nor are our own; unless they are linked into the program itself. Eight runtimes fit.
pub fn set_runtime(address: u64) {
    // SAFETY: asks for a number.
    let program = unsafe { libc::getauxval(libc::AT_ENTRY) };
    let add = |address| {
        let Some(Mapped { start, end, .. }) = find(address) else { return false };
        let apart = !(start..end).contains(&program);
        if apart {
            add_foreign(start, end);
        }
        apart
    };
    add(set_runtime as *const () as u64);
    if !add(address) {
        APART.store(false, Ordering::Relaxed);
    }
    CHANGES.fetch_add(1, Ordering::Release);
}

fn add_foreign(start: u64, end: u64) {
    for [first, last] in &FOREIGN {
        let taken = first.compare_exchange(0, start, Ordering::AcqRel, Ordering::Acquire);
        if taken.is_ok() || taken == Err(start) {
            return last.store(end, Ordering::Release);
        }
    }
}

/// A number that is another one whenever frames may be told apart differently.
pub(crate) fn changes() -> usize {
    CHANGES.load(Ordering::Acquire)
}

/// Whether a frame at `address` is none of the program's.
pub(crate) fn is_foreign(address: u64) -> bool {
    let ranges = FOREIGN
        .iter()
        .map(|[first, last]| (first.load(Ordering::Acquire), last.load(Ordering::Acquire)));
    // Free places are the last ones.
    ranges.take_while(|(first, _)| *first != 0).any(|(first, end)| (first..end).contains(&address))
}

/// Whether a frame at `address` is certainly the program's.
pub(crate) fn is_of_program(address: u64) -> bool {
    APART.load(Ordering::Relaxed) && !is_foreign(address)
}
