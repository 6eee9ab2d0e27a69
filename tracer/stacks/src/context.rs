//! Calling contexts: the frames that a walk found, recorded for the next region or task that the thread creates.

use crate::{End, MAX_DEPTH, Request, Walked, walk};
use core::sync::atomic::{AtomicUsize, Ordering};
use ompttrace_recording::events::stack;

/// Maximum number of frames of a stack that are recorded; 0 if call stacks are not wanted.
static DEPTH: AtomicUsize = AtomicUsize::new(0);

/// Sets the maximum number of frames of a stack that are recorded.
pub fn set_depth(depth: usize) {
    DEPTH.store(depth.min(MAX_DEPTH), Ordering::Relaxed);
}

/// True if call stacks are wanted.
#[inline(always)]
pub fn are_wanted() -> bool {
    DEPTH.load(Ordering::Relaxed) > 0
}

/// Records the call stack at which the next region or task is created.
pub fn put_context(request: &Request) {
    put(request, 0);
}

/// Records such a call stack for a source that numbers regions and tasks itself.
pub fn put_numbered_context(request: &Request) {
    put(request, stack::NEXT);
}

fn put(request: &Request, flags: u64) {
    if !ompttrace_recorder::wants_contexts() {
        return;
    }
    let mut frames = [0; MAX_DEPTH];
    ompttrace_recorder::put_context(|| {
        let depth = DEPTH.load(Ordering::Relaxed);
        let wanted = frames.get_mut(..depth).unwrap_or_default();
        let walked = walk(request, wanted);
        let found = wanted.get_mut(..walked.frames).unwrap_or_default();
        found.reverse();
        (&*found, flags | flags_of(&walked))
    });
}

/// Records such a call stack if its only frame is known without a walk.
pub fn put_frame(code: u64) {
    if ompttrace_recorder::wants_contexts() {
        let frames = [code];
        ompttrace_recorder::put_context(|| (&frames, 0));
    }
}

fn flags_of(walked: &Walked) -> u64 {
    let end = match walked.end {
        End::Whole => 0,
        End::Cut => stack::CUT,
        End::Broken => stack::BROKEN,
    };
    end | if walked.shared { stack::SHARED } else { 0 }
}
