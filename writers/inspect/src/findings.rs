//! Reasons why a program does not continue, in words: deadlocks first, then each barrier, mutex and task that is
//! waited for, with the threads and tasks that are needed and what they do.

use crate::cycles::{self, Cycle};
use crate::snapshot::{Construct, Finding, FindingKind, Snapshot, TaskState, Wait};
use crate::waits::{Edge, Node, Waits, Why};
use crate::words::{self, barrier, list};
use ompttrace_model::threads_left_behind;
use ompttrace_recording::Id;
use std::collections::BTreeMap;

/// Maximum number of threads and of tasks that a finding names.
const MOST_NAMED: usize = 4;

/// Minimum age of the last events of a deadlock's threads, in nanoseconds. Younger events prove nothing, since they
/// may have been read one after the other.
const SETTLED_NS: u64 = 100_000_000;

impl Snapshot {
    /// Determines the threads and tasks for which each thread waits, and sets [`Snapshot::findings`]. To be called
    /// when [`Snapshot::now_ns`] and the threads' [`os`](crate::Thread::os) are set, as far as they are known.
    pub fn analyse(&mut self) {
        let waits = Waits::new(self);
        let cycles = cycles::find(&waits);
        let mut findings: Vec<Finding> = cycles.iter().map(|cycle| self.deadlock(cycle)).collect();
        findings.extend(self.barriers());
        findings.extend(self.mutexes(&cycles));
        findings.extend(self.task_waits(&waits));
        findings.extend(self.team_starts());
        findings.extend(self.workers(&findings));
        self.findings = findings;
    }

    fn deadlock(&self, cycle: &Cycle) -> Finding {
        let next = |at: usize| cycle.get((at + 1) % cycle.len()).map(|(node, _)| *node);
        let clauses: Vec<String> = cycle
            .iter()
            .enumerate()
            .filter_map(|(at, (node, why))| Some(self.clause(*node, *why, next(at)?)))
            .collect();
        let threads = threads_of(cycle);
        let young = |at: &usize| {
            let seen = self.threads.get(*at).and_then(|thread| thread.last_event_ns);
            seen.is_some_and(|seen| self.now_ns.saturating_sub(seen) < SETTLED_NS)
        };
        let possible = self.running != Some(false) && threads.iter().any(young);
        let (kind, word) = match possible {
            true => (FindingKind::PossibleDeadlock, "Perhaps a deadlock, look again"),
            false => (FindingKind::Deadlock, "Deadlock"),
        };
        let text = format!("{word}: {}", clauses.join("; "));
        Finding { kind, text, threads, tasks: self.tasks_of(cycle) }
    }

    fn tasks_of(&self, cycle: &Cycle) -> Vec<Id> {
        let tasks = cycle.iter().filter_map(|(node, _)| match node {
            Node::Task(at) => self.tasks.get(*at).map(|task| task.id),
            Node::Thread(_) => None,
        });
        tasks.collect()
    }

    /// Clause on the reason why a thread or task of a cycle waits for the next one.
    fn clause(&self, node: Node, why: Why, next: Node) -> String {
        let (own, other) = (self.called(node), self.called(next));
        let wait = self.wait_of(node);
        let waiting = || wait.map_or("waits".to_owned(), |wait| self.waiting(wait));
        match why {
            Why::Holds(lock) => {
                let holder = self.locks.get(lock).and_then(|lock| lock.holder.as_ref());
                let since = holder.and_then(|holder| holder.source.as_deref());
                let taken = since.map_or(String::new(), |source| format!(", taken at {source}"));
                let other = if node == next { "it".to_owned() } else { other };
                let itself = if node == next { " itself" } else { "" };
                format!("{own} {}, which {other} holds{itself}{taken}", waiting())
            }
            Why::NotAtBarrier | Why::Incomplete => format!("{own} {} for {other}", waiting()),
            Why::Dependence if wait.is_some() => format!("{own} {} for {other}", waiting()),
            Why::Dependence => format!("{own} depends on {other}"),
            Why::RunsOn => format!("{own} runs on {other}"),
            Why::TiedTo => format!("{own} is suspended on {other}, which runs another task"),
        }
    }

    fn wait_of(&self, node: Node) -> Option<&Wait> {
        match node {
            Node::Thread(at) => self.threads.get(at)?.waits.as_ref(),
            Node::Task(at) => self.tasks.get(at)?.waits.as_ref(),
        }
    }

    /// A finding for each barrier at which threads wait for others.
    fn barriers(&self) -> Vec<Finding> {
        let mut barriers: BTreeMap<(Id, String), Vec<usize>> = BTreeMap::new();
        for (at, thread) in self.threads.iter().enumerate() {
            for implicit in thread.implicit_tasks.iter().filter(|one| !one.region.is_none()) {
                if let Some(at_barrier) = &implicit.barrier {
                    let key = (implicit.region, barrier(at_barrier));
                    barriers.entry(key).or_default().push(at);
                }
            }
        }
        let findings = barriers.into_iter();
        findings.filter_map(|((region, name), at)| self.barrier(region, &name, at)).collect()
    }

