//! The teams that each thread is in, by the numbers of its source, and the ordered region that it asked for last.

use ompttrace_model::ompt::Mutex;
use ompttrace_recording::Id;
use ompttrace_recording::words::KIND_MASK;

/// Teams on one thread; what is nested deeper is not kept apart.
const DEEPEST: usize = 64;

/// A team that a thread is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Team {
    /// The source's number of the team's region.
    pub(super) region: u64,
    /// The source's number of the thread's implicit task, and the id.
    pub(super) task: u64,
    pub(super) id: Id,
    /// Number of threads in the team.
    pub(super) size: u64,
}

/// Teams of all threads, by the threads' positions.
#[derive(Debug, Default)]
pub(super) struct Teams(Vec<OfThread>);

#[derive(Debug, Default)]
struct OfThread {
    /// Teams of the thread, innermost last.
    teams: Vec<Team>,
    ordered: u64,
}

impl Teams {
    /// Thread `t` begins an implicit task.
    pub(super) fn entered(&mut self, t: u32, team: Team) {
        if let Some(of) = self.of(t).filter(|of| of.teams.len() < DEEPEST) {
            of.teams.push(team);
        }
    }

    fn of(&mut self, t: u32) -> Option<&mut OfThread> {
        let at = t as usize;
        if self.0.len() <= at {
            self.0.resize_with(at + 1, OfThread::default);
        }
        self.0.get_mut(at)
    }

    /// Thread `t` asks for a mutex: that of an ordered region is remembered.
    pub(super) fn waits_for_order(&mut self, t: u32, kind: u64, wait_id: u64) {
        if Mutex::from(kind & KIND_MASK) == Mutex::Ordered
            && let Some(of) = self.of(t)
        {
            of.ordered = wait_id;
        }
    }

    /// The wait id of a mutex that thread `t` has or gives back. LLVM's runtime of 2014 has set that of an
    /// ordered region to 0 by then: it is the one that the thread asked for.
    pub(super) fn in_order(&self, t: u32, kind: u64, wait_id: u64) -> u64 {
        if wait_id != 0 || Mutex::from(kind & KIND_MASK) != Mutex::Ordered {
            return wait_id;
        }
        self.0.get(t as usize).map_or(0, |of| of.ordered)
    }

    /// The implicit task with this number ends on thread `t`, and what was open above it.
    pub(super) fn left(&mut self, t: u32, task: u64) {
        self.cut(t, |team| team.task == task);
    }

    /// Thread `t` has joined a region: the end of its implicit task may be missing.
    pub(super) fn region_over(&mut self, t: u32, region: u64) {
        self.cut(t, |team| team.region == region);
    }

    fn cut(&mut self, t: u32, is_it: impl Fn(&Team) -> bool) {
        if let Some(of) = self.0.get_mut(t as usize)
            && let Some(found) = of.teams.iter().rposition(is_it)
        {
            of.teams.truncate(found);
        }
    }

    /// The thread's implicit task where its innermost team has no other.
    pub(super) fn serial(&self, t: u32) -> Option<Id> {
        let innermost = self.0.get(t as usize)?.teams.last()?;
        (innermost.size == 1).then_some(innermost.id)
    }
}
