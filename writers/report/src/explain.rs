//! Definitions of the words and figures of a report: for `ompttrace report --explain` and for the page.

mod headings;

use crate::findings::words::KINDS;

/// A word or figure and its definition.
pub type Term = (&'static str, &'static str);

/// States of threads, metrics, efficiencies, figures that findings rest on, columns of tables.
const TERMS: &[Term] = &[
    ("Work", "OpenMP Work: a thread executes the program, reductions included"),
    ("Wait", "OpenMP Wait: a thread waits for others, or is busy with OpenMP itself"),
    ("Idle", "a worker that is in no team"),
    ("Off core", "in the middle of work, but without a core"),
    ("work_serial", "Work: the program's own code outside of parallel regions"),
    (
        "work_parallel",
        "Work: the program's own code in a team; a chunk of a loop lasts until it is over, where that is recorded (libgomp, OMPi), else \
         until the runtime reports the next one or the loop's end (LLVM, Intel), so that handing out the next chunk counts in it",
    ),
    ("work_reduction", "Work: combining a reduction"),
    (
        "target",
        "Work: in a target construct or a device operation of which no device reports what it did",
    ),
    (
        "wait_target",
        "Wait: in a target construct or a device operation, while a device does what the thread caused",
    ),
    (
        "wait_barrier_implicit",
        "Wait: in a barrier that ends a construct; the time in which tasks run there is work",
    ),
    ("wait_barrier_explicit", "Wait: in a `barrier`"),
    (
        "wait_barrier",
        "Wait: in a barrier of which it is not known whether it ends a construct (GCC)",
    ),
    ("wait_taskwait", "Wait: in a `taskwait`, while no task runs"),
    ("wait_taskgroup", "Wait: at the end of a `taskgroup`, while no task runs"),
    ("wait_lock", "Wait: for a lock, from asking to having it"),
    ("wait_critical", "Wait: for a critical section"),
    ("wait_ordered", "Wait: for the turn of an ordered region"),
    ("wait_atomic", "Wait: for an atomic operation that is done with a lock"),
    ("overhead_fork", "Wait: the thread that encountered a region sets up or takes down its team"),
    (
        "overhead_schedule",
        "Wait: in a dynamic or guided loop whose runtime reports chunks, outside of these: before the first one, and where it is \
         recorded when each is over (libgomp, OMPi), between them and behind the last, in sections too",
    ),
    ("overhead_sync", "Wait: in a synchronisation, but not waiting"),
    ("overhead_start", "Wait: a thread that is no worker, outside of any task: it begins or ends"),
    (
        "overhead_offload",
        "Wait: in a target construct or a device operation, while no device does anything that the thread caused",
    ),
    ("overhead_tool", "Wait: for the tracing tool"),
    ("mpi_point_to_point", "Wait: in a function of MPI that sends, receives or probes"),
    ("mpi_collective", "Wait: in a collective function of MPI"),
    ("mpi_wait", "Wait: in a function of MPI that waits for requests, or tests them"),
    (
        "mpi_one_sided",
        "Wait: in a function of MPI for windows and access to the memory of other ranks",
    ),
    ("mpi_io", "Wait: in a function of MPI for files"),
    ("mpi_other", "Wait: in another function of MPI, such as its beginning and end"),
    (
        "idle",
        "a worker that is in no team; in tables also time of others that is not used meanwhile",
    ),
    ("off_core_preempted", "Off core during work: another thread has the core"),
    (
        "off_core_blocked",
        "Off core during work: asleep in the kernel for input, a page or its time",
    ),
    (
        "parallel efficiency",
        "work of all threads / (threads x wall time) = core availability x efficiency on own cores (POP)",
    ),
    ("core availability", "work / (work and time in which work wanted a core)"),
    ("on own cores", "parallel efficiency as if work had always had a core"),
    ("load balance", "mean work of a thread / work of the thread that works most (POP)"),
    ("communication", "work of the thread that works most / wall time (POP)"),
    (
        "serialisation",
        "communication efficiency without OpenMP's own overhead: what waiting for others costs (POP)",
    ),
    ("transfer", "what OpenMP's own overhead of the thread that works most costs (POP)"),
    (
        "computation",
        "work of all threads with the fewest threads / work with so many: less than 1 where it takes longer side by side",
    ),
    (
        "critical path",
        "the chain of activities that determined how long the run took: where a wait ends, it continues with the thread that ended it",
    ),
    (
        "samples",
        "how often a thread was found there, once in each period of its time; a share is one of all samples",
    ),
    ("in runtime", "the part of samples that were in the runtime's own code"),
    (
        "others idle, wait, mutex",
        "time of others that samples are charged with: the time of threads that idled or waited for work at a sample's instant is charged in equal parts to the threads that worked; that of threads that waited for a mutex, to its owner",
    ),
    (
        "blame",
        "idleness and waiting of others while a construct was worked at, in equal parts to the threads that worked; waiting for a mutex, to its owner",
    ),
    ("imbalance", "work of the longest thread / mean work of a thread - 1, over all executions"),
    (
        "gain",
        "elapsed time that the run would take less with the cure, both without recording: low where all that is not known goes against it, high where it is for it",
    ),
    ("lost_ns", "thread time that is lost by a finding, as far as that is known"),
    ("share", "a part of threads x wall time"),
    ("waited_ns", "time of all threads in the waits that a finding is about"),
    ("executions", "how often a construct was executed by a team"),
    ("mean_work_ns", "mean work of a thread, summed over the executions"),
    ("longest_work_ns", "work of the thread that worked most, summed over the executions"),
    ("waited_while_held_ns", "waiting of others while a mutex was held at a location"),
    (
        "waited_unheld_ns",
        "waiting for a mutex while nobody held it: it was passed from one thread to another",
    ),
    ("holds", "how often a mutex was held"),
    ("held_each_ns", "how long, in the mean"),
    ("contended", "acquisitions that had to wait while another thread held the mutex"),
    ("chunks", "parts of loops that the runtime handed out"),
    (
        "chunk_work_ns",
        "work of a chunk in the mean, handing it out included where no event parts that from it",
    ),
    (
        "first_chunk_ns",
        "the shortest time from the begin of a loop in a thread to its first chunk, where only begins of chunks are recorded",
    ),
    (
        "dispatch_ns",
        "what threads spent on getting chunks or sections, where it is recorded when each of these is over",
    ),
    ("record_ns", "what storing a record takes, as measured when the run began"),
    (
        "path_ns",
        "what recording took on the critical path: storing records, and waiting for the tool's buffers",
    ),
    ("tasks", "explicit tasks that ran"),
    ("task_work_ns", "a task's own work in the mean"),
    (
        "task_making_ns",
        "what making a task takes at most: the mean from one creation to the next where a thread makes one after another",
    ),
    ("serial_ns", "time in which one thread worked outside of regions"),
    ("unused_ns", "time of the other threads meanwhile, also of those that were not there yet"),
    ("idle_ns", "time of threads in no team while a region was worked at"),
    ("work_ns", "work of threads in a construct"),
    ("wanted_ns", "time in which threads wanted a core: they ran, or another had it"),
    ("given_ns", "time in which threads had a core"),
    ("spun_ns", "time in which threads waited on a core"),
    ("copied_again", "copies of memory of the host that was copied in the same direction before"),
    ("copied_again_ns", "the time that these copies took on devices"),
    ("copy_ns", "time in which devices copied for a target construct"),
    ("kernel_ns", "time of the kernels of a target construct; where it has none, of all kernels"),
    ("launched", "kernels that a target construct caused"),
    ("offload_ns", "time of the host in a target construct while no device was at work for it"),
    ("host_waits_ns", "time of the host in a target construct while a device was at work for it"),
    (
        "device_idle_ns",
        "time between the first and the last activity of a device in which it did nothing while a thread of the host worked",
    ),
    (
        "unified_ns",
        "time in which unified memory migrated to or from a device, or its page faults were served",
    ),
    ("device_busy_ns", "time in which a device did something"),
];

