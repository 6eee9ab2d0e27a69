//! Description of ORT in `recording.json`: the events that it delivers, and what it cannot report.

use crate::eelib;
use crate::start::Side;
use ompttrace_in_front::wanted;
use ompttrace_life::Selection;
use ompttrace_recording::events::{
    ControlTool, Flush, ImplicitTask, ParallelBegin, ParallelEnd, Reduction, SyncRegion,
    SyncRegionWait, TaskCreate, TaskSchedule, ThreadBegin, ThreadEnd,
};
use ompttrace_recording::facts::Runtime;

/// Value of `_OPENMP` in OMPi 2.5.0: its runtime is built by a compiler of OpenMP 4.5.
const OMP_VERSION: u32 = 201_511;

/// Events that the entry points report besides those of all sources of this kind.
const FURTHER: [u16; 3] = [Reduction::NUMBER, Flush::NUMBER, ControlTool::NUMBER];

/// Events that the entry points between ORT and the library report.
const DELIVERED_BY_LIBRARY: &[u16] = &[
    ThreadBegin::NUMBER,
    ThreadEnd::NUMBER,
    ParallelBegin::NUMBER,
    ParallelEnd::NUMBER,
    ImplicitTask::NUMBER,
    SyncRegion::NUMBER,
    SyncRegionWait::NUMBER,
    ControlTool::NUMBER,
];
/// Events that they report of a library with tasks of its own.
const OF_TASKS: [u16; 2] = [TaskCreate::NUMBER, TaskSchedule::NUMBER];

/// Notes that a reader of the trace should know of this source.
const NOTES: [&str; 5] = [
    "master is compiled without a call: not recorded; nor are sections in a team of one thread",
    "a combined loop has no call at its end: it ends with the barrier that follows",
    "barriers that end a construct are known by the call before them; a copyin's counts as one of the program",
    "tasks that a cancellation discards are not reported: they are created and never run",
    "offloading is recorded where the host runs the kernel",
];

/// Notes of that kind for a program that is recorded at its execution entity library.
const NOTES_OF_LIBRARY: [&str; 4] = [
    "recorded between ORT and its library of execution entities: teams, and barriers and tasks that the library brings",
    "regions of one thread, work-sharing constructs, critical sections and locks are not recorded",
    "of barriers it is not known whether the program has them; those of ORT itself are not recorded",
    "a region's and a barrier's code location is that of ORT's call",
];

/// True if an event can be reported where `side` is recorded.
fn delivers(side: Side, event: u16) -> bool {
    match side {
        Side::Ort => wanted::DELIVERED.contains(&event) || FURTHER.contains(&event),
        Side::Library if OF_TASKS.contains(&event) => eelib::brings_tasks(),
        Side::Library => DELIVERED_BY_LIBRARY.contains(&event),
    }
}

/// Describes ORT, recorded on this side, with the answers for the events of `selection`.
pub(crate) fn runtime(selection: &Selection, side: Side) -> Runtime {
    let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
    let kind = if eelib::makes_processes() { "processes" } else { "threads" };
    let (version, dialect, notes) = match side {
        Side::Ort => ("OMPi ORT 2.5", "execution entities are", NOTES.to_vec()),
        // Which ORT it is nobody says there.
        Side::Library => (
            "OMPi ORT",
            "recorded at the library, execution entities are",
            NOTES_OF_LIBRARY.to_vec(),
        ),
    };
    Runtime {
        interface: "ompi".to_owned(),
        dialect: format!("{dialect} {kind}"),
        version: version.to_owned(),
        omp_version: OMP_VERSION,
        library: program.to_string_lossy().into_owned(),
        callbacks: wanted::answers(selection, |event| delivers(side, event)),
        notes: notes.into_iter().map(str::to_owned).collect(),
        ..Runtime::default()
    }
}
