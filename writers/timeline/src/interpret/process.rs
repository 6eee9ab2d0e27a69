//! The initial task of the thread that the process began with. It surrounds the whole program (OpenMP 5.2, 1.2.2),
//! but runtimes report it only when they are first used: up to then it is inferred.

use super::Interpreter;
use crate::out::Details;
use crate::state::thread::{OpenSlice, TaskFrame};
use ompttrace_model::{Mark, SliceKind};
use ompttrace_recording::Id;
use ompttrace_recording::events::ImplicitTask;

impl Interpreter<'_> {
    /// The process begins at `at` on thread `t`, in the task whose begin is reported later, or never.
    pub(crate) fn begin_process(&mut self, t: u32, at: u64, task: ImplicitTask) {
        self.now = at;
        let root = self.root_kind(t);
        let logical_thread = self.root_logical_thread(t, root);
        let number = self.thread(t).number;
        let task = match &mut self.source_ids {
            Some(source_ids) => source_ids.initial(number, task.task),
            None => Id(task.task).started(),
        };
        let awaited = !task.is_none();
        let task_frame = TaskFrame {
            task,
            logical_thread,
            root: true,
            awaited,
            made_up: true,
            ..TaskFrame::default()
        };
        let team_size = u64::from(awaited);
        let open = OpenSlice::new(SliceKind::InitialTask, self.plain("initial task"));
        self.push_task_frame(t, at, task_frame, team_size, open, Details::mark(Mark::Inferred));
        self.note_activity(t, at);
    }

    /// Returns true if this is the awaited begin of the initial task that was inferred at the begin of the process.
    pub(super) fn is_awaited(&mut self, t: u32, event: &ImplicitTask) -> bool {
        let thread = self.thread(t);
        let same = thread.depth() == 1 && thread.top.task == Id(event.task).started();
        let awaited = same && std::mem::take(&mut thread.top.awaited);
        if awaited {
            thread.top.made_up = false;
            thread.top.region = Id(event.region);
        }
        awaited
    }
}
