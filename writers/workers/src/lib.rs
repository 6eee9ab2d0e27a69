//! Threads that share work. Readers and writers of recordings use these, and start no threads by themselves:
//!
//! - [`each`] and [`try_each`]: something is done with each of several items, by a few threads;
//! - [`InOrder`]: results are made in parallel and taken in the order of their jobs;
//! - [`Background`]: one thread does jobs in their order while the caller goes on;
//! - [`with_helpers`]: the same work on several threads, for what shares it out by itself.
//!
//! All of them keep these rules:
//!
//! - **Without threads** everything is done as well: where the system refuses a thread, those that it granted do its
//!   part, and where it granted none the calling thread does all. Results are the same.
//! - **Memory** is bounded: a caller that is faster than the threads waits for them.
//! - **A panic** of a thread continues in the calling thread ([`std::panic::resume_unwind`]).
//! - **An error** stops what has not begun, and is returned once.
//! - **No thread outlives its owner**: functions return, and values are dropped, after their threads have ended.
//!
//! Each item or job costs a lock or a message: they are batches, blocks or streams, never single events.

mod background;
mod each;
mod in_order;
mod start;

pub use background::{Background, Stopped};
pub use each::{each, try_each};
pub use in_order::{InOrder, Workers};
pub use start::with_helpers;
