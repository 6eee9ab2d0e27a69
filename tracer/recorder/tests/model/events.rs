//! `src/events`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::fork;

#[path = "../../src/events/slow.rs"]
pub(crate) mod slow;
