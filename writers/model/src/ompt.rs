//! OMPT's enumerators as types, with this tool's additional ones.

use ompttrace_recording::kinds::{DATA_MAP, IDLE, TARGET_DATA};

/// The kind [`Thread::Device`], which OMPT does not have.
const DEVICE: u64 = 512;

/// Defines one type for each enumerator: `Variant = number "name for users"`.
macro_rules! enumerators {
    ($( $(#[$doc:meta])* $name:ident else $other:literal { $( $variant:ident = $number:tt $text:literal, )+ } )+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are those of the enumerators")]
        #[repr(u8)]
        pub enum $name {
            $( $variant, )+
            /// Any other number: not reported by the source, or of a later OMPT.
            #[default]
            Unknown,
        }

        impl $name {
            /// The enumerator's name as users know it.
            pub const fn name(self) -> &'static str {
                match self {
                    $( $name::$variant => $text, )+
                    $name::Unknown => $other,
                }
            }
        }

        impl From<u64> for $name {
            /// Returns the enumerator of this number in a record.
            #[inline]
            fn from(number: u64) -> $name {
                match number {
                    $( $number => $name::$variant, )+
                    _ => $name::Unknown,
                }
            }
        }
    )+ };
}

enumerators! {
    /// A work-sharing construct (ompt_work_t).
    Work else "work" {
        Loop = 1 "for",
        Sections = 2 "sections",
        SingleExecutor = 3 "single",
        SingleOther = 4 "single (other thread)",
        Workshare = 5 "workshare",
        Distribute = 6 "distribute",
        Taskloop = 7 "taskloop",
        Scope = 8 "scope",
        LoopStatic = 10 "for static",
        LoopDynamic = 11 "for dynamic",
        LoopGuided = 12 "for guided",
        LoopOther = 13 "for",
    }
    /// A synchronisation (ompt_sync_region_t), or the idle time of threads without a team, which is this tool's addition.
    SyncRegion else "synchronisation" {
        Barrier = 1 "barrier",
        BarrierImplicit = 2 "barrier (implicit)",
        BarrierExplicit = 3 "barrier (explicit)",
        BarrierImplementation = 4 "barrier (implementation)",
        Taskwait = 5 "taskwait",
        Taskgroup = 6 "taskgroup",
        Reduction = 7 "reduction",
        BarrierImplicitWorkshare = 8 "barrier (implicit)",
        BarrierImplicitParallel = 9 "barrier (implicit)",
        BarrierTeams = 10 "barrier (teams)",
        Idle = IDLE "idle",
    }
    /// A chunk of work (ompt_dispatch_t).
    Dispatch else "dispatch" {
        Iteration = 1 "iteration",
        Section = 2 "section",
        LoopChunk = 3 "chunk",
        TaskloopChunk = 4 "taskloop chunk",
        DistributeChunk = 5 "distribute chunk",
    }
    /// A mutex (ompt_mutex_t).
    Mutex else "mutex" {
        Lock = 1 "lock",
        TestLock = 2 "lock",
        NestLock = 3 "nest lock",
        TestNestLock = 4 "nest lock",
        Critical = 5 "critical",
        Atomic = 6 "atomic",
        Ordered = 7 "ordered",
    }
    /// A target construct (ompt_target_t), or a target data construct of OMPT 2014, which is this tool's addition.
    Target else "target construct" {
        Target = 1 "target",
        EnterData = 2 "target enter data",
        ExitData = 3 "target exit data",
        Update = 4 "target update",
        TargetNowait = 9 "target nowait",
        EnterDataNowait = 10 "target enter data nowait",
        ExitDataNowait = 11 "target exit data nowait",
        UpdateNowait = 12 "target update nowait",
        Data = TARGET_DATA "target data",
    }
    /// A data operation (ompt_target_data_op_t), or a data mapping whose kind the source does not report, which is
    /// this tool's addition.
    DataOp else "data operation" {
        Alloc = 1 "device alloc",
        TransferToDevice = 2 "transfer to device",
        TransferFromDevice = 3 "transfer from device",
        Delete = 4 "device delete",
        Associate = 5 "associate",
        Disassociate = 6 "disassociate",
        AllocAsync = 17 "device alloc (async)",
        TransferToDeviceAsync = 18 "transfer to device (async)",
        TransferFromDeviceAsync = 19 "transfer from device (async)",
        DeleteAsync = 20 "device delete (async)",
        Mapping = (DATA_MAP..) "data mapping",
    }
    /// A kind of dependence of a task, or of an iteration of a doacross loop (ompt_dependence_type_t).
    Dependence else "other" {
        In = 1 "in",
        Out = 2 "out",
        Inout = 3 "inout",
        Mutexinoutset = 4 "mutexinoutset",
        Source = 5 "source",
        Sink = 6 "sink",
        Inoutset = 7 "inoutset",
        OutAllMemory = 34 "out, all memory",
        InoutAllMemory = 35 "inout, all memory",
    }
    /// A kind of thread (ompt_thread_t), or a device, which is this tool's addition.
    Thread else "unknown" {
        Initial = 1 "initial",
        Worker = 2 "worker",
        Other = 3 "other",
        Device = DEVICE "device",
    }
    /// The severity of an error (ompt_severity_t).
    Severity else "warning" {
        Warning = 1 "warning",
        Fatal = 2 "fatal",
    }
    /// The reason why a thread leaves a task (ompt_task_status_t).
    TaskStatus else "task status" {
        Complete = 1 "task complete",
        Yield = 2 "task yields",
        Cancel = 3 "task cancelled",
        Detach = 4 "task detached",
        EarlyFulfill = 5 "task fulfilled early",
        LateFulfill = 6 "detached task complete",
        Switch = 7 "task switch",
        TaskwaitComplete = 8 "taskwait complete",
    }
    /// A command of the program (omp_control_tool_t).
    Command else "other" {
        Start = 1 "start",
        Pause = 2 "pause",
        Flush = 3 "flush",
        End = 4 "end",
    }
}

