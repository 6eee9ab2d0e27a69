//! The `modules` file: the files that were mapped, with addresses and times, so that code addresses can be named
//! later.
//!
//! Changes are written at the start, at a flush, at the end, and when a code address is found in no known module (a
//! library was opened meanwhile) or in one that may have been closed ([`crate::unload`]). That may be inside a
//! callback: nothing here allocates, and the loader's lock is never taken; /proc/self/maps reports all that is needed.

use maps::Mapping;
use ompttrace_recorder::{AppendFile, Locked, OwnFolder};
use ompttrace_recording::folder;
use ompttrace_stacks::Mapped;
use std::sync::Arc;

mod elf;
mod known;
mod lines;
mod maps;

pub(crate) use elf::{half, read, word};
pub(crate) use known::Seen;
use known::{Known, Range};
use lines::Out;

static STATE: Locked<Modules> =
    Locked::new(Modules { file: None, known: Known::new(), is_torn: false });

struct Modules {
    file: Option<AppendFile>,
    known: Known,
    /// True if the file lacks an entry that could not be written.
    is_torn: bool,
}

/// Opens the file in the folder of a run; called once per run folder, outside callbacks.
pub(crate) fn open(run: &Arc<OwnFolder>) {
    let file = AppendFile::new(run, folder::MODULES).ok();
    STATE.with(|modules| {
        modules.file = file;
        modules.known.forget_all();
    });
}

/// Returns the module of a code address, after it was written to the file; `None` if there is none.
pub(crate) fn see(address: u64) -> Option<Seen> {
    // A child that records nothing yet has its parent's list.
    crate::run::with(|_| ())?;
    // Threads that meet new code together wait for the first one's snapshot.
    let see = |modules: &mut Modules| {
        modules.known.see(address).or_else(|| {
            modules.update();
            modules.known.see(address)
        })
    };
    STATE.with(see).flatten()
}

/// Notes that the code that begins at `start` may be unmapped from now on; returns its module.
pub(crate) fn may_leave(start: u64) -> Option<Seen> {
    let now = ompttrace_recorder::ticks();
    STATE.with(|modules| modules.known.may_leave(start, now)).flatten()
}

/// Appends the changes of the executable mappings. A forked child without a recording does not write to its parent's
/// file.
pub(crate) fn snapshot() {
    if crate::run::with(|_| ()).is_some() {
        STATE.with(Modules::update);
    }
}

impl Modules {
    fn update(&mut self) {
        let Modules { file: Some(file), known, is_torn } = self else { return };
        if ompttrace_recorder::hangs() {
            return;
        }
        if *is_torn {
            known.write_all_again();
        }
        let mut out = Out::new(file);
        write_changes(&mut out, known);
        *is_torn = !out.finish();
    }
}

fn write_changes(out: &mut Out<'_>, known: &mut Known) {
    known.compare_with(|see| maps::each_executable(|mapping, header| see(mapping, header)));
    let now = ompttrace_recorder::ticks();
    known.take_departed(|range| {
        if range.has_name {
            out.time(if range.leaves > 0 { range.leaves } else { now });
            out.departure(range.start, range.end);
        }
    });
    if !known.lacks_something() {
        return;
    }
    out.time(now);
    maps::each_executable(|mapping, header| {
        if !known.is_written(mapping) {
            let range = Range::of(mapping, header);
            known.add(range);
            // Code without a file is known too, or each of its sites would bring a snapshot.
            if range.has_name {
                out.mapping(mapping, header);
            }
        }
    });
}

/// The mapping at a code address, for unwinding call stacks; `None` if there is no code.
pub(crate) fn find(address: u64) -> Option<Mapped> {
    let mut found = None;
    maps::each_executable(|mapping, header| {
        let Mapping { start, end, .. } = *mapping;
        if (start..end).contains(&address) {
            let identity = Range::of(mapping, header).identity;
            found = Some(Mapped { start, end, header, identity });
        }
    });
    found
}

/// Locks the state before a fork.
pub(crate) fn park() {
    STATE.park();
}

/// Unlocks the state in the parent after a fork.
pub(crate) fn release() {
    STATE.release();
}

/// Unlocks the state in the child after a fork.
pub(crate) fn release_in_child() {
    STATE.release_in_child();
}
