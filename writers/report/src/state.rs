//! What a thread does at any moment, in OMPT's words (ompt_state_t): every moment of a thread counts
//! in exactly one state, and every state in exactly one of Work, Wait and Idle.

use crate::cores::CoreTimes;
use ompttrace_model::ompt::{Mutex, SyncRegion, Work};
use ompttrace_model::{Core, SliceKind};
use serde::ser::{Serialize, SerializeMap, Serializer};

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
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum State { $( $(#[$doc])* $variant ),+ }
        impl State {
            /// All of them, by number.
            pub const ALL: &'static [State] = &[ $( State::$variant ),+ ];
            /// Its name in JSON.
            pub const fn name(self) -> &'static str {
                match self { $( State::$variant => $name ),+ }
            }
            /// In which of the three metrics it counts.
            pub const fn metric(self) -> Metric {
                match self { $( State::$variant => Metric::$metric ),+ }
            }
        }
        const COUNT: usize = [ $( $name ),+ ].len();
    };
}

states! {
    /// The program's own code outside of parallel regions.
    WorkSerial "work_serial" Work,
    /// The program's own code in a team.
    WorkParallel "work_parallel" Work,
    /// Combining a reduction.
    WorkReduction "work_reduction" Work,
    /// In a target construct or a device operation, as the host sees it.
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
    /// A team is set up or taken down by the thread that encountered its region.
    OverheadFork "overhead_fork" Wait,
    /// In a loop whose chunks the runtime hands out, with no chunk at hand yet.
    OverheadSchedule "overhead_schedule" Wait,
    /// In a synchronisation, but not waiting.
    OverheadSync "overhead_sync" Wait,
    /// A thread that is no worker, outside of any task: begins or ends.
    OverheadStart "overhead_start" Wait,
    /// Waiting for the tracing tool.
    OverheadTool "overhead_tool" Wait,
    /// A worker in no team.
    Idle "idle" Idle,
    /// The program's own code wants to go on, but another thread has the core.
    OffCorePreempted "off_core_preempted" OffCore,
    /// The program's own code sleeps in the kernel: for input, for a page, for its time.
    OffCoreBlocked "off_core_blocked" OffCore,
}

impl State {
    /// Whether the program itself gets on.
    pub const fn is_work(self) -> bool {
        matches!(self.metric(), Metric::Work)
    }

    /// Whether the thread has nothing to do until others let it go on: at a barrier or for tasks.
    pub const fn is_starved(self) -> bool {
        use State::*;
        self.is_barrier() || matches!(self, WaitTaskwait | WaitTaskgroup)
    }

    /// Whether it waits at a barrier.
    pub const fn is_barrier(self) -> bool {
        use State::*;
        matches!(self, WaitBarrierImplicit | WaitBarrierExplicit | WaitBarrier)
    }

    /// Whether it waits for a mutex.
    pub const fn is_mutex(self) -> bool {
        use State::*;
        matches!(self, WaitLock | WaitCritical | WaitOrdered | WaitAtomic)
    }

    /// Whether the program would get on, had the thread a core.
    pub const fn is_off_core(self) -> bool {
        matches!(self.metric(), Metric::OffCore)
    }

    /// Whether the thread has nothing to do for the program: it waits for others, or is in no team.
    pub const fn is_waiting(self) -> bool {
        self.is_starved() || self.is_mutex() || matches!(self, State::Idle)
    }

    /// The same state where the thread has this core, or none: who waits or is idle does so without one as well.
    pub(crate) const fn with(self, core: Core) -> State {
        match core {
            Core::Preempted(_) if self.is_work() => State::OffCorePreempted,
            Core::Blocked(_) if self.is_work() => State::OffCoreBlocked,
            _ => self,
        }
    }

    /// Whether OpenMP itself is at work.
    pub const fn is_overhead(self) -> bool {
        use State::*;
        matches!(
            self,
            OverheadFork | OverheadSchedule | OverheadSync | OverheadStart | OverheadTool
        )
    }

    /// The state of waiting for a mutex.
    pub(crate) const fn of_mutex(mutex: Mutex) -> State {
        match mutex {
            Mutex::Critical => State::WaitCritical,
            Mutex::Atomic => State::WaitAtomic,
            Mutex::Ordered => State::WaitOrdered,
            _ => State::WaitLock,
        }
    }

