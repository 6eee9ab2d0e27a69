//! Recordings made small after the run, and read again without anybody noticing.
//!
//! A thread's records are cut into blocks. Of each block the codes stand apart from the words, and of
//! the words the differences from a guess, sorted into columns; zstd takes out what is
//! left over. This is done by `ompttrace pack`, never in the traced process: that links no zstd.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bytes;
mod column;
mod decode;
mod encode;
mod guess;
mod layout;
mod open;
mod pack;
mod place;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use open::{open, packed_bytes};
pub use place::{Options, Outcome, pack_folder};
#[cfg(test)]
mod tests;
