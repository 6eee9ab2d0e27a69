//! The states of a thread, in OMPT's terms (ompt_state_t): all time of a thread counts in exactly one state, and
//! every state in exactly one [`Metric`]. Reports add the states up, and traces show them as [`Activity`].

use crate::chunks::Chunks;
use crate::core::Core;
use crate::kinds::SliceKind;
use crate::ompt::{Mutex, SyncRegion, Thread};
use ompttrace_recording::mpi::Group;

/// The three metrics of the Collector API's paper (section 6.1), and time without a core, which it has no means to
/// see: together they add up to the elapsed time of all threads. Its states are our states: SERL to `work_serial`; WORK, MSTR, SNGL and ORDD to
/// `work_parallel`; RDUC to `work_reduction`; IBAR and EBAR to the barriers; LKWT, CTWT, ODWT and ATWT
/// to the mutexes; OVHD to the `overhead_` states. IDLE, which its lists leave out, is Idle here.
/// Its header has no state for taskwait and taskgroup (Wait here) nor for target (Work here: the
/// host may be the device).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// OpenMP Work: executing the program, reductions included.
    Work,
    /// OpenMP Wait: waiting for others, or busy with OpenMP itself.
    Wait,
    /// A worker that belongs to no team.
    Idle,
    /// In the middle of work, but without a core: the kernel runs another thread, or the thread sleeps in it.
    OffCore,
}

