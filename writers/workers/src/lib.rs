//! Threads that share work. Readers and writers of recordings use these, and start no threads by themselves:
//!
//! - [`each`] and [`try_each`]: work on each of several items, by a few threads;
//! - [`InOrder`]: results are produced in parallel and taken in the order of their jobs;
//! - [`Background`]: one thread executes jobs in their order while the caller continues;
//! - [`with_helpers`]: the same work on several threads, for work that distributes itself.
//!
//! All of them keep these rules:
//!
//! - **Without threads** everything is done as well: if the system refuses a thread, those that it granted do its
//!   part, and if it granted none the calling thread does all. Results are the same.
//! - **Memory** is bounded: a caller that is faster than the threads waits for them.
//! - **A panic** of a thread continues in the calling thread ([`std::panic::resume_unwind`]).
//! - **An error** prevents all work that has not begun, and is returned once.
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