    fn barrier(&self, region: Id, name: &str, waiting: Vec<usize>) -> Option<Finding> {
        let team = self.threads.iter().enumerate();
        let team: Vec<_> =
            team.filter_map(|(at, thread)| Some((at, thread.in_team(region)?))).collect();
        let known = self.regions.iter().find(|known| known.id == region);
        let size = known.map_or(0, |known| known.team_size).max(team.len() as u64);
        let absent: Vec<usize> = team
            .iter()
            .filter(|(_, implicit)| implicit.barrier.is_none())
            .map(|(at, _)| *at)
            .collect();
        let unseen = size.saturating_sub(team.len() as u64);
        let since = waiting.iter().filter_map(|at| {
            let implicit = self.threads.get(*at)?.in_team(region)?;
            implicit.barrier.as_ref().map(|barrier| barrier.since_ns)
        });
        let since = since.min().unwrap_or(self.now_ns);
        let mut parts: Vec<String> = absent
            .iter()
            .take(MOST_NAMED)
            .map(|at| format!("{} {}", self.called(Node::Thread(*at)), self.doing(*at)))
            .collect();
        if absent.len() > MOST_NAMED {
            parts.push(format!("{} more are elsewhere", absent.len() - MOST_NAMED));
        }
        if unseen > 0 {
            let part = if unseen == 1 { "its part" } else { "their part" };
            parts.push(format!("{} not begun {part}", has_have(unseen, "thread")));
        }
        parts.extend(self.tasks_before(region, &waiting));
        if parts.is_empty() {
            return None;
        }
        let count = match waiting.len() as u64 == size {
            true => format!("all {size} threads"),
            false => format!("{} of {size} threads", waiting.len()),
        };
        let region = known.map_or(String::new(), |known| format!(" of {}", known.name));
        let (verb, ago) = (if waiting.len() == 1 { "waits" } else { "wait" }, self.ago(since));
        let fork_of = self.fork_of.filter(|_| unseen > 0);
        let why = threads_left_behind(fork_of, size, self.threads.len());
        let why = why.map_or(String::new(), |why| format!(". {why}"));
        let text =
            format!("{count}{region} {verb} at {name}, for {ago}; {}{why}", parts.join("; "));
        let threads = waiting.into_iter().chain(absent).collect();
        Some(Finding { kind: FindingKind::Barrier, text, threads, tasks: Vec::new() })
    }

    /// Clause on the team's tasks for which a barrier waits; `None` if there are none.
    fn tasks_before(&self, region: Id, waiting: &[usize]) -> Option<String> {
        let tasks = self.tasks.iter().filter(|task| task.region == region && !task.is_taskwait());
        let mut words = Vec::new();
        for task in tasks {
            let on = task.thread.filter(|_| task.state == TaskState::Runs);
            // What runs where nobody waits is reported of its thread.
            if on.is_none_or(|on| waiting.contains(&on)) {
                words.push(self.task_words(task));
            }
        }
        let incomplete = has_have(words.len() as u64, "task");
        (!words.is_empty()).then(|| format!("{incomplete} not completed: {}", listed(&words)))
    }

    /// Clause on a task and its state.
    pub(crate) fn task_words(&self, task: &crate::snapshot::Task) -> String {
        let name = words::task(task);
        let on = task.thread.map(|at| self.called(Node::Thread(at))).unwrap_or_default();
        match task.state {
            TaskState::Runs => {
                let doing = task.thread.and_then(|at| self.threads.get(at)?.waits.as_ref());
                let doing =
                    doing.map_or(String::new(), |wait| format!(" and {}", self.waiting(wait)));
                format!("{name} runs on {on}{doing}")
            }
            TaskState::Suspended => match &task.waits {
                Some(wait) => format!("{name} {}", self.waiting(wait)),
                None => format!("{name} is suspended"),
            },
            TaskState::Created if task.waits_for.is_empty() => format!("{name} has not begun"),
            TaskState::Created => {
                let before = task.waits_for.iter();
                let before = before.filter_map(|id| self.tasks.iter().find(|one| one.id == *id));
                let before: Vec<String> = before.map(words::task).collect();
                format!("{name} depends on {}", list(&before, MOST_NAMED))
            }
            TaskState::Detached => format!("{name} waits for its event (detach)"),
        }
    }

