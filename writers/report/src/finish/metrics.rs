//! Sums of the states by metric.

use crate::model::Metrics;
use crate::state::{Metric, Times};

/// The sums of these times.
pub(super) fn metrics(times: &Times) -> Metrics {
    Metrics {
        work_ns: times.metric(Metric::Work),
        wait_ns: times.metric(Metric::Wait),
        idle_ns: times.metric(Metric::Idle),
        off_core_ns: times.metric(Metric::OffCore),
    }
}
