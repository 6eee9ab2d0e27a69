//! The part of a run that a report is about, found in its recording.

use crate::arguments::Part;
use crate::region::{self, Wanted};
use anyhow::{Result, bail};
use ompttrace_recording::Recording;
use ompttrace_report::Window;
use ompttrace_timeline::span_of;

/// The window of a recording.
pub fn of(recording: &Recording, part: &Part) -> Result<Window> {
    let window = match part {
        Part::Whole => return Ok(Window::default()),
        Part::Times(from, to) => Window { from: *from, to: *to },
        Part::Region(location, execution) => {
            let wanted = match execution {
                Some(execution) => Wanted::Execution(location.clone(), *execution),
                None => Wanted::All(location.clone()),
            };
            let (from, to) = region::find(recording, wanted)?;
            Window { from: Some(from), to: Some(to) }
        }
        Part::Phase(name, execution) => {
            let (from, to) = region::find(recording, Wanted::Phase(name.clone(), *execution))?;
            Window { from: Some(from), to: Some(to) }
        }
        Part::AfterFirstRegion(to) => {
            let (_, from) = region::find(recording, Wanted::First)?;
            Window { from: Some(from), to: *to }
        }
    };
    let (begin, end) = span_of(recording);
    let length = end.saturating_sub(begin);
    if window.from.is_some_and(|from| from >= length) {
        bail!("nothing is left of the run, which lasts {:.9} s", length as f64 / 1e9);
    }
    if let (Some(from), Some(to)) = (window.from, window.to)
        && from >= to
    {
        bail!("the time window is empty: it begins {:.9} s after the run", from as f64 / 1e9);
    }
    Ok(window)
}
