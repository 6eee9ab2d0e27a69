//! Descriptions of the process and its threads, which are written before the first event.

use ompttrace_model::{RunInfo, ThreadInfo, process_labels, process_name, thread_name};
use ompttrace_perfetto_protos::{
    ProcessDescriptor, ProcessTree, ThreadDescriptor,
    process_tree::{Process, Thread},
};
use ompttrace_recording::facts::Facts;

/// Thread ids that Linux does not give: for threads whose id is unknown. Zero would mean idling.
const UNKNOWN_THREADS: i64 = 1 << 30;

/// The description of the process.
pub(super) fn process(run: &RunInfo<'_>) -> ProcessDescriptor {
    let process = &run.facts.process;
    ProcessDescriptor {
        pid: Some(process.pid as i32),
        process_name: Some(process_name(run.facts)),
        start_timestamp_ns: Some(run.begin as i64),
        process_labels: process_labels(run.facts),
        ..ProcessDescriptor::default()
    }
}

/// Note for users who drag a trace into the page, where processes open collapsed: the ways to open it expanded.
const LAYOUT: &str = "layout: ompttrace view RUN opens this trace with its threads expanded and its counters pinned; \
    for traces that are dragged in, paste viewer-configs/perfetto/startup.json into Settings, Startup commands";

/// Note on the logical threads that have no tracks of their own, and the option that adds them.
const LOGICAL_THREADS: &str = "logical threads: a logical thread that is always on the same OS thread is drawn there alone, unless the \
    trace is made by ompttrace export --view both RUN";

/// Text that viewers show with the process: its cores, limits and settings, a line each, and notes on the layout.
pub(super) fn surroundings(facts: &Facts) -> String {
    let about = ompttrace_model::surroundings(facts);
    let lines = about.iter().map(|(name, value)| format!("{name}: {value}"));
    lines.chain([LAYOUT, LOGICAL_THREADS].map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

/// The command line, which readers take from nowhere else. They show its first word as the name of
/// the process: the path that may be there would fill the screen.
pub(super) fn command_line(facts: &Facts) -> ProcessTree {
    let name = process_name(facts);
    let arguments = facts.process.arguments.iter().skip(1).cloned();
    let process = Process {
        pid: Some(facts.process.pid as i32),
        ppid: Some(facts.process.parent as i32),
        cmdline: std::iter::once(name).chain(arguments).collect(),
    };
    ProcessTree { processes: vec![process], threads: Vec::new() }
}

/// The threads by name, for views in which they have no tracks.
pub(super) fn threads(run: &RunInfo<'_>) -> ProcessTree {
    let thread = |thread: &ThreadInfo| Thread {
        tid: Some(thread_id(thread) as i32),
        name: Some(thread_name(run.facts, thread)),
        tgid: Some(run.facts.process.pid as i32),
    };
    ProcessTree { processes: Vec::new(), threads: run.threads.iter().map(thread).collect() }
}

/// The number of a thread in a trace: the kernel's, where that is known.
pub(super) fn thread_id(thread: &ThreadInfo) -> i64 {
    match thread.os_thread {
        0 => UNKNOWN_THREADS + i64::from(thread.number),
        tid => i64::from(tid),
    }
}

/// The description of a thread.
pub(super) fn thread(facts: &Facts, thread: &ThreadInfo, name: &str) -> ThreadDescriptor {
    ThreadDescriptor {
        pid: Some(facts.process.pid as i32),
        tid: Some(thread_id(thread)),
        thread_name: Some(name.to_owned()),
    }
}
