//! Kinds of findings: the cause of each, and the observation that would show that it or its cure is wrong.

/// A kind of finding.
pub(crate) struct Kind {
    pub name: &'static str,
    pub cause: &'static str,
    /// Observation that would disprove the finding.
    pub disproof: &'static str,
}

const fn kind(name: &'static str, cause: &'static str, disproof: &'static str) -> Kind {
    Kind { name, cause, disproof }
}

/// All kinds of findings.
pub(crate) const KINDS: &[Kind] = &[
    kind("unfinished", "waiting", "a longer run goes on from there by itself"),
    kind(
        "cores",
        "cores",
        "a run on a machine that does nothing else, with as many threads as cores, takes as long",
    ),
    kind(
        "serial",
        "serial",
        "the section's time does not change with its input, or each of its steps needs the one before",
    ),
    kind(
        "imbalance",
        "imbalance",
        "another thread is the longest in the next run, or the loop is bound by memory: then chunks cost the locality of its data",
    ),
    kind("short", "granularity", "with one thread it takes as long as now"),
    kind(
        "schedule",
        "granularity",
        "with larger chunks `report` shows as much work for the loop as before",
    ),
    kind("fork", "granularity", "with one region around several the time between them stays"),
    kind(
        "lock",
        "contention",
        "with the cure threads wait as long at another mutex, or for memory",
    ),
    kind(
        "handover",
        "contention",
        "with the cure threads wait as long at another mutex, or for memory",
    ),
    kind("ordered", "contention", "the loop takes as long without `ordered`"),
    kind("creation", "tasks", "with shared data making a task takes as long as now"),
    kind("grain", "tasks", "with larger tasks the work of all threads stays what it is"),
    kind("taskwait", "tasks", "with the cure threads wait as long with no task to run"),
    kind("single", "tasks", "what follows needs what the one thread does"),
    kind("barrier", "imbalance", "threads wait as long at the next barrier once this one is gone"),
    kind("idle", "imbalance", "with more threads the region takes as long"),
    kind(
        "late",
        "start",
        "with OMP_WAIT_POLICY=active, on cores of their own, threads come as late",
    ),
    kind(
        "copied_again",
        "copies",
        "the host, or the device, writes all of the data between two copies, and the other one needs it",
    ),
    kind("copies", "copies", "the device takes as long where nothing is mapped"),
    kind(
        "unified_memory",
        "copies",
        "with memory that is allocated on the device and copied the program takes as long",
    ),
    kind("launches", "granularity", "with larger kernels the construct takes as long as now"),
    kind("nowait", "waiting", "all that the host does next needs the result"),
    kind(
        "device_idle",
        "serial",
        "what the host does meanwhile needs the result, and cannot be offloaded",
    ),
    kind("tool", "tool", "the program without the tool takes as long"),
];

/// The kind with a name.
pub(crate) fn of(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}
