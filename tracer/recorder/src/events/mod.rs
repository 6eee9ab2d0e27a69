//! The slow path of an event, and records that it may bring along. Knows streams only as what registered with the recorder.

pub(crate) mod context;
pub(crate) mod fork;
pub(crate) mod ongoing;
pub(crate) mod slow;
pub(crate) mod texts;
