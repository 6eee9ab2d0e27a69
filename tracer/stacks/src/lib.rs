//! Call stacks of the calling thread: the return addresses of the program's own frames, from where it
//! called the OpenMP runtime down to where the runtime called it.
//!
//! framehop unwinds, with DWARF tables or frame pointers. Its tables are copies (`image`), so
//! unloading a library cannot invalidate them; the stack is read within its bounds, or by the
//! kernel (`memory`); the number of frames is bounded. A broken stack therefore gives few frames or
//! wrong ones, but never a crash. In the steady state a walk takes no lock and no memory; a module
//! seen for the first time costs an allocation. A stack that looks as it did at the last walk is not
//! unwound again (`memo`).
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
pub use known::{Mapped, is_runtime_code, left, set_find_module, set_runtime};
pub use sample::WALKER;
pub use walk::{End, MAX_DEPTH, Request, Walked, walk};
