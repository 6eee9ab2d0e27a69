//! The slow path of an event, records that it may bring along, and the end of a thread. Knows streams only as what registered with the recorder.

pub(crate) mod context;
pub(crate) mod definitions;
pub(crate) mod fork;
pub(crate) mod ongoing;
pub(crate) mod phases;
pub(crate) mod slow;
pub(crate) mod texts;