impl SyncRegion {
    /// Returns true for a barrier of the team.
    #[inline]
    pub const fn is_barrier(self) -> bool {
        use SyncRegion::*;
        match self {
            Barrier | BarrierExplicit | BarrierImplementation => true,
            BarrierImplicit | BarrierImplicitWorkshare | BarrierImplicitParallel => true,
            BarrierTeams => true,
            Taskwait | Taskgroup | Reduction | Idle | Unknown => false,
        }
    }

    /// Returns true if it may be the barrier that ends a region or a league: older runtimes report all implicit
    /// barriers as the same kind.
    #[inline]
    pub const fn is_closing(self) -> bool {
        use SyncRegion::*;
        matches!(self, BarrierImplicit | BarrierImplicitParallel | BarrierTeams)
    }

    /// Returns true if an end of kind `other` may end a synchronisation of this kind: runtimes report one barrier as
    /// several kinds.
    #[inline]
    pub fn is_same(self, other: SyncRegion) -> bool {
        self == other || (self.is_barrier() && other.is_barrier())
    }
}

impl Work {
    /// Returns true for a loop of the team.
    #[inline]
    pub const fn is_loop(self) -> bool {
        use Work::*;
        matches!(self, Loop | LoopStatic | LoopDynamic | LoopGuided | LoopOther)
    }

    /// Returns true if cancellation may leave the construct without its end.
    #[inline]
    pub const fn is_cancellable(self) -> bool {
        matches!(self, Work::Sections) || self.is_loop()
    }

    /// Returns true if one thread of the team executes the construct.
    #[inline]
    pub const fn is_single(self) -> bool {
        matches!(self, Work::SingleExecutor | Work::SingleOther)
    }
}

impl Mutex {
    /// Returns true for a lock, false for a construct with a block.
    #[inline]
    pub const fn is_lock(self) -> bool {
        matches!(self.without_test(), Mutex::Lock | Mutex::NestLock)
    }

    /// The kind that is acquired: a test of a lock acquires that lock.
    #[inline]
    pub const fn without_test(self) -> Mutex {
        match self {
            Mutex::TestLock => Mutex::Lock,
            Mutex::TestNestLock => Mutex::NestLock,
            other => other,
        }
    }

    /// Returns true if the program only tests a lock.
    #[inline]
    pub const fn is_test(self) -> bool {
        matches!(self, Mutex::TestLock | Mutex::TestNestLock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SliceKind;
    use ompttrace_recording::kinds::data_map;

    #[test]
    fn numbers_have_their_names() {
        assert_eq!(
            [1, 13, 9, 0].map(|number: u64| Work::from(number).name()),
            ["for", "for", "work", "work"]
        );
        assert_eq!(
            [4, IDLE, u64::MAX].map(SyncRegion::from),
            [SyncRegion::BarrierImplementation, SyncRegion::Idle, SyncRegion::Unknown,]
        );
        assert_eq!(
            [18, 21, data_map(3, 63)].map(DataOp::from),
            [DataOp::TransferToDeviceAsync, DataOp::Unknown, DataOp::Mapping,]
        );
    }

    #[test]
    fn kinds_of_slices_stay_small() {
        assert_eq!(size_of::<SliceKind>(), 2);
    }
}
