//! Flags of a `call_context`: the frames that are missing of a stack, and the time that it took to find the others.

/// The frames outside are missing: there were more than wanted.
pub const CUT: u64 = 1;
/// The frames outside are missing: they could not be found.
pub const BROKEN: u64 = 2;
/// The outer frames may be those of the enclosing task, which called this one's code directly.
pub const SHARED: u64 = 4;
/// The table of frames is full: the context is not known.
pub const FULL: u64 = 8;
/// The record is about the thread's next region or task, whose id is its source's number and has no counter.
pub const NEXT: u64 = 16;

/// Position of the first bit of the ticks that it took to find the frames and their number.
const TOOK: u32 = 8;
/// Largest number of ticks that is stored: at least as many.
const MOST: u64 = (1 << (32 - TOOK)) - 1;

/// `ticks` as a part of the flags.
pub fn with_took(ticks: u64) -> u64 {
    ticks.min(MOST) << TOOK
}

/// The ticks in flags; 0: not measured.
pub fn took(flags: u64) -> u64 {
    flags >> TOOK
}
