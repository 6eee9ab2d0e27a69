//! State of a traced process: whether it has ended, as far as that can be known here.
//!
//! Two facts show that: which processes map the pool, which means the same in every namespace, and the process's
//! numbers, which mean something in its own namespaces only.

mod mapped;
mod peer;
mod pidfd;
mod stat;

pub use mapped::is_written;
use ompttrace_recording::facts::{Facts, Process};
use ompttrace_recording::reader::{Pool, PoolFile, read_facts};
pub use peer::peer;
pub use pidfd::exit_status;
use rustix::process::{Pid, test_kill_process};
use serde_json::Value;
use stat::Stat;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// State of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    Runs,
    Over,
    /// The process's numbers mean nothing here, and nothing else shows its state.
    Unknown,
}

impl Life {
    /// The JSON value of `running`.
    pub fn value(self) -> Value {
        match self {
            Life::Runs => true.into(),
            Life::Over => false.into(),
            Life::Unknown => Value::Null,
        }
    }

    /// State of the process whose run folder this is. It is read before the recording is opened: the recording of a
    /// process that was over by then is complete. A folder without a recording counts as over, and opening it reports
    /// the reason.
    pub fn at(run: &Path) -> Life {
        read_facts(run).map_or(Life::Over, |facts| Life::of_run(run, &facts))
    }

    /// State of the process of a run, by the facts of the run.
    pub fn of_run(run: &Path, facts: &Facts) -> Life {
        // Neither moved nor packed is what is still written.
        let settled = facts.closed || facts.pool_moved_from.is_some();
        if settled || ompttrace_packed::packed_bytes(run).is_some() {
            return Life::Over;
        }
        match Pool::of(run, facts) {
            Ok(Pool::Found(pool)) => Life::of_owner(&pool, &facts.process.host),
            _ => by_numbers(&facts.process),
        }
    }

    /// State of the process that made the pool, on the machine `host`.
    ///
    /// A process that does not map the pool can no longer write it. One that does may be a forked child that outlived
    /// the process: if the numbers show that it is over, it is; otherwise it counts as running.
    pub fn of_owner(pool: &PoolFile, host: &str) -> Life {
        let mapped = mapped::is_written(&pool.file);
        if mapped == Some(false) {
            return Life::Over;
        }
        let owner = Process {
            pid: pool.process(),
            start: pool.process_start(),
            pid_namespace: pool.process_namespace(),
            time_namespace: pool.time_namespace(),
            host: host.to_owned(),
            ..Process::default()
        };
        match by_numbers(&owner) {
            Life::Unknown if mapped == Some(true) => Life::Runs,
            life => life,
        }
    }
}

/// True if the process's number is one of ours: of this machine, and of this PID namespace.
pub fn is_of_here(process: &Process) -> bool {
    let known = process.pid_namespace != 0 && process.pid_namespace == namespace("pid");
    process.pid != 0 && known && is_here(&process.host)
}

/// State of the process by its numbers.
fn by_numbers(process: &Process) -> Life {
    if !is_of_here(process) {
        return Life::Unknown;
    }
    if !exists(process.pid) {
        return Life::Over;
    }
    let Some(stat) = read_stat(process.pid) else {
        // It may have ended since. Else its folder in /proc is hidden.
        return if exists(process.pid) { Life::Unknown } else { Life::Over };
    };
    let comparable = process.start != 0 && process.time_namespace == namespace("time");
    match (stat.is_dead(), comparable) {
        (true, _) => Life::Over,
        (false, false) => Life::Unknown,
        (false, true) if stat.start == process.start => Life::Runs,
        (false, true) => Life::Over,
    }
}

/// True if our PID namespace has such a process, of any user and whatever /proc shows.
pub fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// The process's line in /proc, if that is of our PID namespace.
fn read_stat(pid: u32) -> Option<Stat> {
    let own = fs::read_link("/proc/self").ok()?;
    if own != Path::new(&std::process::id().to_string()) {
        return None;
    }
    Stat::parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Inode of a namespace of this process; 0 if the kernel has none or there is no /proc.
pub fn namespace(kind: &str) -> u64 {
    fs::metadata(format!("/proc/self/ns/{kind}")).map_or(0, |found| found.ino())
}

/// True if this is the machine `host`; numbers of processes mean nothing on another one.
fn is_here(host: &str) -> bool {
    let here = fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    host.is_empty() || String::from_utf8_lossy(&here).trim_end().replace('/', "") == host
}

/// True if a pool without contents will get none: no process has it open for writing, and that in its name is gone.
pub fn is_abandoned(pool: &PoolFile) -> bool {
    mapped::is_written(&pool.file) != Some(true)
        && pool.named_process().is_some_and(|pid| !exists(pid))
}

#[cfg(test)]
pub use tests::this;

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, id};
    use std::time::Duration;

    fn process(pid: u32) -> Process {
        let (pid_namespace, time_namespace) = (namespace("pid"), namespace("time"));
        Process { pid, pid_namespace, time_namespace, ..Process::default() }
    }

    /// The process that runs the tests, as facts name it.
    pub fn this() -> Process {
        Process { start: read_stat(id()).expect("read").start, ..process(id()) }
    }

    #[test]
    fn this_process_goes_on() {
        assert_eq!(by_numbers(&this()), Life::Runs);
        assert_eq!(by_numbers(&Process { start: this().start + 1, ..this() }), Life::Over);
        assert_eq!(by_numbers(&Process { start: 0, ..this() }), Life::Unknown);
    }

    #[test]
    fn what_other_machines_and_namespaces_number_is_not_judged() {
        let nobody = process(u32::MAX);
        assert_eq!(by_numbers(&nobody), Life::Over);
        for elsewhere in [
            process(0),
            Process { host: "no such machine".into(), ..nobody.clone() },
            Process { pid_namespace: nobody.pid_namespace + 1, ..nobody.clone() },
            Process { pid_namespace: 0, ..nobody },
            Process { time_namespace: this().time_namespace + 1, start: 1, ..this() },
        ] {
            assert_eq!(by_numbers(&elsewhere), Life::Unknown, "{elsewhere:?}");
        }
    }

    #[test]
    fn a_dead_process_is_over_before_and_after_it_was_waited_for() {
        let mut child = Command::new("true").spawn().expect("started");
        let dead = process(child.id());
        for _ in 0..1000 {
            if by_numbers(&dead) == Life::Over {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(by_numbers(&dead), Life::Over, "a zombie");
        child.wait().expect("waited");
        assert_eq!(by_numbers(&dead), Life::Over, "nothing");
    }
}
