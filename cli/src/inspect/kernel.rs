//! The kernel's view of the threads of a process: /proc, which stops no thread.

use ompttrace_inspect::{OsThread, Snapshot};
use std::fs;

/// Adds to each thread its data from /proc.
pub fn add(snapshot: &mut Snapshot, pid: u32) {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let ids = tasks.filter_map(|task| task.file_name().to_str()?.parse::<u32>().ok());
    for id in ids {
        let folder = format!("/proc/{pid}/task/{id}");
        let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        let inner = inner_id(&status).unwrap_or(id);
        // A number that the kernel used again belongs to the newest thread.
        let thread = snapshot.threads.iter_mut().rev().find(|thread| thread.os_thread == inner);
        if let Some(thread) = thread {
            thread.os = read(&folder, id);
        }
    }
}

/// The number of a thread or process in its own namespace, the last one of `NSpid`.
pub fn inner_id(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_ascii_whitespace().last()?.parse().ok()
}

fn read(folder: &str, id: u32) -> Option<OsThread> {
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    // The name, field 2, may hold anything; what follows its bracket has no other.
    let (before, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let ticks = number(14)?.saturating_add(number(15)?);
    let second = rustix::param::clock_ticks_per_second().max(1);
    let text = |name: &str| fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
    let wchan = text("wchan");
    let waits_in = Some(wchan.trim()).filter(|function| !matches!(*function, "" | "0"));
    Some(OsThread {
        id,
        name: before.split_once('(').map_or("", |(_, name)| name).to_owned(),
        state: fields.first()?.chars().next()?,
        cpu_ns: ticks.saturating_mul(1_000_000_000 / second),
        waits_in: waits_in.map(str::to_owned),
        system_call: text("syscall").split_ascii_whitespace().next().and_then(|n| n.parse().ok()),
        stack: Vec::new(),
        stack_note: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_namespace_counts() {
        assert_eq!(inner_id("Name:\tx\nNSpid:\t4711\t12\nNSsid:\t1"), Some(12));
        assert_eq!(inner_id("Name:\tx\n"), None);
    }

    #[test]
    fn this_thread_is_seen_to_run() {
        let own = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let folder = format!("/proc/self/task/{own}");
        let thread = read(&folder, own).expect("read");
        assert_eq!((thread.id, thread.state), (own, 'R'));
    }
}
