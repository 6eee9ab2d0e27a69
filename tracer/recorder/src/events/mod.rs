//! The slow path of an event: all that it may need beside room.

pub(crate) mod context;
pub(crate) mod fork;
pub(crate) mod ongoing;
pub(crate) mod slow;
pub(crate) mod texts;
