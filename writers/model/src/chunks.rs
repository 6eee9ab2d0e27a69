//! The recording of chunks of loops, by which it is known what of a loop counts as work.

use crate::ompt::Work;
use ompttrace_recording::facts::{Facts, Runtime};

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
