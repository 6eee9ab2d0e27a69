//! Numbers of code addresses and of call stacks.

pub(crate) mod contexts;
pub(crate) mod modules;
pub(crate) mod sites;
pub(crate) mod vacated;
