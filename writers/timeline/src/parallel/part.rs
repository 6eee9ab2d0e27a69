//! Windows of a part of a run's time. A long part is cut into several; a short one is one window, before which as little as possible is
//! read.

use super::starts::{Starts, Wanted};
use crate::checkpoints::{self, Cuts};
use crate::run::{begin, ticks};
use crate::setup::Setup;
use crate::time_windows::Window;

/// Minimum number of cuts in a part that is made in several windows.
const FEWEST: usize = 2;
/// Maximum number of windows before a part for each that it has: all streams are scanned up to it, while one window begins with
/// the recording's index where there is one.
const MOST_BEFORE: usize = 2;

/// Finds the windows of a part of a run that can be cut at `cuts`. They do not depend on the index.
pub(super) fn starts<'a>(setup: &Setup<'a>, cuts: &[u64], part: Window) -> Starts<'a> {
    let bounds = |time: Option<u64>| time.map(|time| setup.first_ticks(time));
    let (from, to) = (bounds(part.from).unwrap_or(0), bounds(part.to).unwrap_or(u64::MAX));
    let (read_from, until) = ticks((part.from, part.to), setup);
    let within: Vec<_> = cuts.iter().copied().filter(|cut| *cut > from && *cut < to).collect();
    let before = cuts.partition_point(|cut| *cut <= from);
    let starts = if within.len() >= FEWEST && before <= MOST_BEFORE * within.len() {
        let ahead = read_from.map(|from| checkpoints::before(setup, from)).unwrap_or_default();
        let wanted = ahead.len().checked_sub(1).map_or(Wanted::All, Wanted::After);
        Starts::new(setup, Cuts::alone([ahead, within].concat()), wanted)
    } else {
        let starts = Starts::new(setup, Cuts::default(), Wanted::After(0));
        let known = read_from.filter(|_| setup.is_simple()).and_then(|from| begin(setup, from));
        match known {
            Some(known) => starts.begin_with(known),
            None => starts,
        }
    };
    // For sinks the run begins with the part.
    let length = part.to.map(|to| to.saturating_sub(part.from.unwrap_or(0)));
    starts.until(until).showing(Window { from: part.from.map(|_| 0), to: length }, from)
}
