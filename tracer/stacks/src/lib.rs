//! Call stacks of the calling thread: the return addresses of the program's own frames, from where it
//! called the OpenMP runtime down to where the runtime called it.
//!
//! framehop unwinds, by DWARF's tables or frame pointers. Its tables are copies ([`image`]), so that
//! no library that is unloaded can take them away; the stack is read within its bounds, or by the
//! kernel ([`memory`]); the number of frames is bounded. So a broken stack gives few frames or wrong
//! ones, never a crash. In the steady state a walk takes no lock and no memory; a module that was
//! not seen before costs an allocation. A stack that looks as it did when it was walked before is not
//! unwound again ([`memo`]).
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod caches;
mod context;
mod image;
mod known;
mod memo;
mod memory;
mod registers;
mod sample;
mod walk;

pub use context::{are_wanted, put_context, put_frame, put_numbered_context, set_depth};
pub use known::{Mapped, left, set_find_module, set_runtime};
pub use sample::WALKER;
pub use walk::{End, MAX_DEPTH, Request, Walked, walk};
