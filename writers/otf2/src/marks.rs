//! Markers for events that a user of a trace must not overlook.

use crate::Error;
use crate::archive::{Markers, Severity};

/// A command to the recording.
pub(crate) const CONTROL: u32 = 0;
/// Records were lost.
pub(crate) const LOST: u32 = 1;
/// The program reported an error.
pub(crate) const ERROR: u32 = 2;
/// The recording was cut where the program ended.
pub(crate) const CUT: u32 = 3;

/// Defines the kinds of markers.
pub(crate) fn define(markers: &mut Markers) -> Result<(), Error> {
    markers.define(CONTROL, "control", Severity::Low)?;
    markers.define(LOST, "records lost", Severity::High)?;
    markers.define(ERROR, "error", Severity::High)?;
    markers.define(CUT, "cut", Severity::Medium)
}
