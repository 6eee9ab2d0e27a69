//! `src/host`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::{accounts, clock, message, own_stack};

pub(crate) mod primitives;
#[path = "../../src/host/sync.rs"]
pub(crate) mod sync;
