//! `src/commands`: what of it is shipped, and what replaces the rest.

#[path = "../../src/commands/control.rs"]
pub(crate) mod control;
