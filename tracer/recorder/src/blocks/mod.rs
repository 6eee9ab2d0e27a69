//! A thread's block: its words, the way in which the thread finds it, and the fast path. Knows of no other thread.

pub(crate) mod block;
pub(crate) mod group;
pub(crate) mod growing;
pub(crate) mod kept;
pub(crate) mod ledger;
pub(crate) mod phases;
pub(crate) mod record_slot;
pub(crate) mod room;
pub(crate) mod state;
pub(crate) mod tls;
