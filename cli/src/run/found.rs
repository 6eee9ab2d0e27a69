//! The run folders of one run: the program's own, and those of all that it started.

use super::pattern::Pattern;
use crate::process;
use ompttrace_recording::facts::Facts;
use ompttrace_recording::reader::read_facts;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A run folder that came into being.
pub struct Found {
    pub path: PathBuf,
    pub facts: Facts,
    /// Whether its process is there no more.
    pub over: bool,
    /// Whether somebody has made its trace already, as a command within the command does.
    pub has_trace: bool,
}

/// Run folders that were there before.
pub struct Before(HashSet<PathBuf>);

impl Before {
    pub fn look(pattern: &Pattern) -> Before {
        Before(pattern.folders().into_iter().collect())
    }

    /// What came since, in the order of time: of process `pid` and its descendants.
    pub fn since(&self, pattern: &Pattern, pid: u32) -> Vec<Found> {
        let new = pattern.folders().into_iter().filter(|path| !self.0.contains(path));
        let read = |path: PathBuf| {
            let facts = read_facts(&path).ok()?;
            // A closed recording waits for nobody, whatever its process goes on to do.
            let over = facts.closed || process::is_over(&facts.process, 0);
            Some(Found { has_trace: has_trace(&path), path, facts, over })
        };
        let mut found = of_family(new.filter_map(read).collect(), pid);
        found.sort_by_key(|run| run.facts.clock.realtime);
        found
    }
}

/// Without those of strangers: somebody else may trace in the same folder at the same time.
fn of_family(found: Vec<Found>, pid: u32) -> Vec<Found> {
    let mut family = HashSet::from([pid]);
    loop {
        let before = family.len();
        for run in &found {
            if family.contains(&run.facts.process.parent) {
                family.insert(run.facts.process.pid);
            }
        }
        if family.len() == before {
            break;
        }
    }
    let ours = |run: &Found| {
        let process = &run.facts.process;
        family.contains(&process.pid) || (run.over && !has_other_owner(run))
    };
    found.into_iter().filter(ours).collect()
}

/// A process between the program and this one may have had no recording. It is taken for ours
/// unless another `ompttrace run` started it, or has made its trace already.
fn has_other_owner(run: &Found) -> bool {
    let parent = std::fs::read_link(format!("/proc/{}/exe", run.facts.process.parent));
    let of_another_run =
        parent.is_ok_and(|parent| parent.file_name() == Some("ompttrace".as_ref()));
    of_another_run || run.has_trace
}

fn has_trace(run: &Path) -> bool {
    let entries = std::fs::read_dir(run).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with("trace"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::facts::Process;

    fn run(pid: u32, parent: u32, over: bool) -> Found {
        let process = Process { pid, parent, ..Process::default() };
        let facts = Facts { process, ..Facts::default() };
        Found { path: "/nowhere".into(), facts, over, has_trace: pid == 10 }
    }

    #[test]
    fn descendants_are_kept_and_living_strangers_are_not() {
        let number = u32::MAX;
        let found = vec![
            run(number - 3, number - 2, false),
            run(number - 1, number, false),
            run(number - 2, number - 1, false),
            run(7, number - 9, false),
            run(8, number - 9, true),
            run(10, number - 9, true),
            // A child of this test, which is no other `ompttrace`.
            run(9, std::process::id(), true),
        ];
        let pids: Vec<_> =
            of_family(found, number).iter().map(|run| run.facts.process.pid).collect();
        assert_eq!(pids, [number - 3, number - 1, number - 2, 8, 9]);
    }
}
