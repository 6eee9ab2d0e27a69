//! Work-sharing constructs, their chunks, and masked regions.

use super::sync::OfTask;
use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::Subject;
use crate::out::{Details, number};
use crate::state::thread::OpenSlice;
use ompttrace_model::{ArgKey, InstantKind, SliceKind, ompt};
use ompttrace_recording::events::{Dispatch, Masked, Work};
use ompttrace_recording::words::KIND_MASK;
use ompttrace_recording::{Id, Scope};

impl Interpreter<'_> {
    #[inline(always)]
    pub(super) fn work(&mut self, t: u32, at: u64, scope: Scope, event: &Work) -> Outcome {
        let Work { code, kind, task, count } = *event;
        let work = ompt::Work::from(kind & KIND_MASK);
        let task = if work.is_single() { self.in_serialised(t, task) } else { task };
        if scope == Scope::End {
            return self.work_ends(t, at, task, work);
        }
        // The only kind that does not bind to the team, and so may begin inside a `single`.
        if work != ompt::Work::Taskloop {
            self.end_what_was_left(t, at, task);
            self.thread(t).left_work = Id::NONE;
        }
        if scope == Scope::BeginEnd || scope == Scope::None || count == 0 {
            let of = OfTask::new(SliceKind::Work(work), task, code, kind);
            return self.of_task(t, at, scope, &of, |_| false);
        }
        self.enter(t, at, Id(task));
        if work.is_loop() {
            self.loop_begins(t);
        }
        let code = Code::new(code, kind);
        let slice = SliceKind::Work(work);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(slice), code);
        let args = [number(ArgKey::Count, count)];
        let details = Details::args(if work == ompt::Work::SingleExecutor { &[] } else { &args });
        let open = OpenSlice::new(slice, named);
        let open = if work == ompt::Work::Sections { OpenSlice { code, ..open } } else { open };
        self.open(t, at, open, details)
    }

    /// The kind of an end may be more exact, or less, than its begin's: take the same kind if it is
    /// open, otherwise the innermost work.
    #[inline(always)]
    fn work_ends(&mut self, t: u32, at: u64, task: u64, work: ompt::Work) -> Outcome {
        let thread = self.thread(t);
        let task = if task == 0 { thread.current } else { Id(task).started() };
        let exact = SliceKind::Work(work);
        let open = thread.current == task && thread.slices().iter().any(|open| open.kind == exact);
        if !open && !task.is_none() && thread.left_work == task {
            thread.left_work = Id::NONE;
            return Outcome::Absorbed;
        }
        self.end(t, at, task, |kind| kind == exact || (!open && matches!(kind, SliceKind::Work(_))))
    }

    /// A chunk lasts to its end, where that is reported, else to the next chunk of its loop or to the loop's end.
    pub(super) fn dispatch(&mut self, t: u32, at: u64, event: &Dispatch) -> Outcome {
        use ompt::Dispatch::{Iteration, Section, TaskloopChunk};
        let chunk = ompt::Dispatch::from(event.kind & KIND_MASK);
        let code = if chunk == Section { Code::new(event.first, 0) } else { Code::default() };
        let slice = SliceKind::Dispatch(chunk);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(slice), code);
        let args = [number(ArgKey::First, event.first), number(ArgKey::Count, event.count)];
        let details = match chunk {
            Section => &[],
            Iteration => &args[..1],
            _ => &args[..],
        };
        let slices = self.thread(t).slices();
        let work = slices.iter().rposition(|open| matches!(open.kind, SliceKind::Work(_)));
        // A taskloop's is a task of its own; where the events of tasks are left out, what is open is not its.
        let Some(work) = work.filter(|_| chunk != TaskloopChunk) else {
            let thread = &mut self.threads[t as usize];
            let (kind, task) = (InstantKind::Dispatch, thread.current);
            self.out.instant(thread, at, kind, named, task, Details::args(details));
            return Outcome::Interpreted;
        };
        self.close_above(t, at, work + 1, ompttrace_model::Mark::Inferred);
        let around = self.thread(t).slices().get(work).map_or(0, |open| open.code.address);
        if chunk == Section && around != 0 && around == event.first {
            // LLVM's runtime hands out several sections at once, says so once, and names the construct instead of a section.
            return Outcome::Absorbed;
        }
        self.open(t, at, OpenSlice::new(slice, named), Details::args(details))
    }

    /// The chunk that the task is in is over; where its begin was not recorded, there is none.
    pub(super) fn chunk_end(&mut self, t: u32, at: u64) -> Outcome {
        match self.end_here(t, at, |kind| matches!(kind, SliceKind::Dispatch(_))) {
            Outcome::Dropped(_) => Outcome::Absorbed,
            outcome => outcome,
        }
    }

    pub(super) fn masked(&mut self, t: u32, at: u64, scope: Scope, event: &Masked) -> Outcome {
        let Masked { code, kind, task } = *event;
        let task = self.in_serialised(t, task);
        let of = OfTask::new(SliceKind::Masked, task, code, kind);
        self.of_task(t, at, scope, &of, |slice| slice == SliceKind::Masked)
    }

    /// The task of a `single` or `masked`. In a serialised region that an explicit task began, LLVM's
    /// runtime and Intel's name the implicit task below that one (`__kmpc_single`, `__kmpc_masked`), which
    /// cannot do anything before the explicit task is left: the thread's current task is meant.
    #[inline(always)]
    fn in_serialised(&mut self, t: u32, task: u64) -> u64 {
        let thread = self.thread(t);
        let is_current = task == 0 || Id(task) == thread.current;
        if is_current || !Id(task).is_implicit() { task } else { self.below_explicit(t, task) }
    }

    #[cold]
    fn below_explicit(&mut self, t: u32, task: u64) -> u64 {
        let thread = self.thread(t);
        let Some(below) = thread.below.iter().find(|task_frame| task_frame.task == Id(task)) else {
            return task;
        };
        let (runs_explicit, open) = (!below.running.is_none(), below.own.last().map(|o| o.region));
        let is_below = runs_explicit || open.is_some_and(|region| self.is_unnamed(region));
        if is_below { self.thread(t).current.0 } else { task }
    }

    /// Returns true if the task that encountered an open region was reported without an id: an explicit one.
    fn is_unnamed(&mut self, region: Id) -> bool {
        self.regions.get_mut(region).is_some_and(|region| region.unnamed)
    }
}
