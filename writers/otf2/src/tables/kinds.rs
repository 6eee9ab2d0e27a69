//! Names and roles of constructs in an archive, by the kinds of the timeline. The names are those that Score-P and
//! OPARI2 made usual (`!$omp parallel @file.c:12`).

use ompttrace_model::ompt::{DataOp, Dispatch, Mutex, SyncRegion, Target, Work};
use ompttrace_model::{InstantKind, OnDevice, PhaseKind, SliceKind};
use ompttrace_recording::mpi::Group;
use otf2_sys::*;

use crate::archive::{CUDA, TARGET};

/// A kind of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionKind {
    /// First part of the region's name, before the source location.
    pub word: &'static str,
    /// Role of the regions, an OTF2_RegionRole.
    pub role: u32,
    /// Paradigm of the regions, an OTF2_Paradigm.
    pub paradigm: u8,
}

/// Regions that are no slice of the timeline, and those that are one of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// A slice of the timeline.
    Slice(SliceKind),
    /// A critical, atomic or ordered region from the first try to its end.
    Construct(Mutex),
    /// The block inside a critical, atomic or ordered region.
    Block(Mutex),
    /// The block inside a single region, on the thread that executes it.
    SingleBlock,
    /// The release of a lock.
    Unlock(Mutex),
    /// An instant, which has no duration.
    Instant(InstantKind),
    /// A function of the program, in calling contexts.
    Function,
}

const fn openmp(word: &'static str, role: OTF2_RegionRole_enum) -> RegionKind {
    RegionKind { word, role, paradigm: OTF2_PARADIGM_OPENMP as u8 }
}

const fn target(word: &'static str, role: OTF2_RegionRole_enum) -> RegionKind {
    RegionKind { word, role, paradigm: TARGET }
}

const fn own(word: &'static str) -> RegionKind {
    RegionKind {
        word,
        role: OTF2_REGION_ROLE_ARTIFICIAL,
        paradigm: OTF2_PARADIGM_MEASUREMENT_SYSTEM as u8,
    }
}

impl Shape {
    /// Word, role and paradigm of regions of this shape.
    pub(crate) fn kind(self, is_fortran: bool) -> RegionKind {
        match self {
            Shape::Slice(kind) => slice(kind, is_fortran),
            Shape::Construct(kind) => construct(kind),
            Shape::Block(kind) => block(kind),
            Shape::SingleBlock => openmp("!$omp single sblock", OTF2_REGION_ROLE_SINGLE_SBLOCK),
            Shape::Unlock(Mutex::NestLock | Mutex::TestNestLock) => {
                openmp("omp_unset_nest_lock", OTF2_REGION_ROLE_FUNCTION)
            }
            Shape::Unlock(_) => openmp("omp_unset_lock", OTF2_REGION_ROLE_FUNCTION),
            Shape::Instant(kind) => instant(kind),
            Shape::Function => RegionKind {
                word: "",
                role: OTF2_REGION_ROLE_FUNCTION,
                paradigm: OTF2_PARADIGM_COMPILER as u8,
            },
        }
    }
}

fn slice(kind: SliceKind, is_fortran: bool) -> RegionKind {
    match kind {
        SliceKind::ImplicitTask => openmp("!$omp parallel", OTF2_REGION_ROLE_PARALLEL),
        SliceKind::Region { league: false } => openmp("!$omp parallel", OTF2_REGION_ROLE_PARALLEL),
        SliceKind::Region { league: true } => openmp("!$omp teams", OTF2_REGION_ROLE_PARALLEL),
        SliceKind::InitialTask => openmp("initial task", OTF2_REGION_ROLE_FUNCTION),
        SliceKind::Task => openmp("!$omp task", OTF2_REGION_ROLE_TASK),
        SliceKind::Work(work) => self::work(work, is_fortran),
        SliceKind::Dispatch(Dispatch::Section) => openmp("!$omp section", OTF2_REGION_ROLE_SECTION),
        SliceKind::Dispatch(chunk) => openmp(self::chunk(chunk), OTF2_REGION_ROLE_CODE),
        SliceKind::Masked => openmp("!$omp masked", OTF2_REGION_ROLE_MASTER),
        SliceKind::Sync(sync) => self::sync(sync),
        SliceKind::Wait(sync) => wait(sync),
        SliceKind::Reduction(_) => openmp("!$omp reduction", OTF2_REGION_ROLE_COLL_ALL2ONE),
        SliceKind::MutexWait(mutex) | SliceKind::MutexHold(mutex) => mutex_wait(mutex),
        SliceKind::LockTests(mutex) => tests_failed(mutex),
        SliceKind::Target(target) => target_construct(target),
        SliceKind::DataOp(operation) => data_op(operation),
        // OTF2 has no role for it: KERNEL, from 3.1 on, is what runs on the device.
        SliceKind::Submit => target("submit kernel", OTF2_REGION_ROLE_CODE),
        SliceKind::ToolWait => own("wait: tracing tool"),
        SliceKind::Mpi(group) => mpi(group),
        SliceKind::Device(activity) => on_device(activity),
        // Named by their functions.
        SliceKind::DeviceCall { .. } => {
            RegionKind { word: "", role: OTF2_REGION_ROLE_FUNCTION, paradigm: CUDA }
        }
        SliceKind::Phase(kind) => phase(kind),
    }
}

