//! A recording in the making, callback by callback, and its report.

use ompttrace_recording::events::*;
use ompttrace_recording::{Id, Scope};
use ompttrace_report::{Report, ReportSink};
use ompttrace_timeline::testing::{Payload, RunBuilder};

/// ompt_sync_region_barrier_implicit_parallel.
pub const CLOSING: u64 = 9;
/// ompt_work_loop_static.
const STATIC: u64 = 10;
/// ompt_work_loop_dynamic.
const DYNAMIC: u64 = 11;
/// ompt_mutex_critical.
pub const CRITICAL: u64 = 5;

/// `t` is always a thread, `at` a time in nanoseconds.
pub struct Script(pub RunBuilder);

pub const fn implicit(thread: u64, number: u32) -> Id {
    Id::implicit_task(Id::thread_part(thread), number, Id::NONE)
}

pub const fn region(number: u32) -> Id {
    Id::region(Id::thread_part(0), number, 0)
}

pub const fn task(number: u32) -> Id {
    Id::fresh_task(Id::thread_part(0), number, 0)
}

impl Script {
    /// An initial thread with its initial task, and a worker.
    pub fn new() -> Script {
        Script::beginning_at(0)
    }

    /// An initial thread with its initial task, and a worker, which begin at `at`.
    pub fn beginning_at(at: u64) -> Script {
        let mut script = Script(RunBuilder::new());
        script.once(0, at, ThreadBegin { thread_type: 1 });
        script.implicit(0, at, Scope::Begin, Id::NONE, implicit(0, 0), (1, 1, 1));
        script.once(1, at, ThreadBegin { thread_type: 2 });
        script
    }

    fn put<P: Payload>(&mut self, t: usize, at: u64, scope: Scope, event: P) -> &mut Script {
        self.0.put(t, at, scope, event);
        self
    }

    pub fn once<P: Payload>(&mut self, t: usize, at: u64, event: P) -> &mut Script {
        self.put(t, at, Scope::None, event)
    }

    fn implicit(
        &mut self,
        t: usize,
        at: u64,
        scope: Scope,
        region: Id,
        task: Id,
        (team_size, thread_num, flags): (u64, u64, u64),
    ) -> &mut Script {
        let (region, task) = (region.0, task.0);
        self.put(t, at, scope, ImplicitTask { region, task, team_size, thread_num, flags })
    }

    /// A region of two begins at `at` on thread 0; its team threads begin 10 later.
    pub fn fork(&mut self, at: u64, number: u32, code: u64) -> &mut Script {
        self.fork_with(at, number, code, 0x8000_0002)
    }

    /// A region as by [`Script::fork`], with these flags (ompt_parallel_flag_t).
    pub fn fork_with(&mut self, at: u64, number: u32, code: u64, flags: u32) -> &mut Script {
        self.begin_region_with(at, number, code, flags);
        for t in 0..2 {
            let own = implicit(t, number);
            self.implicit(t as usize, at + 10, Scope::Begin, region(number), own, (2, t, 2));
        }
        self
    }

    /// A region of two whose team threads are still to begin.
    pub fn begin_region(&mut self, at: u64, number: u32, code: u64) -> &mut Script {
        self.begin_region_with(at, number, code, 0x8000_0002)
    }

    fn begin_region_with(&mut self, at: u64, number: u32, code: u64, flags: u32) -> &mut Script {
        let (region, task) = (region(number), implicit(0, 0));
        let begin = ParallelBegin {
            code,
            kind: 0,
            region: region.0,
            task: task.0,
            requested: 2,
            flags: flags.into(),
        };
        self.once(0, at, begin)
    }

    /// A team thread comes to the region's closing barrier.
    pub fn arrive(&mut self, t: usize, at: u64, number: u32) -> &mut Script {
        let task = implicit(t as u64, number).0;
        self.put(t, at, Scope::Begin, SyncRegion { code: 0, kind: CLOSING, task });
        self.put(t, at, Scope::Begin, SyncRegionWait { code: 0, kind: CLOSING, task })
    }

