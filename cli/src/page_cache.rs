//! How much of what was read the system can keep in memory, so that to read it again costs little.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes: what the system has to spare, and at most what the control groups (version 2) of this process may have. `None`
/// where the system does not say.
pub fn room() -> Option<u64> {
    let system = available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = own_group(&fs::read_to_string("/proc/self/cgroup").unwrap_or_default());
    let groups = group.iter().flat_map(|group| group.ancestors());
    let limit = |group: &Path| limit(&fs::read_to_string(group.join("memory.max")).ok()?);
    Some(groups.filter_map(limit).fold(system, u64::min))
}

/// `MemAvailable` of /proc/meminfo.
fn available(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// The folder of the control group in /proc/self/cgroup, if it is of version 2.
fn own_group(text: &str) -> Option<PathBuf> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new("/sys/fs/cgroup").join(path))
}

/// A group's `memory.max`, which is `max` where there is no limit.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:       24684212 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(available(text), Some(20_000_000 << 10));
        assert_eq!(available("MemTotal: 5 kB\n"), None);
        let group = own_group("1:cpu:/other\n0::/slurm/job_5\n");
        assert_eq!(group.as_deref(), Some(Path::new("/sys/fs/cgroup/slurm/job_5")));
        assert_eq!(own_group("4:memory:/slurm\n"), None);
        assert_eq!((limit("1048576\n"), limit("max\n")), (Some(1 << 20), None));
        assert!(room().is_some_and(|room| room > 0));
    }
}