/// A phase. The word is not the region's name: the program names it, as it does with user regions of Score-P.
fn phase(kind: PhaseKind) -> RegionKind {
    let (role, paradigm) = match kind {
        PhaseKind::KokkosKernel | PhaseKind::KokkosRegion | PhaseKind::KokkosFence => {
            (OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_KOKKOS)
        }
        PhaseKind::KokkosCopy => (OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_KOKKOS),
        PhaseKind::Phase
        | PhaseKind::Iteration
        | PhaseKind::NvtxRange
        | PhaseKind::IttTask
        | PhaseKind::Other => (OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER),
    };
    RegionKind { word: "", role, paradigm: paradigm as u8 }
}

/// An accelerator's activity. The word is not the region's name: that is the kernel's, or says where a copy goes.
fn on_device(activity: OnDevice) -> RegionKind {
    let role = match activity {
        OnDevice::CopyToDevice
        | OnDevice::CopyFromDevice
        | OnDevice::Copy
        | OnDevice::Set
        | OnDevice::MigrateToDevice
        | OnDevice::MigrateFromDevice
        | OnDevice::Migrate => OTF2_REGION_ROLE_DATA_TRANSFER,
        OnDevice::Kernel
        | OnDevice::Region
        | OnDevice::Fault
        | OnDevice::HostFault
        | OnDevice::Thrashing
        | OnDevice::Throttling
        | OnDevice::RemoteMap
        | OnDevice::WaitEvent
        | OnDevice::Other => OTF2_REGION_ROLE_CODE,
    };
    RegionKind { word: "", role, paradigm: CUDA }
}

/// A call of MPI. The word is not the region's name, which is the function's.
fn mpi(group: Group) -> RegionKind {
    let role = match group {
        Group::PointToPoint => OTF2_REGION_ROLE_POINT2POINT,
        Group::Collective => OTF2_REGION_ROLE_COLL_OTHER,
        Group::OneSided => OTF2_REGION_ROLE_RMA,
        Group::Io => OTF2_REGION_ROLE_FILE_IO,
        Group::Wait | Group::Other => OTF2_REGION_ROLE_FUNCTION,
    };
    RegionKind { word: "", role, paradigm: OTF2_PARADIGM_MPI as u8 }
}

fn work(work: Work, is_fortran: bool) -> RegionKind {
    use Work::*;
    let looped = if is_fortran { "!$omp do" } else { "!$omp for" };
    match work {
        Sections => openmp("!$omp sections", OTF2_REGION_ROLE_SECTIONS),
        SingleExecutor | SingleOther => openmp("!$omp single", OTF2_REGION_ROLE_SINGLE),
        Workshare => openmp("!$omp workshare", OTF2_REGION_ROLE_WORKSHARE),
        Distribute => openmp("!$omp distribute", OTF2_REGION_ROLE_LOOP),
        Taskloop => openmp("!$omp taskloop", OTF2_REGION_ROLE_LOOP),
        Scope => openmp("!$omp scope", OTF2_REGION_ROLE_CODE),
        Loop | LoopStatic | LoopDynamic | LoopGuided | LoopOther => {
            openmp(looped, OTF2_REGION_ROLE_LOOP)
        }
        Unknown => openmp("!$omp work", OTF2_REGION_ROLE_CODE),
    }
}

fn chunk(chunk: Dispatch) -> &'static str {
    match chunk {
        Dispatch::Unknown => Dispatch::LoopChunk.name(),
        known => known.name(),
    }
}

