//! Calling contexts of a report.

use super::{Metrics, Site};
use crate::state::{State, Times};
use ompttrace_model::pseudo_frame;
use serde::Serialize;

/// A frame of a calling context with the time in it. A list of them is a tree listed from the root on:
/// each frame behind its caller, the ones with most time first.
#[derive(Clone, Debug, Serialize)]
pub struct ContextReport {
    /// Name of the frame, `solve` or `parallel solve.c:80`; for the first frame the program's name.
    pub name: String,
    /// `program`, `function`, `region`, `task` or `unknown` (frames that could not be recorded).
    pub kind: &'static str,
    /// Source location: of the call of the next frame in a function, or of a construct.
    pub location: Site,
    /// The frame around it, by position.
    pub caller: Option<usize>,
    /// Number of frames around it.
    pub depth: usize,
    /// The time of all threads in this frame itself, by state.
    pub times: Times,
    /// Work, wait and idle time of this frame and all frames inside.
    pub metrics: Metrics,
}

/// The pseudo-frames below a frame with their times, the longest first.
pub fn pseudo_frames(times: &Times) -> Vec<(&'static str, u64)> {
    let mut frames: Vec<(&'static str, u64)> = Vec::new();
    for state in State::ALL {
        let (Some(name), time) = (pseudo_frame(*state), times.of(*state)) else { continue };
        match frames.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += time,
            None => frames.push((name, time)),
        }
    }
    frames.retain(|(_, time)| *time > 0);
    frames.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    frames
}
