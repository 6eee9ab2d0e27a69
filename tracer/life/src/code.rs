//! Code addresses and their modules, which are watched from their first appearance on.

use crate::{modules, unload};

/// Ensures that the module of this code address is in the file, and returns its number; 0 if there is none.
pub(crate) fn module_of_code(address: u64) -> u64 {
    let Some(seen) = modules::see(address) else { return 0 };
    if seen.is_unwatched {
        unload::watch(&seen);
    }
    seen.identity
}
