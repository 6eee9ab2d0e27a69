//! Functions that only some libraries have: programs test for them, so that none is exported. Where the library of the process has one,
//! ours is put in its place in the tables by which the program and its libraries call it.

use crate::entries::LATER;
use crate::function::Function;
use crate::relocations::Replacement;
use crate::{files, library, relocations};
use core::ffi::CStr;

/// A function, and our entry points for its two names.
pub(crate) struct Later {
    function: &'static Function,
    entries: [*const (); 2],
}

// SAFETY: the addresses are those of code, which nobody changes.
unsafe impl Sync for Later {}

impl Later {
    pub(crate) const fn new(function: &'static Function, entries: [*const (); 2]) -> Later {
        Later { function, entries }
    }
}

/// Puts the entry points in place, in all objects that are loaded but the library itself and the tool's. One that is loaded later is
/// left as it is.
pub(crate) fn put_in_place() {
    let both = |later: &'static Later| later.function.names.into_iter().zip(later.entries);
    let replacement = |(name, entry): (&'static CStr, *const ())| {
        let from = library::symbol(name)?.addr();
        Some((name, Replacement { from, to: entry.addr() }))
    };
    let mut ours: Vec<(&CStr, Replacement)> =
        LATER.iter().flat_map(both).filter_map(replacement).collect();
    ours.sort_unstable_by_key(|(name, _)| *name);
    if ours.is_empty() {
        return;
    }
    let own = files::file_of(put_in_place as *const ());
    let library = library::file();
    relocations::each_object(|object| {
        let is_left_out = own == Some(object.file) || *library == *object.file;
        if !is_left_out {
            object.redirect(|name| {
                let found = ours.binary_search_by_key(&name, |(name, _)| *name).ok()?;
                ours.get(found).map(|(_, replacement)| *replacement)
            });
        }
    });
}