macro_rules! states {
    ($( $(#[$doc:meta])* $variant:ident $name:literal $metric:ident ),+ $(,)?) => {
        /// A state of a thread.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum State { $( $(#[$doc])* $variant ),+ }
        impl State {
            /// All states, by number.
            pub const ALL: &'static [State] = &[ $( State::$variant ),+ ];
            /// Number of states.
            pub const COUNT: usize = State::ALL.len();
            /// The state's name in JSON.
            pub const fn name(self) -> &'static str {
                match self { $( State::$variant => $name ),+ }
            }
            /// The metric in which the state counts.
            #[inline]
            pub const fn metric(self) -> Metric {
                match self { $( State::$variant => Metric::$metric ),+ }
            }
        }
    };
}

states! {
    /// The program's own code outside parallel regions.
    WorkSerial "work_serial" Work,
    /// The program's own code in a team.
    WorkParallel "work_parallel" Work,
    /// Combining a reduction.
    WorkReduction "work_reduction" Work,
    /// In a target construct or a device operation, of which no device reports what it did: the host may be the device.
    Target "target" Work,
    /// Waiting in a barrier that ends a construct.
    WaitBarrierImplicit "wait_barrier_implicit" Wait,
    /// Waiting in a `barrier`.
    WaitBarrierExplicit "wait_barrier_explicit" Wait,
    /// Waiting in a barrier of which it is not known whether it ends a construct.
    WaitBarrier "wait_barrier" Wait,
    /// Waiting in a `taskwait`.
    WaitTaskwait "wait_taskwait" Wait,
    /// Waiting at the end of a `taskgroup`.
    WaitTaskgroup "wait_taskgroup" Wait,
    /// Waiting for a lock.
    WaitLock "wait_lock" Wait,
    /// Waiting for a critical section.
    WaitCritical "wait_critical" Wait,
    /// Waiting for the turn of an ordered region.
    WaitOrdered "wait_ordered" Wait,
    /// Waiting for an atomic operation that is done with a lock.
    WaitAtomic "wait_atomic" Wait,
    /// In a target construct or a device operation, while a device does what it caused.
    WaitTarget "wait_target" Wait,
    /// A team is set up or taken down by the thread that encountered its region.
    OverheadFork "overhead_fork" Wait,
    /// In a loop whose chunks the runtime hands out, with no chunk at hand yet.
    OverheadSchedule "overhead_schedule" Wait,
    /// In a synchronisation, but not waiting.
    OverheadSync "overhead_sync" Wait,
    /// A thread that is no worker, outside any task: begins or ends.
    OverheadStart "overhead_start" Wait,
    /// In a target construct or a device operation, while no device does anything that it caused.
    OverheadOffload "overhead_offload" Wait,
    /// Waiting for the tracing tool.
    OverheadTool "overhead_tool" Wait,
    /// Sending to another rank, receiving from one, or looking for a message.
    MpiPointToPoint "mpi_point_to_point" Wait,
    /// In a collective function of MPI.
    MpiCollective "mpi_collective" Wait,
    /// Waiting for requests of MPI, or testing them.
    MpiWait "mpi_wait" Wait,
    /// Access to the memory of other ranks, and its synchronisation.
    MpiOneSided "mpi_one_sided" Wait,
    /// In a function of MPI for files.
    MpiIo "mpi_io" Wait,
    /// In another function of MPI.
    MpiOther "mpi_other" Wait,
    /// A worker in no team.
    Idle "idle" Idle,
    /// The program's own code wants to continue, but another thread has the core.
    OffCorePreempted "off_core_preempted" OffCore,
    /// The program's own code sleeps in the kernel: for input, for a page, for its time.
    OffCoreBlocked "off_core_blocked" OffCore,
}

impl State {
    /// Returns true if the program itself makes progress, or waits for a target construct.
    #[inline]
    pub const fn is_work(self) -> bool {
        matches!(self.metric(), Metric::Work)
    }

    /// Returns true if the thread waits for other threads at a barrier, in a taskwait or at the end of a taskgroup.
    #[inline]
    pub const fn is_starved(self) -> bool {
        use State::*;
        self.is_barrier() || matches!(self, WaitTaskwait | WaitTaskgroup)
    }

    /// Returns true if the thread waits at a barrier.
    #[inline]
    pub const fn is_barrier(self) -> bool {
        use State::*;
        matches!(self, WaitBarrierImplicit | WaitBarrierExplicit | WaitBarrier)
    }

    /// Returns true if the thread waits for a mutex.
    #[inline]
    pub const fn is_mutex(self) -> bool {
        use State::*;
        matches!(self, WaitLock | WaitCritical | WaitOrdered | WaitAtomic)
    }

    /// Returns true in a function of MPI.
    #[inline]
    pub const fn is_mpi(self) -> bool {
        use State::*;
        matches!(self, MpiPointToPoint | MpiCollective | MpiWait | MpiOneSided | MpiIo | MpiOther)
    }

    /// True in a target construct whose device reports what it does.
    #[inline]
    pub const fn is_offload(self) -> bool {
        matches!(self, State::WaitTarget | State::OverheadOffload)
    }

    /// The state in a function of MPI.
    #[inline]
    pub const fn of_mpi(group: Group) -> State {
        match group {
            Group::PointToPoint => State::MpiPointToPoint,
            Group::Collective => State::MpiCollective,
            Group::Wait => State::MpiWait,
            Group::OneSided => State::MpiOneSided,
            Group::Io => State::MpiIo,
            Group::Other => State::MpiOther,
        }
    }

    /// Returns true if the program would make progress if the thread had a core.
    #[inline]
    pub const fn is_off_core(self) -> bool {
        matches!(self.metric(), Metric::OffCore)
    }

    /// Returns true if the thread has nothing to do for the program: it waits for other threads or for a mutex, or is
    /// in no team.
    #[inline]
    pub const fn is_waiting(self) -> bool {
        self.is_starved() || self.is_mutex() || matches!(self, State::Idle)
    }

    /// The state of a thread with this core, or with none: work without a core is off-core time; waiting and idleness
    /// need no core.
    #[inline]
    pub const fn with(self, core: Core) -> State {
        match core {
            Core::Preempted(_) if self.is_work() => State::OffCorePreempted,
            Core::Blocked(_) if self.is_work() => State::OffCoreBlocked,
            _ => self,
        }
    }

    /// Returns true if the thread is busy with OpenMP itself or waits for the tracing tool.
    #[inline]
    pub const fn is_overhead(self) -> bool {
        use State::*;
        matches!(
            self,
            OverheadFork
                | OverheadSchedule
                | OverheadSync
                | OverheadStart
                | OverheadOffload
                | OverheadTool
        )
    }

    /// The state of waiting for a mutex.
    #[inline]
    pub const fn of_mutex(mutex: Mutex) -> State {
        match mutex {
            Mutex::Critical => State::WaitCritical,
            Mutex::Atomic => State::WaitAtomic,
            Mutex::Ordered => State::WaitOrdered,
            _ => State::WaitLock,
        }
    }

    /// The state of waiting in a synchronisation.
    #[inline]
    pub const fn of_wait(sync: SyncRegion) -> State {
        use SyncRegion::*;
        match sync {
            Barrier => State::WaitBarrier,
            BarrierExplicit => State::WaitBarrierExplicit,
            BarrierImplicit
            | BarrierImplementation
            | BarrierImplicitWorkshare
            | BarrierImplicitParallel
            | BarrierTeams => State::WaitBarrierImplicit,
            Taskwait => State::WaitTaskwait,
            Taskgroup => State::WaitTaskgroup,
            Idle => State::Idle,
            Reduction | Unknown => State::OverheadSync,
        }
    }

    /// The state in a slice unless something nested in it is more specific; `work` is the state of work there,
    /// `chunks` the recording of chunks.
    #[inline]
    pub fn of_slice(kind: SliceKind, work: State, chunks: Chunks) -> State {
        match kind {
            SliceKind::Region { .. } => State::OverheadFork,
            SliceKind::Work(work) if chunks.are_all_of(work) => State::OverheadSchedule,
            SliceKind::Sync(SyncRegion::Taskgroup) => work,
            SliceKind::Sync(_) => State::OverheadSync,
            SliceKind::Wait(kind) => State::of_wait(kind),
            SliceKind::Reduction(_) => State::WorkReduction,
            SliceKind::MutexWait(kind) => State::of_mutex(kind),
            SliceKind::Target(_)
            | SliceKind::DataOp(_)
            | SliceKind::Submit
            | SliceKind::Device(_)
            | SliceKind::DeviceCall { .. } => State::Target,
            SliceKind::ToolWait => State::OverheadTool,
            SliceKind::Mpi(group) => State::of_mpi(group),
            SliceKind::Work(_)
            | SliceKind::ImplicitTask
            | SliceKind::InitialTask
            | SliceKind::Task
            | SliceKind::Dispatch(_)
            | SliceKind::Masked
            | SliceKind::MutexHold(_)
            | SliceKind::LockTests(_)
            | SliceKind::Phase(_) => work,
        }
    }
}

/// A state in one word, as tracks show it: the metrics, with what OpenMP itself needs apart from waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Activity {
    /// The program makes progress.
    Work,
    /// The thread waits for others.
    Wait,
    /// The program would make progress if the thread had a core.
    OffCore,
    /// The thread is in no team.
    Idle,
    /// The thread is busy with OpenMP itself, or with the tool.
    Overhead,
    /// It waits for a device.
    Device,
    /// It has a device do something.
    Offload,
}

