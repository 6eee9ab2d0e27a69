//! The slow path of an event: all that it may need beside room.

pub(crate) mod fork;
pub(crate) mod resumed;
pub(crate) mod slow;
pub(crate) mod texts;
