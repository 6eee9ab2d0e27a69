//! What counts as work: the one definition that the counter of working threads and the sums of a report
//! share, so that the integral of the one is the other.

use crate::event::SliceKind;
use crate::ompt::{SyncRegion, Work};
use ompttrace_recording::facts::{Facts, Runtime};

/// Whether a thread works while a slice of this kind is its innermost: executes the program, reductions and
/// target constructs included, and neither waits nor is busy with OpenMP itself. `chunks`: what is recorded of
/// these, as then what a loop does outside of them is scheduling.
pub fn works(kind: SliceKind, chunks: Chunks) -> bool {
    match kind {
        SliceKind::Region { .. } | SliceKind::ToolWait => false,
        SliceKind::Wait(_) | SliceKind::MutexWait(_) | SliceKind::Mpi(_) => false,
        // Around the program's own code.
        SliceKind::Sync(kind) => kind == SyncRegion::Taskgroup,
        SliceKind::Work(work) => !chunks.are_all_of(work),
        SliceKind::ImplicitTask
        | SliceKind::InitialTask
        | SliceKind::Task
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

/// What is recorded of the chunks of loops and of sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunks {
    /// Nothing.
    #[default]
    None,
    /// When each begins: it lasts to the next one.
    Begins,
    /// When each ends, too.
    Ends,
}

impl Chunks {
    /// What the runtimes of a recording were asked for and report. Functions that stand in front of a runtime's know when
    /// the next chunk is asked for; OMPT has no event for that.
    pub fn of(facts: &Facts) -> Chunks {
        let reports = |runtime: &&Runtime| {
            let answer = runtime.callbacks.get("dispatch").map_or("", String::as_str);
            answer.starts_with("always") || answer.starts_with("sometimes")
        };
        let is_in_front = |runtime: &Runtime| matches!(runtime.interface.as_str(), "gomp" | "ompi");
        let found = facts.runtimes.iter().filter(reports).map(is_in_front).max();
        found.map_or(Chunks::None, |ends| if ends { Chunks::Ends } else { Chunks::Begins })
    }

    /// Whether what a construct does outside of its chunks is no work: those of loops that are handed out one by one are
    /// all reported, of sections not by every runtime. Chunks of a static schedule may be compiled in.
    #[inline]
    pub fn are_all_of(self, work: Work) -> bool {
        match work {
            Work::LoopDynamic | Work::LoopGuided => self != Chunks::None,
            Work::Sections => self == Chunks::Ends,
            _ => false,
        }
    }
}
