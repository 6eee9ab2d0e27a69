//! Short words for recordings made by hand: one call per callback of a runtime.

use ompttrace_model::MIN_RESUME_NS;
use ompttrace_recording::events::*;
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::Options;
use ompttrace_timeline::testing::{Checker, Payload, RunBuilder, Timeline};

/// ompt_sync_region_t.
pub const IMPLICIT: u64 = 9;
/// ompt_sync_region_t.
pub const TASKWAIT: u64 = 5;
/// Flags of clang's parallel regions.
const TEAM: u64 = 0x8000_0002;
/// Flags of a league.
const LEAGUE: u64 = 0x4000_0002;

/// A recording in the making; `t` is always a thread, `at` a time in nanoseconds.
#[derive(Default)]
pub struct Script {
    pub run: RunBuilder,
}

pub const fn region(thread: u64, number: u32) -> Id {
    Id::region(Id::thread_part(thread), number, 0)
}

pub const fn task(thread: u64, number: u32) -> Id {
    Id::fresh_task(Id::thread_part(thread), number, 0)
}

pub const fn implicit(thread: u64, number: u32) -> Id {
    Id::implicit_task(Id::thread_part(thread), number, Id::NONE)
}

impl Script {
    pub fn new() -> Script {
        Script { run: RunBuilder::new() }
    }

    pub fn put<P: Payload>(&mut self, t: usize, at: u64, scope: Scope, event: P) -> &mut Script {
        self.run.put(t, at, scope, event);
        self
    }

    pub fn once<P: Payload>(&mut self, t: usize, at: u64, event: P) -> &mut Script {
        self.put(t, at, Scope::None, event)
    }

    /// thread_begin and, for an initial thread, its initial task `implicit(t, 0)`.
    pub fn thread(&mut self, t: usize, at: u64, thread_type: u64) -> &mut Script {
        self.once(t, at, ThreadBegin { thread_type });
        if thread_type == 1 {
            self.implicit_task(t, at, Scope::Begin, Id::NONE, implicit(t as u64, 0), (1, 1), 1);
        }
        self
    }

    #[allow(clippy::too_many_arguments, reason = "those of the callback")]
    pub fn implicit_task(
        &mut self,
        t: usize,
        at: u64,
        scope: Scope,
        region: Id,
        task: Id,
        (team_size, thread_num): (u64, u64),
        flags: u64,
    ) -> &mut Script {
        let (region, task) = (region.0, task.0);
        self.put(t, at, scope, ImplicitTask { region, task, team_size, thread_num, flags })
    }

    pub fn fork(&mut self, t: usize, at: u64, region: Id, task: Id, requested: u64) -> &mut Script {
        self.fork_with(t, at, region, task, requested, TEAM)
    }

    pub fn teams(
        &mut self,
        t: usize,
        at: u64,
        region: Id,
        task: Id,
        requested: u64,
    ) -> &mut Script {
        self.fork_with(t, at, region, task, requested, LEAGUE)
    }

    fn fork_with(
        &mut self,
        t: usize,
        at: u64,
        region: Id,
        task: Id,
        requested: u64,
        flags: u64,
    ) -> &mut Script {
        let (region, task) = (region.0, task.0);
        self.once(t, at, ParallelBegin { code: 0x1000, kind: 0, region, task, requested, flags })
    }

    pub fn join(&mut self, t: usize, at: u64, region: Id, task: Id) -> &mut Script {
        let (region, task) = (region.0, task.0);
        self.once(t, at, ParallelEnd { code: 0x1000, kind: 0, region, task, flags: TEAM })
    }

    /// An implicit task begins.
    pub fn implicit_begins(
        &mut self,
        t: usize,
        at: u64,
        region: Id,
        task: Id,
        team: (u64, u64),
    ) -> &mut Script {
        self.implicit_task(t, at, Scope::Begin, region, task, team, 2)
    }

    /// An implicit task ends, as runtimes report it: without its region.
    pub fn implicit_ends(&mut self, t: usize, at: u64, task: Id, team: (u64, u64)) -> &mut Script {
        self.implicit_task(t, at, Scope::End, Id::NONE, task, team, 2)
    }

    /// Begin of a synchronisation and of the waiting in it.
    pub fn sync(&mut self, t: usize, at: u64, kind: u64, task: Id) -> &mut Script {
        let task = task.started().0;
        self.put(t, at, Scope::Begin, SyncRegion { code: 0, kind, task });
        self.put(t, at + 1, Scope::Begin, SyncRegionWait { code: 0, kind, task })
    }

    /// End of the waiting and of the synchronisation.
    pub fn sync_ends(&mut self, t: usize, at: u64, kind: u64, task: Id) -> &mut Script {
        let task = task.started().0;
        self.put(t, at, Scope::End, SyncRegionWait { code: 0, kind, task });
        self.put(t, at + 1, Scope::End, SyncRegion { code: 0, kind, task })
    }

    pub fn create(&mut self, t: usize, at: u64, by: Id, new: Id) -> &mut Script {
        let event =
            TaskCreate { code: 0x2000, kind: 0, task: by.started().0, new_task: new.0, flags: 4 };
        self.once(t, at, event)
    }

    pub fn schedule(&mut self, t: usize, at: u64, prior: Id, next: Id, status: u64) -> &mut Script {
        self.once(t, at, TaskSchedule { prior: prior.0, next: next.0, status })
    }

    pub fn acquire(&mut self, t: usize, at: u64, kind: u64, wait_id: u64) -> &mut Script {
        let event = MutexAcquire { code: 0x3000, kind, wait_id, hint: 0, implementation: 2 };
        self.once(t, at, event)
    }

    pub fn acquired(&mut self, t: usize, at: u64, kind: u64, wait_id: u64) -> &mut Script {
        self.once(t, at, MutexAcquired { code: 0x3000, kind, wait_id })
    }

    pub fn released(&mut self, t: usize, at: u64, kind: u64, wait_id: u64) -> &mut Script {
        self.once(t, at, MutexReleased { code: 0x3000, kind, wait_id })
    }

    pub fn work(
        &mut self,
        t: usize,
        at: u64,
        scope: Scope,
        kind: u64,
        task: Id,
        count: u64,
    ) -> &mut Script {
        self.put(t, at, scope, Work { code: 0x4000, kind, task: task.started().0, count })
    }

    /// The timeline of it all; the contract is checked on the way.
    pub fn timeline(&self) -> Timeline {
        self.seen(0)
    }

    /// The timeline as most writers get it: without resumptions shorter than the minimum duration.
    pub fn timeline_for_writers(&self) -> Timeline {
        self.seen(MIN_RESUME_NS)
    }

    fn seen(&self, min_resume_ns: u64) -> Timeline {
        let options = Options { min_resume_ns, window: (None, None), watch: |_, _| {} };
        let (_folder, recording) = self.run.open().expect("a run folder");
        match ompttrace_timeline::run_with(&recording, Checker::default(), options) {
            Ok((timeline, _)) => timeline,
            Err(error) => panic!("{error}"),
        }
    }
}
