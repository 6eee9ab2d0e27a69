//! `src/streams`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::{cores, counters, samples};
