//! The recording of chunks of loops, which decides how much of a loop counts as work.

use crate::ompt::Work;
use ompttrace_recording::facts::{Facts, Runtime};

/// The events that are recorded of the chunks of loops and of sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunks {
    /// No chunks are recorded.
    #[default]
    None,
    /// The begin of each chunk, which lasts to the next one.
    Begins,
    /// The begin and the end of each chunk.
    Ends,
}

impl Chunks {
    /// The most precise recording of chunks that a runtime of this recording reports. Functions that stand in front
    /// of a runtime (libgomp, OMPi) know when the next chunk is asked for; OMPT has no event for that.
    pub fn of(facts: &Facts) -> Chunks {
        let reports = |runtime: &&Runtime| {
            let answer = runtime.callbacks.get("dispatch").map_or("", String::as_str);
            answer.starts_with("always") || answer.starts_with("sometimes")
        };
        let is_in_front = |runtime: &Runtime| matches!(runtime.interface.as_str(), "gomp" | "ompi");
        let found = facts.runtimes.iter().filter(reports).map(is_in_front).max();
        found.map_or(Chunks::None, |ends| if ends { Chunks::Ends } else { Chunks::Begins })
    }

    /// Returns true if all chunks of such a construct are reported, so that time outside of them is no work: every
    /// runtime reports the chunks that it hands out one by one, but not every runtime those of sections. Chunks of a
    /// static schedule may be compiled in.
    #[inline]
    pub fn are_all_of(self, work: Work) -> bool {
        match work {
            Work::LoopDynamic | Work::LoopGuided => self != Chunks::None,
            Work::Sections => self == Chunks::Ends,
            _ => false,
        }
    }
}
