//! Chunks of loops and sections.

use crate::report;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{ChunkEnd, Dispatch};

/// ompt_dispatch_section.
const SECTION: u64 = 2;
/// ompt_dispatch_ws_loop_chunk.
const CHUNK: u64 = 3;

/// Records that a thread has taken `count` iterations of a loop, beginning with `first`.
#[inline(always)]
pub fn chunk(first: u64, count: u64) {
    report::put(Dispatch::NUMBER, Scope::None, Dispatch { kind: CHUNK, first, count });
}

/// Records that a thread has taken a section, by its number from 1.
#[inline(always)]
pub fn section(number: u64) {
    report::put(Dispatch::NUMBER, Scope::None, Dispatch { kind: SECTION, first: 0, count: number });
}

/// Records that the thread has completed its last chunk and requests another; the runtime's time until then is not
/// work.
#[inline(always)]
pub fn over() {
    if report::wants(Dispatch::NUMBER) {
        report::put(ChunkEnd::NUMBER, Scope::None, ChunkEnd {});
    }
}