impl Activity {
    /// All of them, by number.
    pub const ALL: [Activity; 7] = [
        Activity::Work,
        Activity::Wait,
        Activity::OffCore,
        Activity::Idle,
        Activity::Overhead,
        Activity::Device,
        Activity::Offload,
    ];

    /// The activity of a thread with this core, or with none, as [`State::with`] does it for states.
    #[inline]
    pub const fn with(self, core: Core) -> Activity {
        match (self, core) {
            (Activity::Work, Core::Preempted(_) | Core::Blocked(_)) => Activity::OffCore,
            (activity, _) => activity,
        }
    }

    /// The activity's name in traces.
    pub const fn name(self) -> &'static str {
        ["work", "wait", "off core", "idle", "overhead", "wait for device", "offload"]
            [self as usize]
    }
}

impl State {
    /// The state in one word.
    #[inline]
    pub const fn activity(self) -> Activity {
        match self.metric() {
            Metric::Work => Activity::Work,
            Metric::OffCore => Activity::OffCore,
            Metric::Idle => Activity::Idle,
            Metric::Wait if matches!(self, State::WaitTarget) => Activity::Device,
            Metric::Wait if matches!(self, State::OverheadOffload) => Activity::Offload,
            Metric::Wait if self.is_overhead() => Activity::Overhead,
            Metric::Wait => Activity::Wait,
        }
    }

    /// The state of a thread of this kind where it is in no slice. The runtime's helpers are other threads to OMPT.
    #[inline]
    pub const fn outside(kind: Thread) -> State {
        match kind {
            Thread::Worker | Thread::Other => State::Idle,
            _ => State::OverheadStart,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ompt::Work;

    #[test]
    fn an_activity_without_a_core_is_that_of_the_state_without_one() {
        for state in State::ALL {
            for core in [Core::Unknown, Core::On(1), Core::Preempted(1), Core::Blocked(1)] {
                assert_eq!(state.with(core).activity(), state.activity().with(core), "{state:?}");
            }
        }
    }

    #[test]
    fn time_in_mpi_is_never_work() {
        use Group::*;
        for group in [PointToPoint, Collective, Wait, OneSided, Io, Other] {
            let kind = SliceKind::Mpi(group);
            let state = State::of_slice(kind, State::WorkParallel, Chunks::None);
            assert!(state.is_mpi() && !state.is_work() && !state.is_starved(), "{group:?}");
            assert_eq!(state.activity(), Activity::Wait);
        }
    }

    #[test]
    fn waiting_is_distinguished_by_what_it_is_for() {
        assert_eq!(
            State::of_slice(SliceKind::MutexWait(Mutex::Critical), State::WorkSerial, Chunks::None),
            State::WaitCritical
        );
        assert_eq!(
            State::of_slice(
                SliceKind::Wait(SyncRegion::BarrierImplicitParallel),
                State::WorkSerial,
                Chunks::None
            ),
            State::WaitBarrierImplicit
        );
        assert_eq!(
            State::of_slice(SliceKind::Wait(SyncRegion::Barrier), State::WorkSerial, Chunks::None),
            State::WaitBarrier
        );
    }

    #[test]
    fn what_lies_outside_of_chunks_is_no_work_where_all_of_them_are_reported() {
        let state =
            |work, chunks| State::of_slice(SliceKind::Work(work), State::WorkParallel, chunks);
        for (work, chunks, expected) in [
            (Work::LoopDynamic, Chunks::None, State::WorkParallel),
            (Work::LoopDynamic, Chunks::Begins, State::OverheadSchedule),
            (Work::Sections, Chunks::Begins, State::WorkParallel),
            (Work::Sections, Chunks::Ends, State::OverheadSchedule),
            (Work::LoopStatic, Chunks::Ends, State::WorkParallel),
        ] {
            assert_eq!(state(work, chunks), expected, "{work:?} {chunks:?}");
        }
    }
}
