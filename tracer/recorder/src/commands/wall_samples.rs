//! The end of samples by wall time.

use crate::events::slow;
use crate::registry::recorder;
use crate::streams::end_wall;

/// exit() has begun: no thread gets a signal of wall time any more. The runtime's destructor comes next, and Intel's unmaps
/// what workers of a living root thread sleep on: a signal would have them look at it again, which ends the program
/// ("The futex facility returned an unexpected error code"). So those that one has just woken are waited for. Signals of
/// CPU time find no sleepers.
pub fn end_wall_samples() {
    if let Some(since) = recorder::own().and_then(end_wall) {
        slow::put_wait(since);
    }
}