    /// A finding for each mutex that is waited for and is no part of a deadlock.
    fn mutexes(&self, cycles: &[Cycle]) -> Vec<Finding> {
        let in_cycle =
            |lock: usize| cycles.iter().flatten().any(|(_, why)| *why == Why::Holds(lock));
        let locks = self.locks.iter().enumerate();
        let waited = locks.filter(|(at, lock)| !lock.waiting.is_empty() && !in_cycle(*at));
        let finding = |(_, lock): (usize, &crate::snapshot::Lock)| {
            let names: Vec<String> =
                lock.waiting.iter().map(|at| self.called(Node::Thread(*at))).collect();
            let verb = if names.len() == 1 { "waits" } else { "wait" };
            let holder = match &lock.holder {
                None => "nobody is known to hold it".to_owned(),
                Some(holder) => {
                    let location = holder.source.as_ref();
                    let location = location.map_or(String::new(), |source| format!(" at {source}"));
                    let (holder_name, doing) =
                        (self.called(Node::Thread(holder.thread)), self.doing(holder.thread));
                    let ago = self.ago(holder.since_ns);
                    format!("{holder_name} took it{location} {ago} ago and {doing}")
                }
            };
            let text = format!("{} {verb} for {}; {holder}", list(&names, MOST_NAMED), lock.name);
            let holder = lock.holder.iter().map(|holder| holder.thread);
            let threads = lock.waiting.iter().copied().chain(holder).collect();
            Finding { kind: FindingKind::Mutex, text, threads, tasks: Vec::new() }
        };
        waited.map(finding).collect()
    }

    /// A finding for each taskwait and taskgroup that waits for tasks.
    fn task_waits(&self, waits: &Waits<'_>) -> Vec<Finding> {
        let is_tasks =
            |wait: &&Wait| matches!(wait, Wait::Taskwait { .. } | Wait::Taskgroup { .. });
        let waiting = waits.nodes().filter_map(|node| {
            Some((node, self.wait_of(node).filter(is_tasks)?, waits.edges(node)))
        });
        let finding = |(node, wait, edges): (Node, &Wait, Vec<Edge>)| {
            let tasks = edges.iter().filter_map(|edge| match edge.to {
                Node::Task(at) => self.tasks.get(at),
                Node::Thread(_) => None,
            });
            let tasks: Vec<_> = tasks.collect();
            let words: Vec<String> = tasks.iter().map(|task| self.task_words(task)).collect();
            let count = match words.len() {
                1 => "1 task".to_owned(),
                count => format!("{count} tasks"),
            };
            let since = wait.at().map_or(self.now_ns, |at| at.since_ns);
            let text = format!(
                "{} {} for {count}, for {}: {}",
                self.called(node),
                self.waiting(wait),
                self.ago(since),
                listed(&words)
            );
            let threads = threads_of(&[(node, Why::Incomplete)]);
            let tasks = tasks.iter().map(|task| task.id).collect();
            (!words.is_empty()).then_some(Finding {
                kind: FindingKind::Tasks,
                text,
                threads,
                tasks,
            })
        };
        waiting.filter_map(finding).collect()
    }

    /// A finding for each thread that has waited for its team for a while, with the reason if it is known.
    fn team_starts(&self) -> Vec<Finding> {
        let waiting = self.threads.iter().enumerate().filter_map(|(at, thread)| {
            let wait @ Wait::TeamStart { at: region, requested } = thread.waits.as_ref()? else {
                return None;
            };
            let waited = self.now_ns.saturating_sub(region.since_ns);
            (waited >= SETTLED_NS).then_some((at, wait, region, *requested))
        });
        let finding = |(at, wait, region, requested): (usize, &Wait, &Construct, u64)| {
            let (own, ago) = (self.called(Node::Thread(at)), self.ago(region.since_ns));
            let text = format!("{own} {}, for {ago}", self.waiting(wait));
            let text = match threads_left_behind(self.fork_of, requested, self.threads.len()) {
                Some(why) => format!("{text}. {why}"),
                None => text,
            };
            Finding { kind: FindingKind::TeamStart, text, threads: vec![at], tasks: Vec::new() }
        };
        waiting.map(finding).collect()
    }

    /// A finding on the threads that do not wait and are in no other finding; `None` if there are none.
    fn workers(&self, reported: &[Finding]) -> Option<Finding> {
        let is_reported = |at: usize| reported.iter().any(|finding| finding.threads.contains(&at));
        let threads = self.threads.iter().enumerate();
        let working = threads.filter(|(at, thread)| thread.waits.is_none() && !is_reported(*at));
        let working: Vec<usize> = working.map(|(at, _)| at).collect();
        let words: Vec<String> = working
            .iter()
            .map(|at| format!("{} {}", self.called(Node::Thread(*at)), self.doing(*at)))
            .collect();
        (!words.is_empty()).then(|| Finding {
            kind: FindingKind::Working,
            text: listed(&words),
            threads: working,
            tasks: Vec::new(),
        })
    }
}

/// Number and verb of a clause: `1 task has`, `3 tasks have`.
fn has_have(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what} has") } else { format!("{count} {what}s have") }
}

fn threads_of(nodes: &[(Node, Why)]) -> Vec<usize> {
    let threads = nodes.iter().filter_map(|(node, _)| match node {
        Node::Thread(at) => Some(*at),
        Node::Task(_) => None,
    });
    threads.collect()
}

/// The first clauses of a list, and the number of the others.
fn listed(clauses: &[String]) -> String {
    let shown = clauses.get(..MOST_NAMED.min(clauses.len())).unwrap_or_default().join("; ");
    match clauses.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
