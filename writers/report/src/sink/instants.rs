//! Instants that reports read: threads, creations of tasks, failed tests.

use super::ReportSink;
use crate::model::Class;
use crate::tasks::Made;
use ompttrace_model::{Arg, ArgKey, ArgValue, Instant, InstantKind, ThreadRef};
use ompttrace_recording::Id;

impl ReportSink {
    pub(super) fn happens(&mut self, at: u64, t: ThreadRef, instant: &Instant<'_>) {
        if matches!(instant.kind, InstantKind::LockTestFailed(_))
            && let Some(asked) = self.thread(t).asked.take()
        {
            // It did not wait after all: the time since then goes to what it did before.
            return self.locks.answered(self.ledger.now(), asked);
        }
        self.settle(t, at);
        match instant.kind {
            InstantKind::ThreadEnd => self.disappears(t),
            InstantKind::TaskCreate => self.task_created(at, t, instant),
            InstantKind::TaskDependence => self.task_depends(instant),
            _ => {}
        }
    }

    fn task_created(&mut self, at: u64, t: ThreadRef, instant: &Instant<'_>) {
        let Some(task) = id_of(instant.args, ArgKey::Task) else { return };
        if self.is_no_task(instant.args) {
            return;
        }
        let region = self.thread(t).region();
        let construct =
            self.construct_table.construct(region, Class::Task, instant.name, instant.source);
        let parent = self.thread(t).task_or_implicit();
        let (chain, progress) = (self.chain(t, at), self.thread(t).progress());
        let (busy, span) = (progress.busy, progress.span);
        let made = Made { at, busy, by: t, site: construct, parent, chain, span };
        self.tasks.created(task, made, self.bounds.begins());
    }

    /// A task waits for another.
    fn task_depends(&mut self, instant: &Instant<'_>) {
        let source = id_of(instant.args, ArgKey::Source);
        if let (Some(source), Some(sink)) = (source, id_of(instant.args, ArgKey::Task)) {
            self.tasks.dependences += u64::from(self.bounds.begins());
            self.tasks.depends(source, sink);
        }
    }

    /// A `taskwait` with dependences and a target's task are reported as tasks, but run no program.
    fn is_no_task(&self, args: &[Arg]) -> bool {
        args.iter().any(|arg| match (arg.key, arg.value) {
            (ArgKey::Flags, ArgValue::Text(flags)) => self.construct_table.is_of_no_task(flags),
            _ => false,
        })
    }
}

/// The id in an argument.
pub(super) fn id_of(args: &[Arg], key: ArgKey) -> Option<Id> {
    args.iter().find(|arg| arg.key == key).and_then(|arg| match arg.value {
        ArgValue::Id(id) => Some(id),
        _ => None,
    })
}

/// The number in an argument.
pub(super) fn number_of(args: &[Arg], key: ArgKey) -> Option<u64> {
    args.iter().find(|arg| arg.key == key).and_then(|arg| match arg.value {
        ArgValue::Number(number) => Some(number),
        _ => None,
    })
}
