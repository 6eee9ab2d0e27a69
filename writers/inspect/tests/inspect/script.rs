//! An artificial recording that just stops, and its snapshot. Times are nanoseconds.

use ompttrace_inspect::{FindingKind, Snapshot, SnapshotSink};
use ompttrace_recording::events::*;
use ompttrace_recording::{Id, Scope};
use ompttrace_timeline::testing::{Payload, RunBuilder};

/// ompt_mutex_lock.
const LOCK: u64 = 1;
/// ompt_sync_region_taskwait and ompt_sync_region_barrier_explicit.
pub const TASKWAIT: u64 = 5;
pub const BARRIER: u64 = 3;

/// Builder of a recording; `t` is always the index of a thread.
pub struct Script {
    run: RunBuilder,
    now: u64,
}

pub const fn implicit(thread: u64) -> Id {
    Id::implicit_task(Id::thread_part(thread), 1, Id::NONE)
}

pub const fn task(number: u32) -> Id {
    Id::fresh_task(Id::thread_part(0), number, 0)
}

const REGION: Id = Id::region(Id::thread_part(0), 1, 0);

impl Script {
    /// A team of this many threads in a region of thread 0.
    pub fn team(threads: usize) -> Script {
        let mut script = Script { run: RunBuilder::new(), now: 0 };
        let root = Id::implicit_task(Id::thread_part(0), 0, Id::NONE);
        script.put(0, Scope::None, ThreadBegin { thread_type: 1 });
        let initial =
            ImplicitTask { region: 0, task: root.0, team_size: 1, thread_num: 1, flags: 1 };
        script.put(0, Scope::Begin, initial);
        let requested = threads as u64;
        let (task, region, flags) = (root.0, REGION.0, 0x8000_0002);
        let begin = ParallelBegin { code: 0, kind: 0, region, task, requested, flags };
        script.put(0, Scope::None, begin);
        for t in 0..threads {
            if t > 0 {
                script.put(t, Scope::None, ThreadBegin { thread_type: 2 });
            }
            let (thread_num, task) = (t as u64, implicit(t as u64).0);
            let own = ImplicitTask { region, task, team_size: requested, thread_num, flags: 2 };
            script.put(t, Scope::Begin, own);
        }
        script
    }

    fn put<P: Payload>(&mut self, t: usize, scope: Scope, event: P) -> &mut Script {
        self.now += 10;
        self.run.put(t, self.now, scope, event);
        self
    }

    pub fn asks(&mut self, t: usize, lock: u64) -> &mut Script {
        let (kind, wait_id) = (LOCK, lock);
        let event = MutexAcquire { code: 0, kind, wait_id, hint: 0, implementation: 0 };
        self.put(t, Scope::None, event)
    }

    pub fn takes(&mut self, t: usize, lock: u64) -> &mut Script {
        self.asks(t, lock);
        self.put(t, Scope::None, MutexAcquired { code: 0, kind: LOCK, wait_id: lock })
    }

    pub fn gives(&mut self, t: usize, lock: u64) -> &mut Script {
        self.put(t, Scope::None, MutexReleased { code: 0, kind: LOCK, wait_id: lock })
    }

    /// The task `by` waits in a synchronisation.
    pub fn waits(&mut self, t: usize, by: Id, kind: u64) -> &mut Script {
        let task = by.started().0;
        self.put(t, Scope::Begin, SyncRegion { code: 0, kind, task });
        self.put(t, Scope::Begin, SyncRegionWait { code: 0, kind, task })
    }

    pub fn creates(&mut self, t: usize, by: Id, new: Id) -> &mut Script {
        let (task, new_task) = (by.started().0, new.0);
        self.put(t, Scope::None, TaskCreate { code: 0, kind: 0, task, new_task, flags: 4 })
    }

    pub fn depends(&mut self, t: usize, on: Id, task: Id) -> &mut Script {
        self.put(t, Scope::None, TaskDependence { src: on.0, sink: task.0 })
    }

    /// Records a switch of tasks, with ompt_task_switch or another status for `prior`.
    pub fn switches(&mut self, t: usize, prior: Id, next: Id, status: u64) -> &mut Script {
        self.put(t, Scope::None, TaskSchedule { prior: prior.0, next: next.0, status })
    }

    /// The snapshot, taken `later` nanoseconds after the last event, with its findings.
    pub fn seen(&self, later: u64) -> Snapshot {
        let mut snapshot = snapshot(&self.run);
        snapshot.running = Some(true);
        snapshot.now_ns += later;
        snapshot.analyse();
        snapshot
    }
}

pub fn snapshot(run: &RunBuilder) -> Snapshot {
    let (_folder, recording) = run.open().expect("a run folder");
    match ompttrace_timeline::run(&recording, SnapshotSink::new()) {
        Ok((snapshot, _)) => snapshot,
        Err(error) => panic!("{error}"),
    }
}

/// The texts of the findings of a kind.
pub fn found(snapshot: &Snapshot, kind: FindingKind) -> Vec<&str> {
    let all = snapshot.findings.iter().filter(|finding| finding.kind == kind);
    all.map(|finding| finding.text.as_str()).collect()
}