    /// The region is over: the primary leaves the barrier at `at`, and the region 10 later.
    pub fn join(&mut self, at: u64, number: u32, code: u64) -> &mut Script {
        let task = implicit(0, number);
        self.put(0, at, Scope::End, SyncRegionWait { code: 0, kind: CLOSING, task: task.0 });
        self.put(0, at, Scope::End, SyncRegion { code: 0, kind: CLOSING, task: task.0 });
        self.implicit(0, at, Scope::End, Id::NONE, task, (2, 0, 2));
        let (region, task) = (region(number).0, implicit(0, 0).0);
        self.once(0, at + 10, ParallelEnd { code, kind: 0, region, task, flags: 0x8000_0002 })
    }

    /// A loop with a static schedule on one thread of a region.
    pub fn static_loop(
        &mut self,
        t: usize,
        span: (u64, u64),
        number: u32,
        count: u64,
    ) -> &mut Script {
        let (kind, task) = (STATIC, implicit(t as u64, number).0);
        self.put(t, span.0, Scope::Begin, Work { code: 0x5000, kind, task, count });
        self.put(t, span.1, Scope::End, Work { code: 0x5000, kind, task, count })
    }

    /// A loop with a dynamic schedule on one thread of a region, and its chunks. Without `ends` the ends of chunks are
    /// not reported.
    pub fn dynamic_loop(
        &mut self,
        t: usize,
        span: (u64, u64),
        number: u32,
        (chunks, ends): (&[(u64, u64)], bool),
    ) -> &mut Script {
        let (kind, task) = (DYNAMIC, implicit(t as u64, number).0);
        let work = |count| Work { code: 0x5000, kind, task, count };
        self.put(t, span.0, Scope::Begin, work(100));
        for (begin, end) in chunks {
            self.once(t, *begin, Dispatch { kind: 3, first: 0, count: 1 });
            if ends {
                self.once(t, *end, ChunkEnd {});
            }
        }
        self.put(t, span.1, Scope::End, work(0))
    }

    pub fn acquire(&mut self, t: usize, at: u64, code: u64) -> &mut Script {
        let event =
            MutexAcquire { code, kind: CRITICAL, wait_id: 0x50, hint: 0, implementation: 2 };
        self.once(t, at, event)
    }

    pub fn acquired(&mut self, t: usize, at: u64, code: u64) -> &mut Script {
        self.once(t, at, MutexAcquired { code, kind: CRITICAL, wait_id: 0x50 })
    }

    pub fn released(&mut self, t: usize, at: u64, code: u64) -> &mut Script {
        self.once(t, at, MutexReleased { code, kind: CRITICAL, wait_id: 0x50 })
    }

    pub fn create(&mut self, t: usize, at: u64, by: Id, new: Id) -> &mut Script {
        let event =
            TaskCreate { code: 0x2000, kind: 0, task: by.started().0, new_task: new.0, flags: 4 };
        self.once(t, at, event)
    }

    pub fn schedule(&mut self, t: usize, at: u64, prior: Id, next: Id, status: u64) -> &mut Script {
        self.once(t, at, TaskSchedule { prior: prior.0, next: next.0, status })
    }

    /// Both threads end.
    pub fn end(&mut self, at: u64) -> &mut Script {
        self.implicit(0, at, Scope::End, Id::NONE, implicit(0, 0), (0, 0, 1));
        self.once(0, at, ThreadEnd::default());
        self.once(1, at, ThreadEnd::default())
    }

    pub fn report(&self) -> Report {
        report(&self.0)
    }
}

/// The report of a recording.
pub fn report(run: &RunBuilder) -> Report {
    let (_folder, recording) = run.open().expect("a run folder");
    match ompttrace_timeline::run(&recording, ReportSink::new()) {
        Ok((report, _)) => report,
        Err(error) => panic!("{error}"),
    }
}
