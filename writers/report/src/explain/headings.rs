//! Definitions of the figures at the head of a page and of the columns of tables, those of comparisons and scaling
//! included.

use super::Term;

/// Definitions of headings; one that is used for different figures has one definition for all of them.
pub(super) const HEADINGS: &[Term] = &[
    ("wall time", "the time of the process, from its start to its end, as far as these are known"),
    ("wall", "elapsed time; of a region from its begins to its ends, over all executions"),
    (
        "threads",
        "threads that there were at the same time, at most; in scaling the number that was asked for",
    ),
    ("in parallel regions", "the part of the wall time in which a parallel region was open"),
    (
        "lifetime",
        "from a thread's first event (the first thread's: from the start of the process) to its end",
    ),
    ("calls", "how often a construct was executed; of a region times the threads of its team"),
    ("times", "how often"),
    ("time", "time of all threads, without what is inside of it where the table says so"),
    ("barrier", "waiting at barriers, as a part of the time beside it"),
    (
        "mutex/ordered",
        "waiting for locks, critical sections, atomic operations and turns in ordered regions",
    ),
    ("overhead", "Wait: OpenMP itself is at work (all states whose names begin with overhead_)"),
    (
        "longest/mean",
        "work of the thread that worked most / mean work of its team, summed over the executions",
    ),
    (
        "others idle",
        "time of other threads that were idle meanwhile, in equal parts to all who worked; of serial sections waiting, too",
    ),
    (
        "others wait",
        "time that other threads waited for the mutex, or their turn, while this one had it",
    ),
    (
        "not there",
        "time of threads that had not begun yet or were over, of as many as there are at most; before the first team of as many as there are cores",
    ),
    (
        "waiting",
        "waiting of others at barriers, for tasks and for groups meanwhile, in equal parts to all who worked",
    ),
    ("of all", "as a part of the time of all threads; of a change, of the whole before"),
    ("held", "how long a mutex was held, in all"),
    ("inside", "how long threads were in an ordered region, in all"),
    ("mean", "how long it was held each time, in the mean"),
    ("longest", "the longest single one: wait, hold, or task"),
    ("acquired", "how often a mutex was taken"),
    ("executed", "how often an ordered region was entered"),
    ("waited for", "turns in an ordered region that had to wait while another thread was in it"),
    ("made", "tasks that were created there"),
    ("ran", "of these, tasks that began to run"),
    ("work each", "a task's own work in the mean, without tasks that it makes"),
    ("queued", "from a task's creation to its begin, in the mean"),
    (
        "making",
        "from one creation to the next in the mean, where a thread makes one after another; - where none does",
    ),
    ("elsewhere", "the part of the tasks that another thread began than the one that made them"),
    ("moved", "how often a task went on on another thread than it was left on"),
    ("of it work", "the part of the time on the critical path in which the program itself worked"),
    ("wanted", "time in which a thread wanted a core: it ran, or another had it"),
    ("had", "time in which a thread had a core"),
    ("spinning", "time on a core in which a thread waited for others or was in no team"),
    ("asleep", "time in which a thread slept in the kernel"),
    ("in waits", "of the time asleep, that in which a thread waited for others or was in no team"),
    ("in", "the construct in which that is"),
    (
        "mutex",
        "a mutex by kind and name; of samples, time of others who waited for one that was held there",
    ),
    ("before", "median over the runs before"),
    ("after", "median over the runs after"),
    ("change", "of the medians, after less before"),
    ("clear", "whether all runs of one side took longer than all of the other"),
    ("spread", "the shortest and longest run of a side"),
    ("speed-up", "wall time with the fewest threads / with so many"),
    ("efficiency", "speed-up / threads, beside the fewest"),
    ("parallel", "parallel efficiency: work of all threads / (threads x wall time) (POP)"),
    ("balance", "load balance (POP)"),
    ("serial.", "serialisation (POP)"),
    ("cores", "core availability: work / (work and time in which work wanted a core)"),
    ("comput.", "computation: work of all threads with the fewest threads / with so many"),
    (
        "stops",
        "the first number of threads with which a region takes more than 90% of what it took with the one before",
    ),
    ("no core", "during work, but without a core"),
];

/// Headings of tables about MPI.
pub(super) const OF_MPI: &[Term] = &[
    ("MPI", "in functions of MPI, as a part of the time beside it"),
    ("messages up to", "messages of at most so many bytes, and more than half as many"),
    ("function", "a function of MPI, and where it is called"),
    ("messages", "messages between two ranks that were sent there, or received"),
    ("sent", "bytes that were sent; by size, messages"),
    ("received", "bytes that were received; by size, messages"),
];

/// Headings of tables that only reports with devices have.
pub(super) const OF_DEVICES: &[Term] = &[
    (
        "device",
        "of the host, waiting for devices, as a part of the time beside it; of devices, the number",
    ),
    ("streams", "streams of a device on which something went on"),
    ("busy", "time in which something went on on a device"),
    ("of run", "as a part of the wall time"),
    ("kernels", "time in which kernels ran"),
    ("copying", "time in which memory was copied or set"),
    ("overlap", "the part of copying in which a kernel ran"),
    (
        "device idle",
        "time in which a device did nothing while a thread of the host worked, between its first and its last activity",
    ),
    ("kernel", "a kernel's name"),
    ("runs", "how often a kernel ran"),
    ("of kernels", "as a part of the time of all kernels"),
    ("shortest", "the shortest run"),
    ("copies", "copies of one direction, or memsets"),
    ("count", "how many"),
    ("bytes", "bytes that were copied or set"),
    ("bytes/s", "bytes by the time that copying them took"),
    (
        "unified memory",
        "migrations, page faults, and what the driver does where host and devices contend for memory",
    ),
    ("event waits", "waits of a device's streams for events that other streams recorded"),
    (
        "waited",
        "time in which they waited: from the call, or the end of what the stream did before, to the end of what was requested \
         before the event",
    ),
    ("target construct", "a target construct, and where it stands"),
    (
        "host waits",
        "time of the host's threads in a target construct while a device was at work for it",
    ),
    (
        "offloading",
        "time of the host's threads in a target construct while no device was at work for it",
    ),
    ("copied bytes", "bytes that were copied for a target construct"),
    (
        "copied again",
        "of these, those of memory of the host that was copied in the same direction before",
    ),
];
