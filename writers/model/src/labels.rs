//! Names of threads and programs, the same in every format.

use crate::definitions::ThreadInfo;
use crate::ompt::Thread;
use ompttrace_recording::facts::{End, Facts, ForkOf, end};
use ompttrace_recording::harmless::Harmless;

/// Linux keeps this many bytes of a program's name as the name of its first thread.
const KERNEL_NAME: usize = 15;

/// A thread's role in OpenMP (`worker 3`), after the name that the program gave it, if any: `io (other 2)`.
pub fn thread_name(facts: &Facts, thread: &ThreadInfo) -> String {
    let role = match (thread.kind, thread.number) {
        (Thread::Device, _) => return thread.name.clone(),
        (Thread::Initial, 0) => "initial".to_owned(),
        (kind @ (Thread::Initial | Thread::Worker | Thread::Other), number) => {
            format!("{} {number}", kind.name())
        }
        (Thread::Unknown, number) => format!("thread {number}"),
    };
    if is_default_name(base_name(&facts.process.executable), &thread.name) {
        role
    } else {
        format!("{} ({role})", thread.name)
    }
}

/// Returns true if the thread's name is none that the program gave it: it is empty, or the kernel's, which is the
/// program's name cut to [`KERNEL_NAME`] bytes.
fn is_default_name(program: &str, name: &str) -> bool {
    let kept = &program.as_bytes()[..program.len().min(KERNEL_NAME)];
    // The cut may go through a character, which a lossy reader then replaced.
    name.is_empty() || name == String::from_utf8_lossy(kept)
}

/// A process's name: its program, and its rank if it is one of an MPI program. In one word, because Perfetto shows
/// the first word only.
pub fn process_name(facts: &Facts) -> String {
    let name = base_name(&facts.process.executable);
    match facts.process.rank {
        Some(rank) => format!("{name}:rank{rank}"),
        None => name.to_owned(),
    }
}

/// Labels of a process: its runtimes, its machine, and the version of the tool.
pub fn process_labels(facts: &Facts) -> Vec<String> {
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

/// A program's name without its folder.
pub fn base_name(path: &str) -> &str {
    // A program that was replaced while it ran.
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path)
}

/// Signals that end processes, by number; the same on all machines that we run on.
const SIGNALS: [(i32, &str); 15] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
    (31, "SIGSYS"),
];

/// The end of a process in words: `exit`, `SIGKILL`.
pub fn end_in_words(ended: &End) -> String {
    let number = ended.number.unwrap_or(-1);
    match ended.by.as_str() {
        end::SIGNAL => {
            let known = SIGNALS.iter().find(|(signal, _)| *signal == number);
            known.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
        }
        end::AT_ONCE => format!("status {number} without exit handlers, as by _exit"),
        end::EXEC => "exec of another program".to_owned(),
        end::EXIT => "exit".to_owned(),
        end::UNKNOWN => "by _exit or a signal, it is unknown which".to_owned(),
        end::SNAPSHOT => "not yet: a snapshot was taken".to_owned(),
        other => other.to_owned(),
    }
}

/// A text in which harmful letters are shown as escapes: `\n`, `\u{202e}`.
pub fn harmless(text: &str) -> String {
    Harmless(text).to_string()
}

/// The reason why a forked child may wait for its team for ever: threads of the team exist only in the process of
/// which it is a copy. `requested`: the size of the team, 0 if it is not known; `threads`: the number of the child's
/// threads.
pub fn threads_left_behind(
    fork_of: Option<ForkOf>,
    requested: u64,
    threads: usize,
) -> Option<String> {
    let ForkOf { pid, threads: left } = fork_of?;
    let team = if requested == 0 { u64::MAX } else { requested.saturating_sub(1) };
    let missing = team.min(left.into());
    let (threads_do, alone) = (if missing == 1 { "thread" } else { "threads" }, threads <= 1);
    let do_not = if missing == 1 { "does not" } else { "do not" };
    (alone && missing > 0).then(|| {
        format!(
            "This process is a fork of {pid}, which had used OpenMP: {missing} {threads_do} of its team {do_not} exist here"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_named() {
        let named = |by: &str, number| end_in_words(&End { by: by.into(), number, monotonic: 1 });
        assert_eq!(named(end::SIGNAL, Some(9)), "SIGKILL");
        assert_eq!(named(end::SIGNAL, Some(64)), "signal 64");
        assert_eq!(named(end::AT_ONCE, Some(3)), "status 3 without exit handlers, as by _exit");
        assert_eq!(named(end::EXIT, None), "exit");
    }

    fn name(number: u32, kind: Thread, kernel: &str) -> String {
        let mut facts = Facts::default();
        facts.process.executable = "/opt/bin/heat-simulation-2d (deleted)".into();
        thread_name(
            &facts,
            &ThreadInfo { number, kind, name: kernel.into(), os_thread: 7, stream: None },
        )
    }

    #[test]
    fn processes_are_named_by_program_and_rank() {
        let mut facts = Facts::default();
        facts.process.executable = "/opt/bin/heat".into();
        assert_eq!(process_name(&facts), "heat");
        facts.process.rank = Some(12);
        assert_eq!(process_name(&facts), "heat:rank12");
    }

    #[test]
    fn threads_are_named_by_their_role() {
        assert_eq!(name(0, Thread::Initial, "heat-simulation"), "initial");
        assert_eq!(name(7, Thread::Initial, ""), "initial 7");
        assert_eq!(name(3, Thread::Worker, "heat-simulation"), "worker 3");
        assert_eq!(name(4, Thread::Unknown, ""), "thread 4");
        assert_eq!(name(2, Thread::Other, "io"), "io (other 2)");
    }
}
