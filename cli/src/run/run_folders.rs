//! The run folders of one run: the program's own, and those of all that it started.

use super::pattern::Pattern;
use super::settings::Settings;
use crate::process::Life;
use crate::say;
use ompttrace_recording::PinnedFolder;
use ompttrace_recording::facts::Facts;
use ompttrace_recording::reader::read_facts;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A run folder of this run.
pub struct FoundRun {
    pub path: PathBuf,
    pub facts: Facts,
    /// State of the recorded process.
    pub life: Life,
}

/// Run folders that existed before the run.
pub struct EarlierFolders(HashSet<PathBuf>);

impl EarlierFolders {
    pub fn list(pattern: &Pattern) -> EarlierFolders {
        EarlierFolders(pattern.folders().into_iter().collect())
    }

    /// Folders of this run, whose program is process `pid`, in the order of time. Folders of other users are not
    /// changed, which is reported for those of this run, as of a program that has changed its user.
    pub fn since(&self, settings: &Settings, pid: u32) -> Vec<FoundRun> {
        let new = settings.output.folders().into_iter().filter(|path| !self.0.contains(path));
        let (own, others): (Vec<_>, Vec<_>) = new.partition(|path| is_ours(path));
        let read = |path: PathBuf| {
            let facts = read_facts(&path).ok()?;
            // A closed recording waits for nobody, whatever its process goes on to do.
            Some(FoundRun { life: Life::of_run(&path, &facts), path, facts })
        };
        let mut found = of_run(own.into_iter().filter_map(read).collect(), &settings.id, pid);
        found.sort_by_key(|run| run.facts.clock.realtime);
        let of_run = |path: &&PathBuf| {
            read_facts(path).is_ok_and(|facts| facts.process.started_by == settings.id)
        };
        others.iter().filter(of_run).for_each(|path| {
            let shown = say::shown(path);
            say::remark(&format!(
                "{shown}: it belongs to another user, and is left as it is: `ompttrace export {shown}` makes its trace"
            ));
        });
        found
    }
}

fn is_ours(folder: &Path) -> bool {
    PinnedFolder::open(folder).and_then(|folder| folder.is_ours()).unwrap_or(false)
}

/// The folders that name this run: another user may trace in the same folder at the same time. A folder that names no
/// run, because its program cleared the environment, counts by the parents of its process.
fn of_run(found: Vec<FoundRun>, id: &str, pid: u32) -> Vec<FoundRun> {
    let mut family = HashSet::from([pid]);
    loop {
        let before = family.len();
        for Facts { process, .. } in found.iter().map(|run| &run.facts) {
            if process.started_by == id || family.contains(&process.parent) {
                family.insert(process.pid);
            }
        }
        if family.len() == before {
            break;
        }
    }
    let ours = |run: &FoundRun| {
        let process = &run.facts.process;
        let is_silent = process.started_by.is_empty();
        process.started_by == id || (is_silent && family.contains(&process.pid))
    };
    found.into_iter().filter(ours).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::facts::Process;

    fn run(pid: u32, parent: u32, started_by: &str) -> FoundRun {
        let process = Process { pid, parent, started_by: started_by.into(), ..Process::default() };
        let facts = Facts { process, ..Facts::default() };
        FoundRun { path: "/nowhere".into(), facts, life: Life::Over }
    }

    #[test]
    fn a_run_has_what_was_made_under_it_and_nothing_else() {
        let found = vec![
            run(10, 1, "mine"),
            run(11, 900, "mine"),
            run(12, 10, "another"),
            run(13, 900, "another"),
            run(15, 14, ""),
            run(14, 11, ""),
            run(16, 900, ""),
            run(10, 900, "another"),
        ];
        let pids: Vec<_> =
            of_run(found, "mine", 10).iter().map(|run| run.facts.process.pid).collect();
        assert_eq!(pids, [10, 11, 15, 14]);
    }
}
