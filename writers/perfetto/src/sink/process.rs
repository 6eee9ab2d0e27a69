//! What is said of the process and its threads before the first event.

use ompttrace_perfetto_protos::{
    ProcessDescriptor, ProcessTree, ThreadDescriptor, process_tree::Process,
};
use ompttrace_recording::facts::Facts;
use ompttrace_timeline::sink::{RunInfo, ThreadInfo};

/// Linux keeps so many bytes of a program's name as the name of its first thread.
const KERNEL_NAME: usize = 15;

/// Thread ids that Linux does not give: for threads whose id is unknown. Zero would mean idling.
const UNKNOWN_THREADS: i64 = 1 << 30;

/// The description of the process.
pub(super) fn process(run: &RunInfo<'_>) -> ProcessDescriptor {
    let process = &run.facts.process;
    ProcessDescriptor {
        pid: Some(process.pid as i32),
        process_name: Some(base_name(&process.executable).to_owned()),
        start_timestamp_ns: Some(run.begin as i64),
        process_labels: labels(run.facts),
        ..ProcessDescriptor::default()
    }
}

/// The command line, which readers take from nowhere else. They show its first word as the name of
/// the process: the path that may be there would fill the screen.
pub(super) fn command_line(facts: &Facts) -> ProcessTree {
    let name = base_name(&facts.process.executable).to_owned();
    let arguments = facts.process.arguments.iter().skip(1).cloned();
    let process = Process {
        pid: Some(facts.process.pid as i32),
        ppid: Some(facts.process.parent as i32),
        cmdline: std::iter::once(name).chain(arguments).collect(),
    };
    ProcessTree { processes: vec![process] }
}

/// What the viewer shows beside the process: runtimes, machine, and who traced it.
fn labels(facts: &Facts) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for runtime in &facts.runtimes {
        if !runtime.version.is_empty() && !labels.contains(&runtime.version) {
            labels.push(runtime.version.clone());
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

/// The description of a thread.
pub(super) fn thread(facts: &Facts, thread: &ThreadInfo, name: String) -> ThreadDescriptor {
    let tid = match thread.os_thread {
        0 => UNKNOWN_THREADS + i64::from(thread.number),
        tid => i64::from(tid),
    };
    ThreadDescriptor {
        pid: Some(facts.process.pid as i32),
        tid: Some(tid),
        thread_name: Some(name),
    }
}

/// What a thread is to OpenMP, and in front the name that the program gave it.
pub(super) fn thread_name(facts: &Facts, thread: &ThreadInfo) -> String {
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
