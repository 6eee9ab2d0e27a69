//! What is said of the process and its threads before the first event.

use std::io::Write;

use ompttrace_recording::facts::Facts;
use ompttrace_timeline::sink::{RunInfo, ThreadInfo};
use serde_json::json;

use crate::lines::Lines;
use crate::tracks::{Group, Track};

/// Linux keeps so many bytes of a program's name as the name of its first thread.
const KERNEL_NAME: usize = 15;

/// The process, as the tracks need it.
#[derive(Debug, Default)]
pub(crate) struct Process {
    pub(crate) pid: u64,
    /// Of the program.
    name: String,
}

impl Process {
    pub(crate) fn of(facts: &Facts) -> Self {
        // To Perfetto process 0 is the kernel's idling.
        let pid = u64::from(facts.process.pid).max(1);
        Process { pid, name: base_name(&facts.process.executable).to_owned() }
    }

    /// What concerns the process as a whole is told on its first thread.
    pub(crate) fn track(&self) -> Track {
        Track::new(self.pid, self.pid)
    }

    /// Names a group of tracks and says where it stands.
    pub(crate) fn name_group<W: Write>(&self, lines: &mut Lines<W>, group: Group, tid: u64) {
        let pid = group.pid(self.pid);
        let name = format!("{}{}", self.name, group.suffix());
        lines.metadata(pid, tid, "process_name", &json!({ "name": name }));
        lines.metadata(pid, tid, "process_sort_index", &json!({ "sort_index": group as u64 }));
    }

    /// Describes the process itself.
    pub(crate) fn describe<W: Write>(&self, lines: &mut Lines<W>, run: &RunInfo<'_>) {
        self.name_group(lines, Group::Process, self.pid);
        let labels = labels(run.facts).join(",");
        lines.metadata(self.pid, self.pid, "process_labels", &json!({ "labels": labels }));
        lines.metadata(self.pid, self.pid, "ompttrace", &origin(run));
    }
}

/// What no viewer asks for: the command, and the times that are told as 0. As texts, since a browser
/// would round them.
fn origin(run: &RunInfo<'_>) -> serde_json::Value {
    json!({
        "command": run.facts.process.arguments,
        "begin_monotonic_ns": run.begin.to_string(),
        "begin_realtime_ns": run.begin.saturating_add_signed(run.realtime_offset).to_string(),
    })
}

/// What is shown beside the process: runtimes, machine, and who traced it. Commas part the labels.
fn labels(facts: &Facts) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    let versions = facts.runtimes.iter().map(|runtime| runtime.version.replace(',', ";"));
    for version in versions.filter(|version| !version.is_empty()) {
        if !labels.contains(&version) {
            labels.push(version);
        }
    }
    if !facts.process.host.is_empty() {
        labels.push(format!("on {}", facts.process.host));
    }
    if !facts.tool.is_empty() {
        labels.push(format!("ompttrace {}", facts.tool));
    }
    labels
}

/// What a thread is to OpenMP, and in front the name that the program gave it.
pub(crate) fn thread_name(facts: &Facts, thread: &ThreadInfo) -> String {
    let role = match (thread.kind, thread.number) {
        (1, 0) => "initial".to_owned(),
        (1, number) => format!("initial {number}"),
        (2, number) => format!("worker {number}"),
        (3, number) => format!("other {number}"),
        (_, number) => format!("thread {number}"),
    };
    if is_default_name(base_name(&facts.process.executable), &thread.name) {
        role
    } else {
        format!("{} ({role})", thread.name)
    }
}

/// Whether the kernel made the name up: that of the program, cut.
fn is_default_name(program: &str, name: &str) -> bool {
    let kept = &program.as_bytes()[..program.len().min(KERNEL_NAME)];
    // The cut may go through a character, which a lossy reader then replaced.
    name.is_empty() || name == String::from_utf8_lossy(kept)
}

fn base_name(path: &str) -> &str {
    // A program that was replaced while it ran.
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: u32, kind: u64, kernel: &str) -> String {
        let mut facts = Facts::default();
        facts.process.executable = "/opt/bin/heat-simulation-2d (deleted)".into();
        thread_name(&facts, &ThreadInfo { number, kind, name: kernel.into(), os_thread: 7 })
    }

    #[test]
    fn threads_are_named_by_their_role() {
        assert_eq!(name(0, 1, "heat-simulation"), "initial");
        assert_eq!(name(7, 1, ""), "initial 7");
        assert_eq!(name(3, 2, "heat-simulation"), "worker 3");
        assert_eq!(name(4, 0, ""), "thread 4");
        assert_eq!(name(2, 3, "io"), "io (other 2)");
    }
}
