//! Whether a traced process is over, as far as this machine can tell.

use ompttrace_recording::facts::Process;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Linux: no such process.
const ESRCH: i32 = 3;

/// Whether `process` is gone, or another one has its number: one that did not begin at `start`
/// (field 22 of /proc/pid/stat), if that is known. In doubt it is not.
pub fn is_over(process: &Process, start: u64) -> bool {
    if process.pid == 0 || !is_here(&process.host) {
        return false;
    }
    match fs::read(format!("/proc/{}/stat", process.pid)) {
        Ok(text) => Stat::parse(&text)
            .is_some_and(|stat| stat.is_dead() || (start != 0 && stat.start != start)),
        Err(error) => {
            let gone = error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(ESRCH);
            gone && Path::new("/proc/self/stat").exists()
        }
    }
}

/// Whether this is the machine; numbers of processes mean nothing on another one.
fn is_here(host: &str) -> bool {
    let here = fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    host.is_empty() || String::from_utf8_lossy(&here).trim_end().replace('/', "") == host
}

struct Stat {
    state: u8,
    threads: u64,
    start: u64,
}

impl Stat {
    fn parse(text: &[u8]) -> Option<Stat> {
        let text = String::from_utf8_lossy(text);
        // The name, field 2, may hold anything; what follows its bracket has no other.
        let (_, fields) = text.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse().ok();
        Some(Stat {
            state: *fields.first()?.as_bytes().first()?,
            threads: number(20)?,
            start: number(22)?,
        })
    }

    /// Nobody waited for it yet; more threads are alive when only the first one ended.
    fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X') && self.threads <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, id};
    use std::time::Duration;

    fn process(pid: u32) -> Process {
        Process { pid, ..Process::default() }
    }

    fn own_start() -> u64 {
        Stat::parse(&fs::read("/proc/self/stat").expect("read")).expect("parsed").start
    }

    #[test]
    fn a_name_with_brackets_is_no_hindrance() {
        let fields: Vec<String> = (4..=30).map(|field| field.to_string()).collect();
        let text = format!("7 (a) (b) S) R {}", fields.join(" "));
        let stat = Stat::parse(text.as_bytes()).expect("parsed");
        assert_eq!((stat.state, stat.threads, stat.start), (b'R', 20, 22));
        assert!(Stat::parse(b"7 (a) R 1 2").is_none());
    }

    #[test]
    fn this_process_goes_on() {
        assert!(!is_over(&process(id()), 0));
        assert!(!is_over(&process(id()), own_start()));
        assert!(is_over(&process(id()), own_start() + 1));
    }

    #[test]
    fn unknown_processes_and_those_of_other_machines_are_not_judged() {
        assert!(!is_over(&process(0), 1));
        let elsewhere = Process { host: "no such machine".into(), ..process(u32::MAX) };
        assert!(!is_over(&elsewhere, 1));
        assert!(is_over(&process(u32::MAX), 1));
    }

    #[test]
    fn a_dead_process_is_over_before_and_after_it_was_waited_for() {
        let mut child = Command::new("true").spawn().expect("started");
        let dead = process(child.id());
        for _ in 0..1000 {
            if is_over(&dead, 0) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(is_over(&dead, 0), "a zombie");
        child.wait().expect("waited");
        assert!(is_over(&dead, 0), "nothing");
    }
}
