//! Chunks of loops and sections.

use crate::report;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{ChunkEnd, Dispatch};

/// ompt_dispatch_section.
const SECTION: u64 = 2;
/// ompt_dispatch_ws_loop_chunk.
const CHUNK: u64 = 3;

/// A thread has taken so many iterations of a loop, the first of them `first`.
#[inline(always)]
pub fn chunk(first: u64, count: u64) {
    report::put(Dispatch::NUMBER, Scope::None, Dispatch { kind: CHUNK, first, count });
}

/// A thread has taken a section, by its number from 1.
#[inline(always)]
pub fn section(number: u64) {
    report::put(Dispatch::NUMBER, Scope::None, Dispatch { kind: SECTION, first: 0, count: number });
}

/// The thread is through with what it took last, and asks for more. What the runtime does until it has that is no work.
#[inline(always)]
pub fn over() {
    if report::wants(Dispatch::NUMBER) {
        report::put(ChunkEnd::NUMBER, Scope::None, ChunkEnd {});
    }
}
