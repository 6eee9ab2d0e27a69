//! A recording read back into calls of the runtime, and compared with what it counted of them.

use super::counted::Counted;
use anyhow::{Context, Result, ensure};
use ompttrace_recording::events::{Event, Record};
use ompttrace_recording::kinds::TARGET_DATA;
use ompttrace_recording::{Recording, Scope};
use std::collections::BTreeMap;
use std::path::Path;

/// Counts of the records in recordings.
#[derive(Debug, Default)]
pub struct Recorded {
    events: BTreeMap<String, u64>,
    /// Team threads: id of the region, size of the team, number of the thread in it.
    pub team_threads: Vec<(u64, u64, u64)>,
    /// Numbers of loops that began, by kind and iterations.
    pub loops: BTreeMap<(u64, u64), u64>,
}

impl Recorded {
    /// Reads all records of a recording.
    pub fn read(folder: &Path) -> Result<Recorded> {
        let mut all = Recorded::default();
        all.add_all(folder)?;
        Ok(all)
    }

    /// Adds the records of another recording.
    pub fn add_all(&mut self, folder: &Path) -> Result<()> {
        let recording = Recording::open(folder).with_context(|| folder.display().to_string())?;
        for thread in 0..recording.threads.len() {
            let mut stream = recording.stream(thread);
            while stream.take(|record| self.add(&record)).is_some() {}
        }
        Ok(())
    }

    /// Names of all counted records.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.events.keys()
    }

    /// Number of records by a name of [`Recorded::add`] or the first words of one.
    pub fn of(&self, name: &str) -> u64 {
        let of_name = |key: &&String| {
            key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let found = self.events.keys().filter(of_name);
        found.filter_map(|key| self.events.get(key)).sum()
    }

    fn add(&mut self, record: &Record<'_>) {
        let scope = match record.code.scope() {
            Scope::Begin => " begin",
            Scope::End => " end",
            _ => "",
        };
        let event = record.event();
        if let Event::Work(event) = event
            && record.code.scope() == Scope::Begin
            && !(2..10).contains(&event.kind)
        {
            *self.loops.entry((event.kind, event.count)).or_default() += 1;
        }
        if let Event::ImplicitTask(event) = event
            && scope == " begin"
            && event.flags & 1 == 0
        {
            self.team_threads.push((event.region, event.team_size, event.thread_num));
        }
        if let Some(name) = name(&event) {
            *self.events.entry(format!("{name}{scope}")).or_default() += 1;
        }
    }
}

/// An event in words; ends of words follow from its kind.
fn name(event: &Event) -> Option<String> {
    let league = 1 << 30;
    Some(match *event {
        Event::ParallelBegin(event) if event.flags & league != 0 => "league begins".into(),
        Event::ParallelBegin(_) => "region begins".into(),
        Event::ParallelEnd(event) if event.flags & league != 0 => "league ends".into(),
        Event::ParallelEnd(_) => "region ends".into(),
        Event::ImplicitTask(event) if event.flags & 1 != 0 => "initial".into(),
        Event::ImplicitTask(_) => "implicit".into(),
        Event::TaskCreate(event) => {
            let undeferred = if event.flags & 0x0800_0000 != 0 { " undeferred" } else { "" };
            let depends = if event.kind == 1 { " depends" } else { "" };
            format!("task{undeferred}{depends}")
        }
        Event::TaskSchedule(event) => format!("switch {}", event.status),
        Event::Dependence(event) => format!("dependence {}", event.kind),
        Event::Work(event) => match event.kind {
            2 => "sections".into(),
            3 => "single".into(),
            4 => "single of others".into(),
            _ => "loop".into(),
        },
        Event::Dispatch(event) => if event.kind == 2 { "section" } else { "chunk" }.into(),
        Event::ChunkEnd(_) => "over".into(),
        Event::SyncRegion(event) => format!("sync {}", event.kind),
        Event::SyncRegionWait(event) => format!("wait {}", event.kind),
        Event::Reduction(_) => "reduction".into(),
        Event::Flush(_) => "flush".into(),
        Event::MutexAcquire(event) => format!("mutex asked {}", event.kind),
        Event::MutexAcquired(event) => format!("mutex got {}", event.kind),
        Event::MutexReleased(event) => format!("mutex given {}", event.kind),
        Event::LockInit(_) => "lock made".into(),
        Event::LockDestroy(_) => "lock gone".into(),
        Event::NestLock(_) => "nest".into(),
        Event::Cancel(event) => format!("cancel {}", event.flags & 0xf0),
        Event::TargetEmi(event) if event.kind == TARGET_DATA => "target data".into(),
        Event::TargetEmi(event) => format!("target {}", event.kind),
        _ => return None,
    })
}

