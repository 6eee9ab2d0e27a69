//! A walk: its start, the frames that it skips, and its end.

use crate::caches;
use crate::known::{changes, is_of_program, is_runtime_code, known_or_found};
use crate::memo::{Key, Memo};
use crate::memory::Bounds;
use crate::registers::{Start, caller_of, here};
use framehop::{FrameAddress, Unwinder};
use ompttrace_recorder::caught;
pub use ompttrace_recording::settings::MAX_DEPTH;

/// Maximum number of frames of the tool and the runtime that are skipped before the first one of the program.
const MAX_RUNTIME_FRAMES: usize = 64;

/// Data of a runtime on the task whose frames are wanted; 0 stands for unknown values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The return address of the program's call into the runtime.
    pub code: u64,
    /// Frame address of the function of the runtime that the program called (`ompt_frame_t::enter_frame`).
    pub enter: u64,
    /// Frame address of the function that called the task's code (`ompt_frame_t::exit_frame`).
    pub exit: u64,
}

/// The kind of end that a walk had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The walk ended where the runtime called the task's code, or at the stack's end.
    Whole,
    /// The walk ended after the wanted number of frames, and there are more.
    Cut,
    /// The walk ended at a frame whose caller could not be found.
    Broken,
}

/// Result of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    /// Number of frames that were stored: return addresses, innermost first.
    pub frames: usize,
    /// The kind of end that the walk had.
    pub end: End,
    /// True if the frames may include those of an enclosing task: its code called this task's directly, without the
    /// runtime in between (an inactive region).
    pub shared: bool,
}

const NOTHING: Walked = Walked { frames: 0, end: End::Broken, shared: false };

/// Stores the return addresses of the calling thread's current task in `frames`, innermost first.
#[inline(never)]
pub fn walk(request: &Request, frames: &mut [u64]) -> Walked {
    let own = here();
    let bounds = Bounds::of_stack(own.registers.sp());
    let start = at_call(request, &own, bounds).unwrap_or(own);
    let Request { code, exit, .. } = *request;
    let key = Key { start, code, exit, wanted: frames.len(), changes: changes() };
    // A thread's stack keeps its address: so does its cache.
    let walked = caches::with(start.registers.sp() >> 20, |cache| {
        let Some(memo) = cache.memos.slot(&key) else { return NOTHING };
        if let Some(walked) = memo.again(&key, bounds, frames) {
            return walked;
        }
        memo.forget();
        // Rows of unwind tables take 4 KiB each.
        let walk = || {
            let mut walker = Walker { at: start, bounds, rules: &mut cache.rules, memo };
            let walked = walker.walk(request, frames);
            walker.memo.keep(&key, walked, frames);
            walked
        };
        caught(walk).unwrap_or(NOTHING)
    });
    walked.unwrap_or(NOTHING)
}

/// The call site in the program, if the data of the runtime about it are consistent.
fn at_call(request: &Request, own: &Start, bounds: Bounds) -> Option<Start> {
    let Request { code, enter, .. } = *request;
    if enter <= own.registers.sp() || is_runtime_code(code) {
        return None;
    }
    let (saved, called_from) = (bounds.word(enter)?, bounds.word(enter.checked_add(8)?)?);
    if called_from == code { caller_of(enter, saved, code) } else { None }
}

struct Walker<'c> {
    at: Start,
    bounds: Bounds,
    rules: &'c mut caches::Rules,
    memo: &'c mut Memo,
}

impl Walker<'_> {
    fn walk(&mut self, request: &Request, frames: &mut [u64]) -> Walked {
        if !self.pass_runtime_code(request.code) {
            return NOTHING;
        }
        let first = self.at.registers.sp();
        let shared = request.exit != 0 && request.exit < first;
        let exit = if shared || request.exit == 0 { u64::MAX } else { request.exit };
        let (frames, end) = self.store(exit, frames);
        Walked { frames, end, shared }
    }

    /// Moves to the caller; `None` at the stack's end.
    fn up(&mut self) -> Result<Option<()>, ()> {
        let address = if self.at.returned {
            FrameAddress::from_return_address(self.at.pc).ok_or(())?
        } else {
            FrameAddress::from_instruction_pointer(self.at.pc)
        };
        let lookup = address.address_for_lookup();
        let module = known_or_found(lookup).ok_or(())?;
        let Walker { at, bounds, rules, memo } = self;
        let mut read = |address| {
            let word = bounds.word(address).ok_or(())?;
            memo.note(address, word);
            Ok(word)
        };
        let caller = module.tables.unwind_frame(address, &mut at.registers, rules, &mut read);
        match caller.map_err(|_| ())? {
            None | Some(0) => Ok(None),
            Some(pc) => {
                self.at.pc = pc;
                self.at.returned = true;
                Ok(Some(()))
            }
        }
    }

    /// Moves up to the program's call, or else to the first frame that is certainly the program's; returns true if one
    /// was found.
    fn pass_runtime_code(&mut self, code: u64) -> bool {
        for _ in 0..MAX_RUNTIME_FRAMES {
            let pc = self.at.pc;
            let is_call = pc == code && !is_runtime_code(pc);
            if self.at.returned && (is_call || is_of_program(pc)) {
                return true;
            }
            if !matches!(self.up(), Ok(Some(()))) {
                return false;
            }
        }
        false
    }

    fn store(&mut self, exit: u64, frames: &mut [u64]) -> (usize, End) {
        let mut count = 0;
        loop {
            if count > 0 && (is_runtime_code(self.at.pc) || self.at.registers.sp() > exit) {
                return (count, End::Whole);
            }
            let Some(frame) = frames.get_mut(count) else { return (count, End::Cut) };
            *frame = self.at.pc;
            count += 1;
            match self.up() {
                Ok(Some(())) => {}
                Ok(None) => return (count, End::Whole),
                Err(()) => return (count, End::Broken),
            }
        }
    }
}