/// All terms: figures, headings, then kinds of findings by the observation that would disprove each.
pub fn all() -> impl Iterator<Item = (&'static str, String)> {
    wanted(true, true)
}

/// Terms with or without those that only reports with calls of MPI have, and those that only reports with devices have.
pub(crate) fn wanted(mpi: bool, devices: bool) -> impl Iterator<Item = (&'static str, String)> {
    let kinds = KINDS.iter().map(|kind| {
        let words = format!("a kind of finding ({}); wrong if {}", kind.cause, kind.disproof);
        (kind.name, words)
    });
    let of_mpi = if mpi { headings::OF_MPI } else { &[] };
    let of_devices = if devices { headings::OF_DEVICES } else { &[] };
    let figures = TERMS.iter().chain(headings::HEADINGS).chain(of_mpi).chain(of_devices);
    figures.map(|(name, words)| (*name, (*words).to_owned())).chain(kinds)
}

/// The definitions of a word, upper and lower case alike: a word may be a figure and a kind of finding.
pub fn explain(name: &str) -> Vec<(&'static str, String)> {
    all().filter(|(known, _)| known.eq_ignore_ascii_case(name.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_state_is_explained_with_its_metric() {
        for state in State::ALL {
            let found = explain(state.name());
            assert!(!found.is_empty(), "{}", state.name());
        }
    }

    /// Figures that findings rest on are named where the findings are made.
    #[test]
    fn all_evidence_is_explained() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/findings");
        let files = fs::read_dir(folder).expect("the folder of findings");
        let mut named = Vec::new();
        for file in files {
            let text = fs::read_to_string(file.expect("a file").path()).expect("its text");
            let names = text.split("shown_by(\"").skip(1).filter_map(|rest| rest.split_once('"'));
            named.extend(names.map(|(name, _)| name.to_owned()));
        }
        assert!(named.len() >= 20, "{named:?}");
        named.retain(|name| explain(name).is_empty());
        assert!(named.is_empty(), "without a definition: {named:?}");
    }

    #[test]
    fn words_are_found_in_any_case_and_all_that_they_mean() {
        assert_eq!(explain("WORK").len(), 1);
        assert_eq!(explain("imbalance").len(), 2, "a figure and a kind of finding");
        assert!(explain("nothing of the kind").is_empty());
    }
}
