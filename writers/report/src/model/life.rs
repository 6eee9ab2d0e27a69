//! Begin and end of the wall time of a report.

use serde::Serialize;

/// Begin and end of the wall time, and its parts before and after all parallel regions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Life {
    /// `process`: the start of the process; `record`: its first record, because the start is not known or
    /// recording was off then.
    pub from: &'static str,
    /// `exit`, `_exit`, `signal`, `exec`, `unknown` (one of `_exit` and `signal`): the end of the process; `sign`: its
    /// last sign of life, because its end was not recorded; `off`: recording was switched off; `runtime`: the OpenMP
    /// runtime ended.
    pub to: String,
    /// End of the process, in words; none where it is not recorded.
    pub ended: Option<String>,
    /// Time before the first parallel region, in nanoseconds; none where there is no region.
    pub before_regions_ns: Option<u64>,
    /// Time after the last parallel region, in nanoseconds; none where there is no region.
    pub after_regions_ns: Option<u64>,
}
