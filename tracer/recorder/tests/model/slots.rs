//! `src/slots`: what of it is shipped, and what replaces the rest.

#[path = "../../src/slots/chunk.rs"]
pub(crate) mod chunk;
#[path = "../../src/slots/drain.rs"]
pub(crate) mod drain;
#[path = "../../src/slots/head.rs"]
pub(crate) mod head;
#[path = "../../src/slots/overflow.rs"]
pub(crate) mod overflow;
#[path = "../../src/slots/part.rs"]
pub(crate) mod part;
