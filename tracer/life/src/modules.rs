//! The `modules` file: which files were mapped where and when, so that code addresses can be named later.
//!
//! What has changed is written at the start, at a flush, at the end, and when a code address turns up that lies in
//! no known module (a library was opened meanwhile) or in one that may have been closed ([`crate::unload`]). That may be
//! inside a callback: nothing here allocates, and the loader's lock is never taken; /proc/self/maps reports all that
//! is needed.

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
    /// Whether the file lacks something that was to be written.
    is_torn: bool,
}

/// Says in which folder the file lies; called once per run folder, outside callbacks.
pub(crate) fn open(run: &Arc<OwnFolder>) {
    let file = AppendFile::new(run, folder::MODULES).ok();
    STATE.with(|modules| {
        modules.file = file;
        modules.known.forget_all();
    });
}

/// Returns what is known of the module of this code address, after it was written to the file.
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

/// The code that begins at `start` may be unmapped from now on. Returns what is known of it.
pub(crate) fn may_leave(start: u64) -> Option<Seen> {
    let now = ompttrace_recorder::ticks();
    STATE.with(|modules| modules.known.may_leave(start, now)).flatten()
}

/// Appends what has changed of the executable mappings. A forked child keeps out of its parent's file.
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

/// What is mapped at a code address, for unwinding call stacks; `None` where no code is.
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

/// Before a fork.
pub(crate) fn park() {
    STATE.park();
}

/// After a fork.
pub(crate) fn release() {
    STATE.release();
}

/// The same in the child.
pub(crate) fn release_in_child() {
    STATE.release_in_child();
}
