//! The owner of the recording: the numbers that identify this process, also for a reader in another namespace.

use std::os::unix::fs::MetadataExt;

/// Numbers that identify a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The process id.
    pub pid: u32,
    /// Start time of the process (field 22 of /proc/pid/stat), which distinguishes it from a later one with the same
    /// id; 0 is unknown.
    pub start: u64,
    /// Inode of the PID namespace that gives the id; 0 is unknown.
    pub pid_namespace: u64,
    /// Inode of the time namespace by which `start` is shifted; 0 where the kernel has none, or unknown.
    pub time_namespace: u64,
}

impl Owner {
    /// This process.
    pub fn this() -> Owner {
        Owner {
            pid: std::process::id(),
            start: start_time(),
            pid_namespace: namespace("pid"),
            time_namespace: namespace("time"),
        }
    }
}

fn namespace(kind: &str) -> u64 {
    std::fs::metadata(format!("/proc/self/ns/{kind}")).map_or(0, |found| found.ino())
}

fn start_time() -> u64 {
    status_field(19).and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// Returns true if the process's first thread has ended before the others.
pub(crate) fn first_thread_is_gone() -> bool {
    status_field(0).is_some_and(|state| state == "Z" || state == "X")
}

/// A field of the process's status after the second, which is a name in parentheses that may contain anything.
fn status_field(index: usize) -> Option<String> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = text.rsplit(')').next().unwrap_or("").split_ascii_whitespace();
    fields.nth(index).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known_by_its_numbers() {
        let owner = Owner::this();
        assert_eq!(owner.pid, std::process::id());
        assert!(owner.start > 0 && owner.pid_namespace > 0, "{owner:?}");
    }
}
