//! `src/events`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::fork;

#[path = "../../src/events/definitions.rs"]
pub(crate) mod definitions;
#[path = "../../src/events/slow.rs"]
pub(crate) mod slow;
