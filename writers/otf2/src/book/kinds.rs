//! What every construct is called in an archive and which role it has: the names that Score-P and
//! OPARI2 made usual (`!$omp parallel @file.c:12`), by the kinds of the timeline.

use ompttrace_model::{InstantKind, SliceKind};
use otf2_sys::*;

use crate::archive::TARGET;

/// A kind of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// What stands in front of the place.
    pub word: &'static str,
    /// OTF2_RegionRole.
    pub role: u32,
    /// OTF2_Paradigm.
    pub paradigm: u8,
}

/// Regions that are no slice of the timeline, and those that are one of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// A slice.
    Slice(SliceKind),
    /// A critical, atomic or ordered region from the first try to its end (ompt_mutex_t).
    Construct(u64),
    /// What is done inside a critical, atomic or ordered region (ompt_mutex_t).
    Block(u64),
    /// What the thread that was first does inside a single region.
    SingleBlock,
    /// A lock is given back (ompt_mutex_t).
    Unlock(u64),
    /// Something without duration.
    Instant(InstantKind),
    /// A function of the program, in calling contexts.
    Function,
}

const fn openmp(word: &'static str, role: OTF2_RegionRole_enum) -> Kind {
    Kind { word, role, paradigm: OTF2_PARADIGM_OPENMP as u8 }
}

const fn target(word: &'static str, role: OTF2_RegionRole_enum) -> Kind {
    Kind { word, role, paradigm: TARGET }
}

const fn own(word: &'static str) -> Kind {
    Kind {
        word,
        role: OTF2_REGION_ROLE_ARTIFICIAL,
        paradigm: OTF2_PARADIGM_MEASUREMENT_SYSTEM as u8,
    }
}

impl Shape {
    /// Word, role and paradigm.
    pub(crate) fn kind(self, is_fortran: bool) -> Kind {
        match self {
            Shape::Slice(kind) => slice(kind, is_fortran),
            Shape::Construct(kind) => construct(kind),
            Shape::Block(kind) => block(kind),
            Shape::SingleBlock => openmp("!$omp single sblock", OTF2_REGION_ROLE_SINGLE_SBLOCK),
            Shape::Unlock(3 | 4) => openmp("omp_unset_nest_lock", OTF2_REGION_ROLE_FUNCTION),
            Shape::Unlock(_) => openmp("omp_unset_lock", OTF2_REGION_ROLE_FUNCTION),
            Shape::Instant(kind) => instant(kind),
            Shape::Function => Kind {
                word: "",
                role: OTF2_REGION_ROLE_FUNCTION,
                paradigm: OTF2_PARADIGM_COMPILER as u8,
            },
        }
    }
}

fn slice(kind: SliceKind, is_fortran: bool) -> Kind {
    match kind {
        SliceKind::ImplicitTask => openmp("!$omp parallel", OTF2_REGION_ROLE_PARALLEL),
        SliceKind::Region { league: false } => openmp("!$omp parallel", OTF2_REGION_ROLE_PARALLEL),
        SliceKind::Region { league: true } => openmp("!$omp teams", OTF2_REGION_ROLE_PARALLEL),
        SliceKind::InitialTask => openmp("initial task", OTF2_REGION_ROLE_FUNCTION),
        SliceKind::Task => openmp("!$omp task", OTF2_REGION_ROLE_TASK),
        SliceKind::Work(number) => work(number, is_fortran),
        SliceKind::Dispatch(2) => openmp("!$omp section", OTF2_REGION_ROLE_SECTION),
        SliceKind::Dispatch(kind) => openmp(chunk(kind), OTF2_REGION_ROLE_CODE),
        SliceKind::Masked => openmp("!$omp masked", OTF2_REGION_ROLE_MASTER),
        SliceKind::Sync(number) => sync(number),
        SliceKind::Wait(number) => wait(number),
        SliceKind::Reduction(_) => openmp("!$omp reduction", OTF2_REGION_ROLE_COLL_ALL2ONE),
        SliceKind::MutexWait(number) | SliceKind::MutexHold(number) => mutex_wait(number),
        SliceKind::LockTests(kind) => tests_failed(kind),
        SliceKind::Target(number) => target_construct(number),
        SliceKind::DataOp(number) => data_op(number),
        // OTF2 has no role for it: KERNEL, from 3.1 on, is what runs on the device.
        SliceKind::Submit => target("submit kernel", OTF2_REGION_ROLE_CODE),
        SliceKind::ToolWait => own("wait: tracing tool"),
    }
}

