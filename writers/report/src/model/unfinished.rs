//! Waits of a report that never ended.

use super::Site;
use serde::Serialize;

/// A wait that was not over when the recording stopped.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Unfinished {
    /// The thread that waits: [`super::ThreadReport::number`].
    pub thread: u32,
    /// The state that it is in: `wait_lock`, say.
    pub state: &'static str,
    /// When the wait began, after the begin of the run.
    pub since_ns: u64,
    /// For how long it had waited then.
    pub waited_ns: u64,
    /// The construct that waiting counts for.
    pub construct: usize,
    /// The mutex that it waits for; none where it waits for something else.
    pub lock: Option<String>,
    /// The thread that holds that mutex.
    pub holder: Option<u32>,
    /// Where it waits for a mutex.
    pub location: Option<Site>,
}
