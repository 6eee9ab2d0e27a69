//! Waits of a report that never ended.

use super::Site;
use serde::Serialize;

/// A wait that was not over when the recording stopped.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Unfinished {
    /// The waiting thread: [`super::ThreadReport::number`].
    pub thread: u32,
    /// The state of the thread, such as `wait_lock`.
    pub state: &'static str,
    /// Begin of the wait, in nanoseconds since the run's begin.
    pub since_ns: u64,
    /// Duration of the wait until the recording stopped, in nanoseconds.
    pub waited_ns: u64,
    /// The construct that the wait counts for, by position.
    pub construct: usize,
    /// Name of the mutex that the thread waits for; none where it waits for something else.
    pub lock: Option<String>,
    /// The thread that holds the mutex.
    pub holder: Option<u32>,
    /// Source location at which the thread waits for a mutex.
    pub location: Option<Site>,
}
