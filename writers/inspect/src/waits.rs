//! A graph of threads and tasks that wait for each other, derived from a snapshot.
//!
//! An edge means that its source cannot continue before its target has done something. A thread that waits has edges
//! to all threads and tasks for which it waits, so a thread on a cycle can never continue: each of them needs all of
//! its targets.

use crate::snapshot::{Snapshot, Task, TaskState, Thread, Wait};
use ompttrace_recording::Id;
use rustc_hash::FxHashMap;

/// A thread or task that waits or is waited for, by its position in the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Node {
    Thread(usize),
    Task(usize),
}

/// Reason for which a node waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The target holds the mutex at this position.
    Holds(usize),
    /// The target has not reached the barrier.
    NotAtBarrier,
    /// The target is a task for which a barrier, taskwait or taskgroup waits.
    Incomplete,
    /// The target is a task on which this one depends.
    Dependence,
    /// The task runs on the target.
    RunsOn,
    /// The task may only continue on the target, where another task runs.
    TiedTo,
}

/// An edge of the graph: its target, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub to: Node,
    pub why: Why,
}

/// The graph of waits.
pub(crate) struct Waits<'s> {
    pub snapshot: &'s Snapshot,
    tasks: FxHashMap<Id, usize>,
    /// Positions of tasks by the task that created them.
    children: FxHashMap<Id, Vec<usize>>,
}

