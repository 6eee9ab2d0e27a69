//! For tests of this and other crates: run folders written by hand, and a sink that checks the
//! timeline's contract and remembers what it got.

mod builder;
mod checker;
mod nonsense;
mod seen;
mod team_threads;

pub use builder::{Payload, RunBuilder};
pub use checker::{Broken, Checker};
pub use nonsense::nonsense;
pub use seen::{SeenHold, SeenInstant, SeenPhase, SeenRegion, SeenSlice, Timeline};
