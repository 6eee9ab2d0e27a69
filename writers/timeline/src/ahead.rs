//! Constructs that a thread was in when recording resumed: its later records have their ends without their begins.
//!
//! One more cursor for each thread that reports ongoing tasks, which only goes forward: together with the merge
//! every record is read twice at most.

use crate::code::Code;
use crate::hash::FastMap;
use crate::lookahead::Lookahead;
use ompttrace_model::SliceKind;
use ompttrace_model::ompt::{SyncRegion, Work};
use ompttrace_recording::events::{Event, OngoingTask, Record};
use ompttrace_recording::reader::Stream;
use ompttrace_recording::words::KIND_MASK;
use ompttrace_recording::{Id, Scope};

/// Constructs that are kept; a recording that nests deeper is not believed.
const MOST: usize = 256;

/// A construct that a task was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    pub task: Id,
    pub kind: SliceKind,
    /// Location of the construct, as its end reports it.
    pub code: Code,
    /// Id of the region, if the construct is one.
    pub region: Id,
}

/// The cursors.
#[derive(Debug, Default)]
pub(crate) struct Ahead<'a> {
    threads: FastMap<u32, Cursor<'a>>,
}

#[derive(Debug)]
struct Cursor<'a> {
    stream: Stream<'a>,
    /// Number of lists of ongoing tasks that the cursor has passed, and number of those that the merge has.
    passed: u64,
    wanted: u64,
}

impl<'a> Ahead<'a> {
    /// Constructs that the tasks of `chain` were in, innermost first. Thread `t` has just reported these tasks.
    pub(crate) fn running(
        &mut self,
        lookahead: Lookahead<'a>,
        t: u32,
        chain: &[OngoingTask],
    ) -> Vec<Running> {
        let new = || Cursor { stream: lookahead.stream(t), passed: 0, wanted: 0 };
        let cursor = self.threads.entry(t).or_insert_with(new);
        cursor.wanted += 1;
        if !cursor.catch_up() {
            return Vec::new();
        }
        let mut scan = Scan::of(chain);
        while let Some(step) = cursor.stream.take(|record| scan.take(&record)) {
            match step {
                Step::On => {}
                Step::Over => break,
                Step::Asked(is_last) => {
                    cursor.passed += u64::from(is_last);
                    break;
                }
            }
        }
        scan.found
    }
}

impl Cursor<'_> {
    /// Advances to where the merge is.
    fn catch_up(&mut self) -> bool {
        while self.passed < self.wanted {
            let last = self.stream.take(|record| match record.event() {
                Event::OngoingTask(task) => task.left == 0,
                _ => false,
            });
            match last {
                Some(last) => self.passed += u64::from(last),
                None => return false,
            }
        }
        true
    }
}

enum Step {
    On,
    /// The search ends: nothing more can be found.
    Over,
    /// The thread reports ongoing tasks again; true for the last one of them.
    Asked(bool),
}

struct Scan {
    /// The task with whose end the search ends; none: it ends where the next region begins.
    last: Id,
    /// Implicit tasks that have begun since.
    begun: Vec<Id>,
    /// Constructs that have begun since: task and kind of each.
    open: Vec<(Id, SliceKind)>,
    found: Vec<Running>,
}

impl Scan {
    fn of(chain: &[OngoingTask]) -> Scan {
        const INITIAL: u64 = 1;
        let outermost = chain.iter().find(|task| task.flags & INITIAL == 0);
        let last = outermost.map_or(Id::NONE, |task| Id(task.task));
        Scan { last, begun: Vec::new(), open: Vec::new(), found: Vec::new() }
    }

    fn take(&mut self, record: &Record<'_>) -> Step {
        let scope = record.code.scope();
        let (kind, task, code, region) = match record.event() {
            Event::OngoingTask(task) => return Step::Asked(task.left == 0),
            Event::ThreadEnd(_) => return Step::Over,
            Event::ImplicitTask(event) => return self.implicit(scope, Id(event.task)),
            Event::ParallelBegin(_) if self.last.is_none() => return Step::Over,
            Event::ParallelBegin(event) => return self.begins(Id(event.task), REGION),
            Event::ParallelEnd(event) => {
                let code = Code::new(event.code, event.kind);
                return self.ends(Id(event.task), REGION, code, Id(event.region));
            }
            Event::SyncRegion(event) => {
                let kind = SliceKind::Sync(SyncRegion::from(event.kind & KIND_MASK));
                (kind, event.task, Code::new(event.code, event.kind), Id::NONE)
            }
            Event::SyncRegionWait(event) => {
                let kind = SliceKind::Wait(SyncRegion::from(event.kind & KIND_MASK));
                (kind, event.task, Code::new(event.code, event.kind), Id::NONE)
            }
            Event::Work(event) => {
                let kind = SliceKind::Work(Work::from(event.kind & KIND_MASK));
                (kind, event.task, Code::new(event.code, event.kind), Id::NONE)
            }
            Event::Masked(event) => {
                (SliceKind::Masked, event.task, Code::new(event.code, event.kind), Id::NONE)
            }
            _ => return Step::On,
        };
        match scope {
            Scope::Begin => self.begins(Id(task), kind),
            Scope::End => self.ends(Id(task), kind, code, region),
            Scope::None | Scope::BeginEnd => Step::On,
        }
    }

    fn implicit(&mut self, scope: Scope, task: Id) -> Step {
        let begun = self.begun.iter().rposition(|begun| *begun == task);
        match (scope, begun) {
            (Scope::Begin, _) if self.begun.len() < MOST => self.begun.push(task),
            (Scope::End, Some(begun)) => drop(self.begun.remove(begun)),
            (Scope::End, None) if task == self.last || task.is_none() => return Step::Over,
            _ => {}
        }
        Step::On
    }

    fn begins(&mut self, task: Id, kind: SliceKind) -> Step {
        if self.open.len() < MOST {
            self.open.push((task.started(), kind));
        }
        Step::On
    }

    fn ends(&mut self, task: Id, kind: SliceKind, code: Code, region: Id) -> Step {
        let task = task.started();
        let own = |open: &(Id, SliceKind)| open.0 == task && is_same(open.1, kind);
        match self.open.iter().rposition(own) {
            Some(begun) => {
                let mut at = 0;
                self.open.retain(|open| {
                    at += 1;
                    at <= begun || open.0 != task
                });
            }
            None if self.found.len() < MOST => {
                self.found.push(Running { task, kind, code, region });
            }
            None => {}
        }
        Step::On
    }
}

const REGION: SliceKind = SliceKind::Region { league: false };

/// Returns true if an end of one kind may end a construct of the other kind: runtimes name barriers and loops by more
/// than one name.
pub(crate) fn is_same(open: SliceKind, end: SliceKind) -> bool {
    match (open, end) {
        (SliceKind::Sync(one), SliceKind::Sync(other)) => one.is_same(other),
        (SliceKind::Wait(one), SliceKind::Wait(other)) => one.is_same(other),
        (SliceKind::Work(_), SliceKind::Work(_)) | (SliceKind::Masked, SliceKind::Masked) => true,
        (SliceKind::Region { .. }, SliceKind::Region { .. }) => true,
        _ => false,
    }
}
