//! Phases that the program marks: a record for each begin and end.

use crate::blocks::block::Block;
use crate::blocks::phases::Owner;
use crate::blocks::room::{Room, room};
use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::events::slow::{inside_event, put_phase_name, slow};
use crate::tables::phase_names;
use ompttrace_recording::events::{EventCode, Phase, Scope};
use ompttrace_recording::phases::{LONGEST_NAME, kind, number};

const BEGIN: EventCode = EventCode::new(Phase::NUMBER, Scope::Begin);
const END: EventCode = EventCode::new(Phase::NUMBER, Scope::End);
const OPEN: EventCode = EventCode::new(Phase::NUMBER, Scope::BeginEnd);

/// Records that a phase of this name begins on the calling thread. Of a longer name than [`LONGEST_NAME`] only the begin is used.
/// A phase ends with one of the same kind and domain.
#[inline]
pub fn begin_phase(kind: u64, domain: u64, name: &[u8]) {
    let name = name.get(..LONGEST_NAME).unwrap_or(name);
    let what = number(name);
    if !phase_names::is_recorded(what) {
        record_name(what, name);
    }
    change(BEGIN, |block| block.private.phases.begin(Owner::new(kind, domain), what));
}

/// Records that the innermost phase of this kind and domain on the calling thread ends, if there is one; of the program's own phases
/// the iteration in it ends as well.
#[inline]
pub fn end_phase(kind: u64, domain: u64) {
    if kind == kind::PHASE {
        end_iteration();
    }
    end(tls::block().private.phases.innermost(Owner::new(kind, domain)));
}

/// Records that an iteration begins on the calling thread, and ends the one before.
#[inline]
pub fn begin_iteration(number: u64) {
    end_iteration();
    change(BEGIN, |block| block.private.phases.begin(Owner::new(kind::ITERATION, 0), number));
}

#[inline]
fn end_iteration() {
    end(tls::block().private.phases.iteration());
}

/// Ends the phase at a depth. Those of other interfaces that began inside it go on: they are recorded again.
#[inline]
fn end(depth: Option<u64>) {
    let Some(depth) = depth else { return };
    change(END, |block| block.private.phases.end(depth));
    for inside in depth..tls::block().private.phases.depth() {
        change(OPEN, |block| block.private.phases.at(inside));
    }
}

/// Changes the open phases, and records that. A thread that has no block follows none: the blocks of such threads are shared.
#[inline(always)]
fn change(code: EventCode, change: impl Fn(&Block) -> Option<Phase>) {
    let body = |room: Option<Room>| {
        let changed = if tls::has_block() { change(tls::block()) } else { None };
        if let (Some(room), Some(phase)) = (room, changed) {
            room.put(code, phase);
        }
    };
    match room() {
        Some(room) => body(Some(room)),
        None => slow(code, body),
    }
}

#[cold]
#[inline(never)]
fn record_name(number: u64, name: &[u8]) {
    phase_names::keep(number, name);
    // While nothing is recorded names are kept; a thread records those of its open phases when it goes on.
    if matches!(state(), State::Recording | State::Child | State::Arming) {
        inside_event(|ticks| phase_names::record(number, name, |part| put_phase_name(ticks, part)));
    }
}
