//! Texts for threads, tasks, mutexes and waits, as findings and the list of threads have them.

use crate::snapshot::{Construct, Snapshot, Task, Thread, Wait};
use crate::waits::Node;

/// The location of a construct after a space, as ` hang.c:17`; empty if it is unknown.
pub(crate) fn behind(construct: &Construct) -> String {
    construct.source.as_ref().map_or(String::new(), |source| format!(" {source}"))
}

/// A construct's name without the prefix of waits.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("wait: ").unwrap_or(name)
}

/// Text for a construct with its location: `for dynamic heat.c:131`, `barrier heat.c:140`.
pub(crate) fn construct(construct: &Construct) -> String {
    let name = plain(&construct.name);
    match &construct.source {
        Some(source) if !name.contains(source.as_str()) => format!("{name} {source}"),
        _ => name.to_owned(),
    }
}

/// Text for a barrier: `the barrier heat.c:131`.
pub(crate) fn barrier(at: &Construct) -> String {
    let kind = match plain(&at.name) {
        "barrier (implicit)" => "implicit barrier",
        "barrier (teams)" => "barrier of the league",
        _ => "barrier",
    };
    format!("the {kind}{}", behind(at))
}

/// Text for a duration, in a unit that fits: `2.31 s`.
pub(crate) fn duration(nanoseconds: u64) -> String {
    let (value, unit) = match nanoseconds {
        0..1_000_000 => (nanoseconds as f64 / 1e3, "us"),
        1_000_000..1_000_000_000 => (nanoseconds as f64 / 1e6, "ms"),
        _ => (nanoseconds as f64 / 1e9, "s"),
    };
    format!("{value:.2} {unit}")
}

/// The first names of a list, and the number of the others.
pub(crate) fn list(all: &[String], most: usize) -> String {
    let shown = all.get(..most.min(all.len())).unwrap_or_default().join(", ");
    match all.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

impl Snapshot {
    /// Text for the time since `at`, in a unit that fits.
    pub(crate) fn ago(&self, at: u64) -> String {
        duration(self.now_ns.saturating_sub(at))
    }

    /// Name of a thread or task in findings.
    pub(crate) fn called(&self, node: Node) -> String {
        match node {
            Node::Thread(at) => {
                self.threads.get(at).map_or("a thread", |thread| &thread.label).to_owned()
            }
            Node::Task(at) => self.tasks.get(at).map_or("a task".to_owned(), task),
        }
    }

    /// Name of a mutex: `critical update`, `lock a`.
    pub(crate) fn lock_name(&self, lock: usize) -> &str {
        self.locks.get(lock).map_or("a lock", |lock| &lock.name)
    }

    /// Text for a wait: `waits at the barrier heat.c:131`.
    pub(crate) fn waiting(&self, wait: &Wait) -> String {
        match wait {
            Wait::Barrier { at, .. } => format!("waits at {}", barrier(at)),
            Wait::Mutex { lock, at } => {
                let location = at.source.as_ref();
                let location = location.map_or(String::new(), |source| format!(" at {source}"));
                format!("waits for {}{location}", self.lock_name(*lock))
            }
            Wait::Taskwait { at, .. } => format!("waits at the taskwait{}", behind(at)),
            Wait::Taskgroup { at, .. } => {
                format!("waits at the end of the taskgroup{}", behind(at))
            }
            Wait::TeamStart { at, .. } => format!("waits in starting {}", construct(at)),
            Wait::Other { at } => format!("waits in {}", construct(at)),
            Wait::Idle => "is in no team".to_owned(),
        }
    }

    /// Text for the activity of a thread, as the rest of a sentence: `works in for heat.c:120, at heat.c:125
    /// (update)`.
    pub(crate) fn doing(&self, at: usize) -> String {
        let Some(thread) = self.threads.get(at) else { return String::new() };
        if let Some(wait) = &thread.waits {
            let text = self.waiting(wait);
            return match wait {
                Wait::Mutex { lock, .. } => format!("{text}{}", self.holder_of(*lock, at)),
                _ => text,
            };
        }
        let mut text = match self.held_by(at) {
            Some(held) => held,
            None => self.working(thread),
        };
        let frame = thread.os.as_ref().and_then(|os| os.innermost_own());
        if let Some(frame) = frame {
            text += &format!(", at {}", frame.location);
            if let Some(function) = &frame.function {
                text += &format!(" ({function})");
            }
        }
        text
    }

    fn working(&self, thread: &Thread) -> String {
        let running = thread.running().and_then(|id| self.tasks.iter().find(|task| task.id == id));
        if let Some(running) = running {
            return format!("runs {}", task(running));
        }
        match &thread.innermost {
            Some(innermost) => format!("works in {}", construct(innermost)),
            None => "works".to_owned(),
        }
    }

    /// Text for the mutex that a thread acquired last and holds; `None` if it holds none.
    fn held_by(&self, at: usize) -> Option<String> {
        let held = self.locks.iter().filter_map(|lock| Some((lock, lock.holder.as_ref()?)));
        let own = held.filter(|(_, holder)| holder.thread == at);
        let (lock, holder) = own.max_by_key(|(_, holder)| holder.since_ns)?;
        let verb = if is_lock(&lock.name) { "holds" } else { "is in" };
        let others = match lock.waiting.len() {
            0 => "for which no other thread waits".to_owned(),
            1 => "for which 1 thread waits".to_owned(),
            more => format!("for which {more} threads wait"),
        };
        let location = holder.source.as_ref().map_or(String::new(), |source| format!(" {source}"));
        Some(format!("{verb} {}{location}, {others}", lock.name))
    }

    fn holder_of(&self, lock: usize, own: usize) -> String {
        match self.locks.get(lock).and_then(|lock| lock.holder.as_ref()) {
            None => ", which nobody is known to hold".to_owned(),
            Some(holder) if holder.thread == own => ", which it holds itself".to_owned(),
            Some(holder) => format!(", which {} holds", self.called(Node::Thread(holder.thread))),
        }
    }
}

/// True if the name is that of a lock of the program, and not of a construct with a block.
pub(crate) fn is_lock(name: &str) -> bool {
    name.starts_with("lock") || name.starts_with("nest lock")
}

/// Text for a task: `task 0.7 heat.c:140 (solve)`.
pub(crate) fn task(task: &Task) -> String {
    let rest = task.name.strip_prefix("task").unwrap_or(&task.name).trim_start();
    format!("task {} {rest}", task.id).trim_end().to_owned()
}