impl<'s> Waits<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot) -> Waits<'s> {
        let mut children: FxHashMap<Id, Vec<usize>> = FxHashMap::default();
        let tasks = snapshot.tasks.iter().enumerate();
        for (at, task) in tasks.clone().filter(|(_, task)| !task.is_taskwait()) {
            children.entry(task.parent).or_default().push(at);
        }
        let tasks = tasks.map(|(at, task)| (task.id, at)).collect();
        Waits { snapshot, tasks, children }
    }

    /// All nodes.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> {
        let threads = (0..self.snapshot.threads.len()).map(Node::Thread);
        threads.chain((0..self.snapshot.tasks.len()).map(Node::Task))
    }

    /// The edges of a node, to all nodes for which it waits.
    pub(crate) fn edges(&self, node: Node) -> Vec<Edge> {
        match node {
            Node::Thread(at) => {
                let Some(thread) = self.snapshot.threads.get(at) else { return Vec::new() };
                self.of_wait(thread.waits.as_ref(), Some(at))
            }
            Node::Task(at) => {
                let Some(task) = self.snapshot.tasks.get(at) else { return Vec::new() };
                self.of_task(task)
            }
        }
    }

    fn of_task(&self, task: &Task) -> Vec<Edge> {
        match task.state {
            TaskState::Runs => {
                let on = task.thread.map(|on| Edge { to: Node::Thread(on), why: Why::RunsOn });
                on.into_iter().collect()
            }
            TaskState::Created => self.predecessors(task.id).collect(),
            TaskState::Detached => Vec::new(),
            TaskState::Suspended => {
                let mut edges = self.of_wait(task.waits.as_ref(), None);
                let busy = |on: &usize| {
                    let thread = self.snapshot.threads.get(*on);
                    thread.and_then(Thread::running).is_some_and(|other| other != task.id)
                };
                let on = task.thread.filter(|_| !task.is_untied()).filter(busy);
                edges.extend(on.map(|on| Edge { to: Node::Thread(on), why: Why::TiedTo }));
                edges
            }
        }
    }

    /// The edges of a wait; `own` is the thread that waits, or `None` for a task.
    fn of_wait(&self, wait: Option<&Wait>, own: Option<usize>) -> Vec<Edge> {
        match wait {
            Some(Wait::Mutex { lock, .. }) => self.holder(*lock).into_iter().collect(),
            Some(Wait::Barrier { region, .. }) => self.of_barrier(*region, own),
            Some(Wait::Taskwait { depends, .. }) if !depends.is_none() => {
                self.predecessors(*depends).collect()
            }
            Some(Wait::Taskwait { task, .. }) => self.children_of(*task).map(incomplete).collect(),
            Some(Wait::Taskgroup { task, since_ns, .. }) => {
                self.group(*task, *since_ns).into_iter().map(incomplete).collect()
            }
            Some(Wait::TeamStart { .. } | Wait::Other { .. } | Wait::Idle) | None => Vec::new(),
        }
    }

    /// The edge to the owner of a mutex: the task if it does not run, otherwise the thread.
    fn holder(&self, lock: usize) -> Option<Edge> {
        let holder = self.snapshot.locks.get(lock)?.holder.as_ref()?;
        let task = self.task(holder.task);
        let to = match task.and_then(|at| Some((at, self.snapshot.tasks.get(at)?))) {
            Some((_, task)) if task.state == TaskState::Runs => {
                Node::Thread(task.thread.unwrap_or(holder.thread))
            }
            Some((at, _)) => Node::Task(at),
            None => Node::Thread(holder.thread),
        };
        Some(Edge { to, why: Why::Holds(lock) })
    }

    fn of_barrier(&self, region: Id, own: Option<usize>) -> Vec<Edge> {
        let threads = self.snapshot.threads.iter().enumerate();
        let absent = threads.filter(|(at, thread)| {
            Some(*at) != own
                && thread.in_team(region).is_some_and(|implicit| implicit.barrier.is_none())
        });
        let absent = absent.map(|(at, _)| Edge { to: Node::Thread(at), why: Why::NotAtBarrier });
        let tasks = self.snapshot.tasks.iter().enumerate();
        // One that is ready to run waits for nobody, and there may be very many.
        let is_ready = |task: &Task| task.state == TaskState::Created && task.waits_for.is_empty();
        let tasks = tasks.filter(|(_, task)| {
            let own = task.region == region && !region.is_none();
            own && !task.is_taskwait() && !is_ready(task)
        });
        absent.chain(tasks.map(|(at, _)| incomplete(at))).collect()
    }

    /// The tasks on which one depends that are not complete.
    pub(crate) fn predecessors(&self, task: Id) -> impl Iterator<Item = Edge> {
        let task = self.task(task).and_then(|at| self.snapshot.tasks.get(at));
        let ids = task.map_or(&[][..], |task| &task.waits_for);
        let found = ids.iter().filter_map(|id| self.task(*id));
        found.map(|at| Edge { to: Node::Task(at), why: Why::Dependence })
    }

    /// Position of the task with this id.
    pub(crate) fn task(&self, id: Id) -> Option<usize> {
        self.tasks.get(&id).copied()
    }

    fn children_of(&self, task: Id) -> impl Iterator<Item = usize> {
        self.children.get(&task).into_iter().flatten().copied()
    }

    /// Tasks that a task and its descendants created since `since`.
    fn group(&self, task: Id, since: u64) -> Vec<usize> {
        let is_later = |at: &usize| {
            let task = self.snapshot.tasks.get(*at);
            task.and_then(|task| task.created_ns).is_none_or(|created| created >= since)
        };
        let mut found: Vec<usize> = self.children_of(task).filter(is_later).collect();
        let mut next = 0;
        // Every task has one creator: none comes twice.
        while let Some(at) = found.get(next).copied() {
            next += 1;
            if let Some(task) = self.snapshot.tasks.get(at) {
                found.extend(self.children_of(task.id));
            }
        }
        found
    }
}

fn incomplete(task: usize) -> Edge {
    Edge { to: Node::Task(task), why: Why::Incomplete }
}

impl Thread {
    /// The implicit task of the thread in the team of a region.
    pub(crate) fn in_team(&self, region: Id) -> Option<&crate::snapshot::ImplicitTask> {
        let mut tasks = self.implicit_tasks.iter().rev();
        tasks.find(|implicit| implicit.region == region && !implicit.initial)
    }

    /// The explicit task that runs on the thread.
    pub(crate) fn running(&self) -> Option<Id> {
        let runs = self.implicit_tasks.last()?.runs;
        (!runs.is_none()).then_some(runs)
    }
}
