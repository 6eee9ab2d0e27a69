//! The part of the machine that a process may use: cores, a quota of them, the load of others, and the settings of
//! its runtimes.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of cores in one range of a list that is believed.
const MOST_CORES: u32 = 1 << 16;

/// State at the time at which recording began; sums are of the time from then to the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Surroundings {
    /// Cores of the machine that are online; 0 is unknown.
    pub online: u32,
    /// The cores on which the process may run, as the kernel lists them: `0-3,8`; empty is unknown.
    pub allowed: String,
    /// Limit of the CPU time of the process by its control groups; none if they do not limit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<Quota>,
    /// The machine's load average over the last minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// The machine's load average over the last minute, at the end of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_at_end: Option<f64>,
    /// Lists of cores on which the process's threads might run at the end, as the kernel lists them, each with its
    /// number of threads: at the end of each thread whose end is reported, or at that of the process.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bound: BTreeMap<String, u32>,
    /// Variables of the environment that OpenMP runtimes read: `OMP_NUM_THREADS` and its value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

impl Surroundings {
    /// Returns true if nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Surroundings::default()
    }

    /// The cores on which any of its threads might run, by the masks of the process and of its threads; empty is unknown.
    pub fn allowed_cores(&self) -> BTreeSet<u32> {
        self.bound.keys().chain([&self.allowed]).flat_map(|list| cores_of(list)).collect()
    }

    /// Number of cores on which some thread might run, by the masks of the process and of its threads: a quota does
    /// not count.
    pub fn cores(&self) -> Option<u32> {
        let cores = self.allowed_cores();
        (!cores.is_empty()).then_some(cores.len() as u32)
    }

    /// True if some thread might run on fewer cores than others or the process.
    pub fn has_narrow_masks(&self) -> bool {
        let all = self.cores().unwrap_or(0) as usize;
        self.bound.keys().map(|list| cores_of(list).len()).any(|cores| cores > 0 && cores < all)
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
    /// Time for which threads of the group were throttled because the limit was reached, in nanoseconds, added up
    /// over the threads; none where the kernel does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled_ns: Option<u64>,
}

/// The cores of a list as the kernel writes it (`0-3,8`); what cannot be read is left out.
pub fn cores_of(list: &str) -> BTreeSet<u32> {
    let part = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u32 = first.trim().parse().ok()?;
        let last: u32 = last.trim().parse().ok()?;
        Some(first..=last.min(first.saturating_add(MOST_CORES)))
    };
    list.split(',').filter_map(part).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_the_kernels() {
        let cores = |list| cores_of(list).into_iter().collect::<Vec<_>>();
        assert_eq!(cores("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(cores("5"), [5]);
        assert!(cores("").is_empty());
        assert!(cores("3-1,x,7-").is_empty());
        assert_eq!(cores_of("0-4294967295").len(), MOST_CORES as usize + 1);
    }

    #[test]
    fn masks_of_threads_may_be_wider_than_the_one_at_the_begin() {
        let masks = |allowed: &str, bound: &[&str]| {
            let bound = bound.iter().map(|list| ((*list).to_owned(), 1)).collect();
            Surroundings { allowed: allowed.to_owned(), bound, ..Surroundings::default() }
        };
        assert_eq!(masks("0-3", &[]).cores(), Some(4));
        assert_eq!(masks("0", &["0", "1", "2-3"]).cores(), Some(4));
        assert_eq!(masks("", &[]).cores(), None);
        assert!(masks("0-1", &["0-1", "1"]).has_narrow_masks());
        assert!(!masks("0-1", &["0-1"]).has_narrow_masks());
        assert!(!masks("0-1", &[]).has_narrow_masks());
    }
}
