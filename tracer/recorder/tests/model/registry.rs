//! `src/registry`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::{panics, patience, waits};

#[path = "../../src/registry/inside.rs"]
pub(crate) mod inside;
#[path = "../../src/registry/losses.rs"]
pub(crate) mod losses;
#[path = "../../src/registry/park.rs"]
pub(crate) mod park;
pub(crate) mod pool;
#[path = "../../src/registry/recorder.rs"]
pub(crate) mod recorder;
