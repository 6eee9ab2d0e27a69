//! Compresses recordings after the run, and reads them transparently.
//!
//! A thread's records are divided into blocks. In each block the codes are stored separately from the words, and the words
//! as differences from a prediction, sorted into columns; zstd compresses the result. `ompttrace pack` does this, never the
//! traced process, which does not link zstd.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bytes;
mod column;
mod decode;
mod encode;
mod guess;
mod in_folder;
mod layout;
mod open;
mod pack;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use in_folder::{Options, Outcome, pack_folder};
pub use open::{open, packed_bytes};
#[cfg(test)]
mod tests;
