//! What the wall time of a report is.

use serde::Serialize;

/// From where to where the wall time goes, and how much of it lies around all parallel regions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Life {
    /// `process`: the start of the process; `record`: its first record, because the start is not known or
    /// recording was off then.
    pub from: &'static str,
    /// `exit`, `_exit`, `signal`, `exec`: the end of the process; `sign`: its last sign of life, because its end was not
    /// recorded; `off`: recording was switched off.
    pub to: String,
    /// How the process ended, in words; none where it is not recorded.
    pub ended: Option<String>,
    /// Before the first parallel region; none where there is no region.
    pub before_regions_ns: Option<u64>,
    /// After the last parallel region.
    pub after_regions_ns: Option<u64>,
}