    /// The state of waiting in a synchronisation.
    pub(crate) const fn of_wait(sync: SyncRegion) -> State {
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
            Reduction | Idle | Unknown => State::OverheadSync,
        }
    }

    /// The state in a slice where nothing inside of it tells better; `work` is what work is there,
    /// `dispatches` whether chunks are told.
    pub(crate) fn of_slice(kind: SliceKind, work: State, dispatches: bool) -> State {
        match kind {
            SliceKind::Region { .. } => State::OverheadFork,
            SliceKind::Work(Work::LoopDynamic | Work::LoopGuided) if dispatches => {
                State::OverheadSchedule
            }
            SliceKind::Sync(SyncRegion::Taskgroup) => work,
            SliceKind::Sync(_) => State::OverheadSync,
            SliceKind::Wait(kind) => State::of_wait(kind),
            SliceKind::Reduction(_) => State::WorkReduction,
            SliceKind::MutexWait(kind) => State::of_mutex(kind),
            SliceKind::Target(_) | SliceKind::DataOp(_) | SliceKind::Submit => State::Target,
            SliceKind::ToolWait => State::OverheadTool,
            _ => work,
        }
    }
}

/// Time in every state, in nanoseconds, and beside it how much of it was on cores. JSON: an object with a member for
/// each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    states: [u64; COUNT],
    /// As far as the kernel said it.
    pub cores: CoreTimes,
}

impl Times {
    /// Adds time to a state.
    #[inline]
    pub fn add(&mut self, state: State, nanoseconds: u64) {
        self.states[state as usize] += nanoseconds;
    }

    /// Moves time from one state to another, as far as there is any.
    pub(crate) fn move_time(&mut self, from: State, to: State, nanoseconds: u64) {
        let moved = nanoseconds.min(self.of(from));
        self.states[from as usize] -= moved;
        self.add(to, moved);
    }

    /// Adds all of another.
    pub fn add_all(&mut self, other: &Times) {
        self.states.iter_mut().zip(other.states).for_each(|(sum, time)| *sum += time);
        self.cores.add_all(&other.cores);
    }

    /// The time in one state.
    pub fn of(&self, state: State) -> u64 {
        self.states[state as usize]
    }

    /// The time in all states of a kind.
    pub fn sum(&self, wanted: impl Fn(State) -> bool) -> u64 {
        State::ALL.iter().filter(|state| wanted(**state)).map(|state| self.of(*state)).sum()
    }

    /// The time in all states.
    pub fn all(&self) -> u64 {
        self.states.iter().sum()
    }

    /// The time in the states of a metric.
    pub fn metric(&self, metric: Metric) -> u64 {
        self.sum(|state| state.metric() == metric)
    }

    /// OpenMP Work.
    pub fn work(&self) -> u64 {
        self.sum(State::is_work)
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(COUNT))?;
        for state in State::ALL {
            map.serialize_entry(state.name(), &self.of(*state))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_counts_once() {
        let mut times = Times::default();
        State::ALL.iter().for_each(|state| times.add(*state, 1));
        let metrics = [Metric::Work, Metric::Wait, Metric::Idle, Metric::OffCore];
        let sums = metrics.map(|metric| times.metric(metric));
        assert_eq!(sums, [4, 14, 1, 2]);
        assert_eq!(times.all(), sums.iter().sum::<u64>());
    }

    #[test]
    fn working_is_what_the_counter_of_working_threads_counts() {
        use SliceKind::*;
        let plain = [Region { league: false }, Region { league: true }, ImplicitTask, InitialTask];
        let others = [Task, Masked, Target(1.into()), DataOp(1.into()), Submit, ToolWait];
        let numbered = (0..40).flat_map(|kind: u64| {
            let synchronisations = [Sync, Wait, Reduction].map(|make| make(kind.into()));
            let mutexes = [MutexWait, LockTests].map(|make| make(kind.into()));
            let work = [Work(kind.into()), Dispatch(kind.into())];
            work.into_iter().chain(synchronisations).chain(mutexes)
        });
        for kind in plain.into_iter().chain(others).chain(numbered) {
            for (work, chunks) in [(State::WorkSerial, true), (State::WorkParallel, false)] {
                let state = State::of_slice(kind, work, chunks);
                assert_eq!(state.is_work(), ompttrace_model::works(kind, chunks), "{kind:?}");
            }
        }
    }

    #[test]
    fn waiting_is_told_apart_by_what_it_is_for() {
        assert_eq!(
            State::of_slice(SliceKind::MutexWait(Mutex::Critical), State::WorkSerial, true),
            State::WaitCritical
        );
        assert_eq!(
            State::of_slice(
                SliceKind::Wait(SyncRegion::BarrierImplicitParallel),
                State::WorkSerial,
                true
            ),
            State::WaitBarrierImplicit
        );
        assert_eq!(
            State::of_slice(SliceKind::Wait(SyncRegion::Barrier), State::WorkSerial, true),
            State::WaitBarrier
        );
        assert_eq!(
            State::of_slice(SliceKind::Work(Work::LoopDynamic), State::WorkParallel, true),
            State::OverheadSchedule
        );
        assert_eq!(
            State::of_slice(SliceKind::Work(Work::LoopDynamic), State::WorkParallel, false),
            State::WorkParallel
        );
    }
}
