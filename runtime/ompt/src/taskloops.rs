//! Call sites of taskloops and of the creation of their tasks, for runtimes that report addresses of their own for
//! both: LLVM's (to 22) and Intel's report the return address of a function that their entry calls.
//!
//! At a taskloop's begin the program's call is found on the stack, for which the first taskloop takes memory. Its
//! tasks are then created there, by the task that encountered it or, if there are many, by tasks of the runtime's own,
//! whose creations have their own call site.

use crate::data::{Code, at};
use crate::ongoing::running;
use ompttrace_recorder::{address_of, creates_at, set_creates_at, site_of};
use ompttrace_recording::Id;
use ompttrace_recording::id::SITES;
use ompttrace_stacks::{Request, is_runtime_code, set_runtime, walk};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// True once a runtime reports the begins of its taskloops.
static REPORTED: AtomicBool = AtomicBool::new(false);

/// Prepares for a runtime, of which `runtime` is an address, outside of any callback. `reports` is true if it was
/// asked to report work: otherwise one taskloop cannot be distinguished from the next.
pub(crate) fn prepare(runtime: u64, reports: bool) {
    if reports {
        set_runtime(runtime);
        REPORTED.store(true, Ordering::Relaxed);
    }
}

/// Return address of the program's call of a taskloop that `task` has encountered.
pub(crate) fn begins(task: Id, codeptr: Code) -> u64 {
    if !is_runtime_code(at(codeptr)) {
        return at(codeptr);
    }
    let found = call_into_runtime().unwrap_or(at(codeptr));
    set_creates_at(task, found);
    found
}

/// Address to which the runtime will return in the program; `None` if the frames could not be unwound.
fn call_into_runtime() -> Option<u64> {
    let mut frame = [0];
    let walked = walk(&Request::default(), &mut frame);
    frame.first().copied().filter(|_| walked.frames == 1)
}

/// Forgets the calling thread's taskloop, which has created its tasks.
pub(crate) fn ends() {
    set_creates_at(Id::NONE, 0);
}

/// Address at which the calling thread creates a task, if the runtime reports an address of its own; `None` if the
/// reported one is valid.
#[inline]
pub(crate) fn place(codeptr: Code) -> Option<u64> {
    if !REPORTED.load(Ordering::Relaxed) || !is_runtime_code(at(codeptr)) {
        return None;
    }
    let creator = running()?;
    if let Some(found) = creates_at(creator) {
        return Some(found);
    }
    // A task of the runtime's own, or one during whose creations its thread came upon another taskloop.
    let own = is_noted(creator.site()).then(|| address_of(creator.site()));
    let found = own.filter(|own| *own != 0).or_else(call_into_runtime)?;
    set_creates_at(creator, found);
    Some(found)
}

/// Set of the sites at which a taskloop's tasks were created, a bit for each number of a site.
static NOTED: [AtomicU64; SITES / 64] = [const { AtomicU64::new(0) }; SITES / 64];

/// Remembers an address at which a taskloop's task was created.
pub(crate) fn note(address: u64) {
    let site = site_of(address).unwrap_or(0) as usize;
    if let Some(word) = NOTED.get(site / 64).filter(|_| site != 0 && !is_noted(site)) {
        word.fetch_or(1 << (site % 64), Ordering::Relaxed);
    }
}

fn is_noted(site: usize) -> bool {
    let word = NOTED.get(site / 64).map_or(0, |word| word.load(Ordering::Relaxed));
    word & 1 << (site % 64) != 0
}
