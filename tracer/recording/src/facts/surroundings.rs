//! What a process has of its machine: cores, a quota of them, what else uses them, and the settings of its runtimes.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// As it was when recording began; sums are of the time from then to the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Surroundings {
    /// Cores of the machine that are online; 0 is unknown.
    pub online: u32,
    /// Those that the process may run on, as the kernel lists them: `0-3,8`; empty is unknown.
    pub allowed: String,
    /// How much CPU time its control groups allow it; none where they do not limit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<Quota>,
    /// The machine's load average over the last minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// The same at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_at_end: Option<f64>,
    /// On which cores its threads might run at the end, as the kernel lists them, and how many threads on each of these
    /// lists: of threads that were still there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bound: BTreeMap<String, u32>,
    /// Variables of the environment that OpenMP runtimes read: `OMP_NUM_THREADS` and its value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

impl Surroundings {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Surroundings::default()
    }
}

/// A limit on CPU time: `cpu.max`, or `cpu.cfs_quota_us` of older control groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quota {
    /// CPU time in a period by the length of the period: 1.5 cores.
    pub cores: f64,
    /// The control group that has the limit.
    pub group: String,
    /// For how long threads of the group were throttled because the limit was reached, nanoseconds, one after the
    /// other; none where the kernel does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled_ns: Option<u64>,
}