fn sync(sync: SyncRegion) -> RegionKind {
    use SyncRegion::*;
    match sync {
        Barrier | BarrierExplicit => openmp("!$omp barrier", OTF2_REGION_ROLE_BARRIER),
        BarrierImplicit
        | BarrierImplementation
        | BarrierImplicitWorkshare
        | BarrierImplicitParallel
        | BarrierTeams => openmp("!$omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER),
        Taskwait => openmp("!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT),
        Taskgroup => openmp("!$omp taskgroup", OTF2_REGION_ROLE_BARRIER),
        Reduction => openmp("!$omp reduction", OTF2_REGION_ROLE_COLL_ALL2ONE),
        Idle | Unknown => openmp("!$omp synchronisation", OTF2_REGION_ROLE_BARRIER),
    }
}

/// Waiting inside a synchronisation. It has no role of its own: what counts barriers by their role
/// must not count them twice.
fn wait(sync: SyncRegion) -> RegionKind {
    use SyncRegion::*;
    let word = match sync {
        Barrier | BarrierExplicit => "!$omp barrier wait",
        BarrierImplicit
        | BarrierImplementation
        | BarrierImplicitWorkshare
        | BarrierImplicitParallel
        | BarrierTeams => "!$omp implicit barrier wait",
        Taskwait => "!$omp taskwait wait",
        Taskgroup => "!$omp taskgroup wait",
        Reduction => "!$omp reduction wait",
        Idle | Unknown => "!$omp wait",
    };
    openmp(word, OTF2_REGION_ROLE_ARTIFICIAL)
}

/// Waiting for a mutex: the function that sets a lock, or a part of a construct.
fn mutex_wait(mutex: Mutex) -> RegionKind {
    match mutex {
        Mutex::Lock => openmp("omp_set_lock", OTF2_REGION_ROLE_FUNCTION),
        Mutex::TestLock => openmp("omp_test_lock", OTF2_REGION_ROLE_FUNCTION),
        Mutex::NestLock => openmp("omp_set_nest_lock", OTF2_REGION_ROLE_FUNCTION),
        Mutex::TestNestLock => openmp("omp_test_nest_lock", OTF2_REGION_ROLE_FUNCTION),
        Mutex::Atomic => openmp("!$omp atomic wait", OTF2_REGION_ROLE_ARTIFICIAL),
        Mutex::Ordered => openmp("!$omp ordered wait", OTF2_REGION_ROLE_ARTIFICIAL),
        _ => openmp("!$omp critical wait", OTF2_REGION_ROLE_ARTIFICIAL),
    }
}

fn construct(mutex: Mutex) -> RegionKind {
    match mutex {
        Mutex::Atomic => openmp("!$omp atomic", OTF2_REGION_ROLE_ATOMIC),
        Mutex::Ordered => openmp("!$omp ordered", OTF2_REGION_ROLE_ORDERED),
        _ => openmp("!$omp critical", OTF2_REGION_ROLE_CRITICAL),
    }
}

fn tests_failed(mutex: Mutex) -> RegionKind {
    let word = match mutex.without_test() {
        Mutex::NestLock => "omp_test_nest_lock failed",
        Mutex::Lock => "omp_test_lock failed",
        // The thread never came to have it: an exit in a signal handler, say.
        _ => "asked for a mutex",
    };
    openmp(word, OTF2_REGION_ROLE_FUNCTION)
}

fn block(mutex: Mutex) -> RegionKind {
    match mutex {
        Mutex::Atomic => openmp("!$omp atomic sblock", OTF2_REGION_ROLE_ATOMIC),
        Mutex::Ordered => openmp("!$omp ordered sblock", OTF2_REGION_ROLE_ORDERED_SBLOCK),
        _ => openmp("!$omp critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK),
    }
}

fn target_construct(construct: Target) -> RegionKind {
    let word = match construct {
        Target::Target | Target::TargetNowait => "!$omp target",
        Target::EnterData | Target::EnterDataNowait => "!$omp target enter data",
        Target::ExitData | Target::ExitDataNowait => "!$omp target exit data",
        Target::Update | Target::UpdateNowait => "!$omp target update",
        Target::Data | Target::Unknown => "!$omp target construct",
    };
    target(word, OTF2_REGION_ROLE_TASK_WAIT)
}

fn data_op(operation: DataOp) -> RegionKind {
    use DataOp::*;
    let (word, role) = match operation {
        Alloc | AllocAsync => (Alloc.name(), OTF2_REGION_ROLE_ALLOCATE),
        TransferToDevice | TransferToDeviceAsync => {
            (TransferToDevice.name(), OTF2_REGION_ROLE_DATA_TRANSFER)
        }
        TransferFromDevice | TransferFromDeviceAsync => {
            (TransferFromDevice.name(), OTF2_REGION_ROLE_DATA_TRANSFER)
        }
        Delete | DeleteAsync => (Delete.name(), OTF2_REGION_ROLE_DEALLOCATE),
        Associate | Disassociate => (operation.name(), OTF2_REGION_ROLE_CODE),
        Mapping | Unknown => (Unknown.name(), OTF2_REGION_ROLE_CODE),
    };
    target(word, role)
}

fn mpi_instant(word: &'static str) -> RegionKind {
    RegionKind { word, role: OTF2_REGION_ROLE_ARTIFICIAL, paradigm: OTF2_PARADIGM_MPI as u8 }
}

fn instant(kind: InstantKind) -> RegionKind {
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
        MpiReceived => mpi_instant("MPI received"),
        MpiCompleted => mpi_instant("MPI request complete"),
        MpiError => mpi_instant("MPI error"),
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

/// The schedule that a loop's kind reports.
pub(crate) fn schedule(work: Work) -> Option<&'static str> {
    match work {
        Work::LoopStatic => Some("static"),
        Work::LoopDynamic => Some("dynamic"),
        Work::LoopGuided => Some("guided"),
        Work::LoopOther => Some("other"),
        _ => None,
    }
}
