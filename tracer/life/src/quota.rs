//! Limits on the CPU time of the process: of both kinds of control groups, from its own group up to the outermost one
//! that it can see. The narrowest limit counts.

use ompttrace_recording::facts::Quota;
use std::path::{Path, PathBuf};

/// The narrowest limit, with the time for which it throttled threads so far.
pub(crate) fn quota() -> Option<Quota> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let (top, own) = group(&groups, &mounts)?;
    narrowest(&top, &own)
}

fn narrowest(top: &Path, own: &Path) -> Option<Quota> {
    let groups = own.ancestors().take_while(|group| group.starts_with(top));
    let limited = groups.filter_map(|group| Some((limit(group)?, group)));
    let (cores, group) = limited.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let throttled_ns = throttled(group);
    Some(Quota { cores, group: group.to_string_lossy().into_owned(), throttled_ns })
}

/// The folder at which the groups that limit CPU time are mounted, and that of the process's group.
fn group(groups: &str, mounts: &str) -> Option<(PathBuf, PathBuf)> {
    // "4:cpu,cpuacct:/group" of the older kind comes before "0::/group".
    let fields = groups.lines().map(|line| line.splitn(3, ':').collect::<Vec<_>>());
    let (mut old, mut new) = (None, None);
    for line in fields {
        match line[..] {
            [_, "", path] => new = Some(path),
            [_, kinds, path] if kinds.split(',').any(|kind| kind == "cpu") => old = Some(path),
            _ => {}
        }
    }
    let (path, is_old) = old.map(|path| (path, true)).or(new.map(|path| (path, false)))?;
    let (root, top) = mounts.lines().find_map(|line| mount(line, is_old))?;
    // In a container the mount may show a part of the tree, and the path may be outside it.
    let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
    Some((top.into(), Path::new(top).join(below)))
}

/// The root and the path of a mount of control groups that limit CPU time.
fn mount(line: &str, is_old: bool) -> Option<(&str, &str)> {
    let (mount, kind) = line.split_once(" - ")?;
    let (mut mount, mut kind) = (mount.split(' ').skip(3), kind.split(' '));
    let (root, top) = (mount.next()?, mount.next()?);
    let fits = match (kind.next()?, is_old) {
        ("cgroup", true) => kind.nth(1)?.split(',').any(|option| option == "cpu"),
        ("cgroup2", false) => true,
        _ => false,
    };
    fits.then_some((root, top))
}

/// Limit of a group on CPU time, in cores; `None` if it has none.
fn limit(group: &Path) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let read = |name: &str| std::fs::read_to_string(group.join(name)).ok();
    let (quota, period) = match read("cpu.max") {
        Some(text) => {
            let (quota, period) = text.split_once(' ')?;
            (number(quota)?, number(period)?)
        }
        None => (number(&read("cpu.cfs_quota_us")?)?, number(&read("cpu.cfs_period_us")?)?),
    };
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// Time for which threads of a group were throttled so far, in nanoseconds; `None` if it is unknown.
pub(crate) fn throttled(group: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(group.join("cpu.stat")).ok()?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse::<u64>().ok()
    };
    value("throttled_usec ").map(|time| time.saturating_mul(1_000)).or(value("throttled_time "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_found_in_both_kinds_of_trees() {
        let mounts = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let found = group("2:cpu,cpuacct:/batch/job7\n0::/user\n", mounts).expect("both are there");
        assert_eq!(found.0, Path::new("/sys/fs/cgroup/cpu"));
        assert_eq!(found.1, Path::new("/sys/fs/cgroup/cpu/batch/job7"));
        let found = group("0::/user.slice\n", mounts).expect("the newer kind alone");
        assert_eq!(found.1, Path::new("/sys/fs/cgroup/unified/user.slice"));
        let container = "41 31 0:38 /pod/c1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        let found = group("0::/pod/c1/inner\n", container).expect("a part of the tree");
        assert_eq!(found.1, Path::new("/sys/fs/cgroup/inner"));
        let found = group("0::/../elsewhere\n", container).expect("another part of the tree");
        assert_eq!(found.1, Path::new("/sys/fs/cgroup"));
        assert_eq!(group("0::/\n", ""), None);
    }

    #[test]
    fn the_narrowest_limit_counts() {
        let top = std::env::temp_dir().join(format!("ompttrace-quota-{}", std::process::id()));
        let own = top.join("a/b");
        std::fs::create_dir_all(&own).expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(top.join(name), text).expect(name);
        write("cpu.max", "max 100000\n");
        write("a/cpu.max", "150000 100000\n");
        write("a/cpu.stat", "usage_usec 7\nthrottled_usec 12\n");
        write("a/b/cpu.cfs_quota_us", "400000\n");
        write("a/b/cpu.cfs_period_us", "100000\n");
        let found = narrowest(&top, &own).expect("two limits");
        assert_eq!((found.cores, found.throttled_ns), (1.5, Some(12_000)));
        assert_eq!(found.group, top.join("a").to_string_lossy());
        write("a/cpu.max", "nonsense\n");
        assert_eq!(narrowest(&top, &own).map(|quota| quota.cores), Some(4.0));
        write("a/b/cpu.cfs_quota_us", "-1\n");
        assert_eq!(narrowest(&top, &own), None);
        std::fs::remove_dir_all(&top).expect("it goes");
    }
}
