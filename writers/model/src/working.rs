//! What counts as work: the one definition that the counter of working threads and the sums of a report
//! share, so that the integral of the one is the other.

use crate::event::SliceKind;
use crate::ompt::{SyncRegion, Work};
use ompttrace_recording::facts::Facts;

/// Whether a thread works while a slice of this kind is its innermost: executes the program, reductions and
/// target constructs included, and neither waits nor is busy with OpenMP itself. `chunks`: whether chunks of
/// loops are recorded ([`has_chunks`]), as then what a loop does before its first chunk is scheduling.
pub fn works(kind: SliceKind, chunks: bool) -> bool {
    match kind {
        SliceKind::Region { .. } | SliceKind::ToolWait => false,
        SliceKind::Wait(_) | SliceKind::MutexWait(_) => false,
        // Around the program's own code.
        SliceKind::Sync(kind) => kind == SyncRegion::Taskgroup,
        SliceKind::Work(Work::LoopDynamic | Work::LoopGuided) => !chunks,
        SliceKind::ImplicitTask
        | SliceKind::InitialTask
        | SliceKind::Task
        | SliceKind::Work(_)
        | SliceKind::Dispatch(_)
        | SliceKind::Masked
        | SliceKind::Reduction(_)
        | SliceKind::MutexHold(_)
        | SliceKind::LockTests(_)
        | SliceKind::Target(_)
        | SliceKind::DataOp(_)
        | SliceKind::Submit => true,
    }
}

/// Whether any runtime of a recording was asked for the chunks of loops and reports them.
pub fn has_chunks(facts: &Facts) -> bool {
    let mut answers = facts.runtimes.iter().filter_map(|runtime| runtime.callbacks.get("dispatch"));
    answers.any(|answer| answer.starts_with("always") || answer.starts_with("sometimes"))
}
