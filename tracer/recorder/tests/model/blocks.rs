//! `src/blocks`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::tls;

#[path = "../../src/blocks/block.rs"]
pub(crate) mod block;
#[path = "../../src/blocks/group.rs"]
pub(crate) mod group;
#[path = "../../src/blocks/growing.rs"]
pub(crate) mod growing;
#[path = "../../src/blocks/ledger.rs"]
pub(crate) mod ledger;
#[path = "../../src/blocks/phases.rs"]
pub(crate) mod phases;
pub(crate) mod record_slot;
#[path = "../../src/blocks/room.rs"]
pub(crate) mod room;
#[path = "../../src/blocks/state.rs"]
pub(crate) mod state;
