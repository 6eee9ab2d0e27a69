//! Waits that were not over when the recording stopped: of a program that hangs they are the answer.

use crate::construct_table::ConstructRef;
use crate::state::State;
use ompttrace_model::{SourceRef, ThreadRef};

/// A wait of a thread that the end of the recording cut off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfinished {
    pub(crate) thread: ThreadRef,
    pub(crate) since: u64,
    pub(crate) state: State,
    pub(crate) construct: ConstructRef,
    /// The position of the mutex that it waits for, the thread that holds that, and where it waits.
    pub(crate) mutex: Option<(u32, Option<ThreadRef>, SourceRef)>,
}