/// Kinds of OMPT's that stand in names: of waits, of mutexes, of dependences, of target constructs.
const EXPLICIT: u64 = 3;
const WORKSHARE: u64 = 8;

/// Both sides of everything that is counted, by the name of the record. A program is not still at work.
pub fn compare(recorded: &Recorded, counted: &Counted) -> Result<()> {
    let c = |name: &str| counted.of(name);
    let chunks = ["static_shares", "dynamic_chunks", "guided_chunks", "runtime_chunks"];
    let chunks = chunks.iter().map(|name| c(name)).sum();
    let tasks = c("tasks") + c("tasks_in_place");
    let run = c("tasks_run") + c("tasks_in_place");
    let loops = c("loops") + c("doacross");
    let tried = c("locks_tried");
    for (name, expected) in [
        ("region begins", c("regions")),
        ("region ends", c("regions")),
        ("league begins", c("leagues")),
        ("league ends", c("leagues")),
        ("implicit begin", c("implicit_tasks")),
        ("implicit end", c("implicit_tasks")),
        // And that of the thread that the program began with.
        ("initial begin", c("teams") + 1),
        ("initial end", c("teams") + 1),
        ("task", tasks),
        ("task undeferred", c("tasks_at_once") + c("tasks_in_place")),
        ("task depends", c("dependent")),
        ("switch 7", run),
        ("switch 1", run),
        ("loop begin", loops),
        ("loop end", c("loops_left")),
        ("chunk", chunks),
        ("over", c("asked_again")),
        ("dependence 6", 2 * c("sinks")),
        ("dependence 5", 2 * c("sources")),
        ("sections begin", c("section_regions")),
        ("sections end", c("section_regions")),
        ("section", c("sections")),
        ("single begin", c("singles")),
        ("single end", c("singles")),
        ("single of others begin", c("singles_of_others")),
        ("single of others end", c("singles_of_others")),
        ("sync 5 begin", c("taskwaits")),
        ("wait 5 end", c("taskwaits")),
        ("sync 6 begin", c("taskgroups")),
        ("wait 6 end", c("taskgroups")),
        ("sync 9 begin", c("ends")),
        ("wait 9 end", c("ends")),
        ("reduction begin", c("reductions")),
        ("reduction end", c("reductions")),
        ("flush", c("fences")),
        ("mutex got 5", c("critical")),
        ("mutex given 5", c("critical")),
        ("mutex got 6", c("atomic")),
        ("mutex given 6", c("atomic")),
        ("mutex got 7", c("ordered")),
        ("mutex given 7", c("ordered")),
        ("mutex asked 1", c("locks_set")),
        ("mutex got 1", c("locks_set")),
        ("mutex asked 2", tried),
        ("mutex got 2", c("locks_got")),
        ("mutex given 1", c("locks_unset")),
        ("mutex got 3", c("nest_locks_set")),
        ("nest begin", c("nest_locks_again")),
        ("nest end", c("nest_locks_again")),
        ("mutex given 3", c("nest_locks_unset")),
        ("lock made", c("locks_made")),
        ("lock gone", c("locks_gone")),
        ("cancel 16", c("cancels")),
        ("cancel 32", c("cancelled")),
        ("target 1 begin", c("kernels")),
        ("target 1 end", c("kernels")),
        ("target 2 begin", c("entered_data")),
        ("target 3 end", c("left_data")),
        ("target 4 begin", c("updates")),
        ("target data begin", c("data_regions")),
        ("target data end", c("data_regions")),
    ] {
        let found = recorded.of(name);
        ensure!(found == expected, "{name}: {found} recorded, {expected} counted");
    }
    let of_tasks: u64 = (1..=3).map(|kind| recorded.of(&format!("dependence {kind}"))).sum();
    ensure!(of_tasks == c("dependences"), "{of_tasks} dependences, {counted:?}");
    compare_barriers(recorded, counted)
}

/// Barriers are counted together; each is one of the program or the end of a construct.
fn compare_barriers(recorded: &Recorded, counted: &Counted) -> Result<()> {
    for half in ["begin", "end"] {
        for what in ["sync", "wait"] {
            let of = |kind: u64| recorded.of(&format!("{what} {kind} {half}"));
            let (explicit, closing) = (of(EXPLICIT), of(WORKSHARE));
            let all = counted.of("barriers");
            ensure!(explicit + closing == all, "{explicit} and {closing} of {all} {what} {half}");
            // Of the program's own are the one before the fence and that of the cancelled region.
            let own = counted.of("fences").min(explicit);
            ensure!(own > 0 && closing > own, "{explicit} explicit, {closing} closing");
        }
    }
    Ok(())
}
