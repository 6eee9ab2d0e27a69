//! `src/registry`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::{hung_disk, panics, resumed, waits};

#[path = "../../src/registry/attention.rs"]
pub(crate) mod attention;
#[path = "../../src/registry/inside.rs"]
pub(crate) mod inside;
#[path = "../../src/registry/limits.rs"]
pub(crate) mod limits;
#[path = "../../src/registry/losses.rs"]
pub(crate) mod losses;
#[path = "../../src/registry/outside.rs"]
pub(crate) mod outside;
#[path = "../../src/registry/park.rs"]
pub(crate) mod park;
#[path = "../../src/registry/parker.rs"]
pub(crate) mod parker;
pub(crate) mod pool;
#[path = "../../src/registry/recorder.rs"]
pub(crate) mod recorder;
