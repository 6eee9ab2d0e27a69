//! Begin and end of the wall time of a report.

use serde::Serialize;

/// The part of a run that a report is about, in nanoseconds since the begin of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimeWindow {
    /// Its begin.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
}

/// From where to where the wall time goes, and how much of it lies around all parallel regions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Life {
    /// `process`: the start of the process; `record`: its first record, because the start is not known or
    /// recording was off then; `window`: the begin of the window that is reported.
    pub from: &'static str,
    /// `exit`, `_exit`, `signal`, `exec`: the end of the process; `sign`: its last sign of life, because its end was not
    /// recorded; `off`: recording was switched off; `window`: the end of the window that is reported.
    pub to: String,
    /// End of the process, in words; none where it is not recorded.
    pub ended: Option<String>,
    /// Time before the first parallel region, in nanoseconds; none where there is no region.
    pub before_regions_ns: Option<u64>,
    /// Time after the last parallel region, in nanoseconds; none where there is no region.
    pub after_regions_ns: Option<u64>,
}
