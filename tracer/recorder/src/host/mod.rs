//! The process and the machine that the recorder works in: clock, memory, locks, stacks, /proc. Knows nothing of the recording.

pub(crate) mod accounts;
pub(crate) mod clock;
pub(crate) mod cost;
pub(crate) mod descriptors;
pub(crate) mod filters;
pub mod message;
pub(crate) mod openings;
pub(crate) mod own_page;
pub(crate) mod own_stack;
pub(crate) mod owner;
pub(crate) mod page;
pub(crate) mod perf;
pub(crate) mod primitives;
pub(crate) mod proc_file;
pub(crate) mod queue;
pub(crate) mod sync;
pub(crate) mod system;
pub(crate) mod untouched;
