//! The state of a recording while it is read: threads, logical threads, regions, suspended tasks, locks.
//!
//! Everything here is freed when its task, region or lock is over. Nothing here talks to a sink.

pub(crate) mod activities;
pub(crate) mod communicators;
pub(crate) mod contexts;
pub(crate) mod doacross;
pub(crate) mod locks;
pub(crate) mod logical_threads;
pub(crate) mod name_parts;
pub(crate) mod objects;
pub(crate) mod pending;
pub(crate) mod phases;
pub(crate) mod regions;
pub(crate) mod reported_state;
pub(crate) mod requests;
pub(crate) mod tasks;
pub(crate) mod thread;