fn work(kind: u64, is_fortran: bool) -> Kind {
    let looped = if is_fortran { "!$omp do" } else { "!$omp for" };
    match kind {
        2 => openmp("!$omp sections", OTF2_REGION_ROLE_SECTIONS),
        3 | 4 => openmp("!$omp single", OTF2_REGION_ROLE_SINGLE),
        5 => openmp("!$omp workshare", OTF2_REGION_ROLE_WORKSHARE),
        6 => openmp("!$omp distribute", OTF2_REGION_ROLE_LOOP),
        7 => openmp("!$omp taskloop", OTF2_REGION_ROLE_LOOP),
        8 => openmp("!$omp scope", OTF2_REGION_ROLE_CODE),
        1 | 10..=13 => openmp(looped, OTF2_REGION_ROLE_LOOP),
        _ => openmp("!$omp work", OTF2_REGION_ROLE_CODE),
    }
}

fn chunk(kind: u64) -> &'static str {
    match kind {
        1 => "iteration",
        4 => "taskloop chunk",
        5 => "distribute chunk",
        _ => "chunk",
    }
}

fn sync(kind: u64) -> Kind {
    match kind {
        1 | 3 => openmp("!$omp barrier", OTF2_REGION_ROLE_BARRIER),
        2 | 4 | 8..=10 => openmp("!$omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER),
        5 => openmp("!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT),
        6 => openmp("!$omp taskgroup", OTF2_REGION_ROLE_BARRIER),
        7 => openmp("!$omp reduction", OTF2_REGION_ROLE_COLL_ALL2ONE),
        _ => openmp("!$omp synchronisation", OTF2_REGION_ROLE_BARRIER),
    }
}

/// Waiting inside a synchronisation. It has no role of its own: what counts barriers by their role
/// must not count them twice.
fn wait(kind: u64) -> Kind {
    let word = match kind {
        1 | 3 => "!$omp barrier wait",
        2 | 4 | 8..=10 => "!$omp implicit barrier wait",
        5 => "!$omp taskwait wait",
        6 => "!$omp taskgroup wait",
        7 => "!$omp reduction wait",
        _ => "!$omp wait",
    };
    openmp(word, OTF2_REGION_ROLE_ARTIFICIAL)
}

/// Waiting for a mutex: the function that sets a lock, or a part of a construct.
fn mutex_wait(kind: u64) -> Kind {
    match kind {
        1 => openmp("omp_set_lock", OTF2_REGION_ROLE_FUNCTION),
        2 => openmp("omp_test_lock", OTF2_REGION_ROLE_FUNCTION),
        3 => openmp("omp_set_nest_lock", OTF2_REGION_ROLE_FUNCTION),
        4 => openmp("omp_test_nest_lock", OTF2_REGION_ROLE_FUNCTION),
        6 => openmp("!$omp atomic wait", OTF2_REGION_ROLE_ARTIFICIAL),
        7 => openmp("!$omp ordered wait", OTF2_REGION_ROLE_ARTIFICIAL),
        _ => openmp("!$omp critical wait", OTF2_REGION_ROLE_ARTIFICIAL),
    }
}

fn construct(kind: u64) -> Kind {
    match kind {
        6 => openmp("!$omp atomic", OTF2_REGION_ROLE_ATOMIC),
        7 => openmp("!$omp ordered", OTF2_REGION_ROLE_ORDERED),
        _ => openmp("!$omp critical", OTF2_REGION_ROLE_CRITICAL),
    }
}

fn tests_failed(kind: u64) -> Kind {
    let word = match kind {
        3 | 4 => "omp_test_nest_lock failed",
        1 | 2 => "omp_test_lock failed",
        // The thread never came to have it: an exit in a signal handler, say.
        _ => "asked for a mutex",
    };
    openmp(word, OTF2_REGION_ROLE_FUNCTION)
}

fn block(kind: u64) -> Kind {
    match kind {
        6 => openmp("!$omp atomic sblock", OTF2_REGION_ROLE_ATOMIC),
        7 => openmp("!$omp ordered sblock", OTF2_REGION_ROLE_ORDERED_SBLOCK),
        _ => openmp("!$omp critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK),
    }
}

fn target_construct(kind: u64) -> Kind {
    let word = match kind & 7 {
        1 => "!$omp target",
        2 => "!$omp target enter data",
        3 => "!$omp target exit data",
        4 => "!$omp target update",
        _ => "!$omp target construct",
    };
    target(word, OTF2_REGION_ROLE_TASK_WAIT)
}

fn data_op(kind: u64) -> Kind {
    match kind & 15 {
        1 => target("device alloc", OTF2_REGION_ROLE_ALLOCATE),
        2 => target("transfer to device", OTF2_REGION_ROLE_DATA_TRANSFER),
        3 => target("transfer from device", OTF2_REGION_ROLE_DATA_TRANSFER),
        4 => target("device delete", OTF2_REGION_ROLE_DEALLOCATE),
        5 => target("associate", OTF2_REGION_ROLE_CODE),
        6 => target("disassociate", OTF2_REGION_ROLE_CODE),
        _ => target("data operation", OTF2_REGION_ROLE_CODE),
    }
}

fn instant(kind: InstantKind) -> Kind {
    use InstantKind::*;
    match kind {
        TaskCreate => openmp("!$omp create task", OTF2_REGION_ROLE_TASK_CREATE),
        Flush => openmp("!$omp flush", OTF2_REGION_ROLE_FLUSH),
        Cancel => openmp("!$omp cancel", OTF2_REGION_ROLE_CODE),
        TaskStatus => openmp("task status", OTF2_REGION_ROLE_ARTIFICIAL),
        TaskDependence => openmp("task dependence", OTF2_REGION_ROLE_ARTIFICIAL),
        LockInit => openmp("omp_init_lock", OTF2_REGION_ROLE_FUNCTION),
        LockDestroy => openmp("omp_destroy_lock", OTF2_REGION_ROLE_FUNCTION),
        LockTestFailed(kind) => tests_failed(kind),
        NestLock => openmp("nest lock again", OTF2_REGION_ROLE_FUNCTION),
        Error => openmp("!$omp error", OTF2_REGION_ROLE_CODE),
        Dispatch => openmp("chunk", OTF2_REGION_ROLE_CODE),
        Control => openmp("omp_control_tool", OTF2_REGION_ROLE_FUNCTION),
        ThreadBegin => openmp("thread begin", OTF2_REGION_ROLE_ARTIFICIAL),
        ThreadEnd => openmp("thread end", OTF2_REGION_ROLE_ARTIFICIAL),
        Lost => own("records lost"),
        DeviceInitialize => target("device initialize", OTF2_REGION_ROLE_CODE),
        DeviceFinalize => target("device finalize", OTF2_REGION_ROLE_CODE),
        DeviceLoad => target("device load", OTF2_REGION_ROLE_CODE),
        DeviceUnload => target("device unload", OTF2_REGION_ROLE_CODE),
        TargetMap => target("target map", OTF2_REGION_ROLE_CODE),
        DataOp => target("data operation", OTF2_REGION_ROLE_DATA_TRANSFER),
        Submit => target("submit kernel", OTF2_REGION_ROLE_CODE),
        Native => target("device record", OTF2_REGION_ROLE_CODE),
    }
}

/// The schedule that a loop's kind (ompt_work_t) tells.
pub(crate) fn schedule(kind: u64) -> Option<&'static str> {
    match kind {
        10 => Some("static"),
        11 => Some("dynamic"),
        12 => Some("guided"),
        13 => Some("other"),
        _ => None,
    }
}
