//! The end of a life: drain at the first sign of exit, close and export in the last handler.
//!
//! The states are drawn in ARCHITECTURE.md, "End of life".

use crate::atexit::at_exit;
use crate::room::MoreDescriptors;
use crate::run::Run;
use crate::{closing, config, cores, counters, devices, export, modules, run, samples};
use ompttrace_recorder::{Locked, caught};
use ompttrace_recording::events::DeviceNative;
use ompttrace_recording::excerpt::excerpt;
use ompttrace_recording::facts::{End, end};
use ompttrace_recording::folder;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Registers the exit handler, once per process image.
pub(crate) fn prepare() {
    static PREPARED: AtomicBool = AtomicBool::new(false);
    if !PREPARED.swap(true, Ordering::Relaxed) {
        at_exit(first_sign);
    }
}

/// True once exit() has begun.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// True if the program is about to end: then its runtimes end with it.
pub(crate) fn has_begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

/// Handler at the begin of exit(): it writes all records that are there, in case something fails later.
unsafe extern "C" fn first_sign(_: *mut libc::c_void) {
    BEGUN.store(true, Ordering::Relaxed);
    ompttrace_recorder::sign_of_life();
    let _ = caught(ompttrace_recorder::end_wall_samples);
    let _ = caught(ompttrace_recorder::flush_at_exit);
    let _ = caught(export::find_exporter);
    // Libraries that wrap functions of the C library have their destructors before our last handler.
    ompttrace_direct::begin();
}

/// Our ELF destructor. A preloaded tool's runs before the runtime's, which still sends its last
/// events and finalize; so only now is the last handler registered: glibc runs handlers that are
/// registered during exit, after all destructors. Nothing is written here: a loaded tool's comes after the
/// runtime's, and threads that are in a region then must not get more time than without us.
extern "C" fn destructor() {
    if config::known().is_some() {
        ompttrace_recorder::sign_of_life();
        at_exit(last);
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = destructor;

/// Does at once what the exit handlers would do, for a source whose runtime ends the process by _exit, at which no
/// handler is called. The runtime must end the process right after this.
pub fn ends_without_handlers() {
    if config::known().is_some() {
        // SAFETY: both take nothing, and are called as exit() calls them.
        unsafe {
            first_sign(std::ptr::null_mut());
            last(std::ptr::null_mut());
        }
    }
}

/// Functions of sources that no runtime finalises: they are called at the very end.
static ASKED: Locked<Vec<fn()>> = Locked::new(Vec::new());

/// Has `ask` called when the process ends, before the recording is closed: a source that sends nothing more calls
/// [`crate::finalized`] in it. A source that may continue does nothing, and an export afterwards finds its later
/// records.
pub fn at_last(ask: fn()) {
    ASKED.with(|asked| asked.push(ask));
}

/// Time at which the last handler was called, on CLOCK_MONOTONIC in nanoseconds: the end of the program, after which
/// all time is the tool's.
static ENDED: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn last(_: *mut libc::c_void) {
    ENDED.store(ompttrace_recorder::nanoseconds_of(libc::CLOCK_MONOTONIC), Ordering::Relaxed);
    ompttrace_recorder::sign_of_life();
    if caught(close).is_none() {
        closing::say("internal error while closing; `ompttrace export` recovers the recording");
    }
}

/// Drains for the last time, writes the facts, exports.
fn close() {
    // All destructors are over, the runtime's too: on their own the others would not have lived this long.
    let _parked = ompttrace_recorder::park_others();
    let _more = MoreDescriptors::allow();
    let asked = ASKED.with(|asked| asked.clone()).unwrap_or_default();
    asked.into_iter().for_each(|ask| ask());
    let Some(path) = run::with(|run| run.folder.path()) else { return };
    let Some(closed) = ompttrace_recorder::unless_it_hangs(write_end) else {
        return say_hanging(&path);
    };
    if let Some(config) = config::known().filter(|_| !may_open_nothing(&path)) {
        export::at_exit(&path, config);
    }
    if !closed {
        // Threads that exit() overtook in a region have gone on meanwhile.
        ompttrace_recorder::flush_at_exit();
    }
}

/// Writes everything to the disk; returns true if the recording is closed.
fn write_end() -> bool {
    modules::snapshot();
    let everyone_is_done = run::with(|run| run.finalized >= run.facts.runtimes.len());
    let closed = everyone_is_done.is_some_and(ompttrace_recorder::close);
    run::with(|run| {
        run.facts.clock.pairs.push(ompttrace_recorder::best_clock_pair());
        run.facts.life.ended = Some(end_by_exit());
        crate::surroundings::complete(&mut run.facts.surroundings);
        run.facts.finalized = everyone_is_done == Some(true);
        let lost = losses();
        let sum: u64 = lost.values().sum();
        // A pool that stays has its losses itself. One that is out of reach stays, and an export takes it.
        let closed = closed && ompttrace_recorder::pool_in_reach();
        run.facts.lost = if closed { lost } else { Default::default() };
        run.facts.files = files(&run.folder.path());
        run.facts.cores = cores::at_end();
        run.facts.counters = counters::facts();
        run.facts.samples = samples::facts();
        run.facts.drains = ompttrace_recorder::drains(&run.facts.clock.pairs);
        // Where facts cannot be written the pool stays, for one that is gone would be one that is missing. Where they are
        // written it is not, whenever the process is killed.
        run.facts.emptied = closed && sum == 0;
        run.facts.gapless_threads =
            if run.facts.emptied { ompttrace_recorder::gapless_threads() } else { 0 };
        let writable = run.write_facts().is_ok();
        // As early as possible: a kill from here on would leave it in memory without need.
        if closed && sum == 0 && writable {
            ompttrace_recorder::remove_pool();
        }
        run.facts.closed = closed;
        let written = run.write_facts();
        if closed && (written.is_ok() || ompttrace_recorder::removed_files() > 0) {
            ompttrace_recorder::remove_pool();
        }
        match written {
            Ok(()) => {
                say_removed(run);
                say_misplaced();
            }
            Err(error) => say_unwritten(run, closed.then_some(sum), &error),
        }
    });
    closed
}

/// True if the program has forbidden itself to open files (by seccomp; a missing permission for the file has another
/// error): an exporter, which inherits that, could not even start.
fn may_open_nothing(run: &Path) -> bool {
    let opened = std::fs::File::open(run.join(folder::FACTS));
    opened.is_err_and(|error| error.raw_os_error() == Some(libc::EPERM))
}

fn end_by_exit() -> End {
    End { monotonic: ENDED.load(Ordering::Relaxed), by: end::EXIT.to_owned(), number: None }
}

/// Reports a write that does not complete, so that the missing trace is not mistaken for a missing run.
fn say_hanging(run: &Path) {
    let run = excerpt(run);
    closing::say(&format!(
        "{run}: a write has not completed for 10 seconds, and the program ends without it (OMPTTRACE_OVERFLOW); \
         when the disk responds, `ompttrace export` recovers what is left in the buffers"
    ));
}

/// Reports losses that no thread's records contain if the facts, which would have them, cannot be written. The pool,
/// which then stays, has them for readers; `lost` is `None` if the run is not closed.
fn say_unwritten(run: &Run, lost: Option<u64>, error: &std::io::Error) {
    let facts = excerpt(run.path.join(folder::FACTS));
    let left = match lost {
        Some(lost) => format!("it lacks {lost} lost records that no event file counts"),
        None => "losses are counted in the buffers, which are kept".to_owned(),
    };
    let path = excerpt(&run.path);
    let then = match may_open_nothing(&run.path) {
        true => format!("; the program cannot open files: run `ompttrace export {path}`"),
        false => String::new(),
    };
    closing::say(&format!("{facts} cannot be updated: {error}; {left}{then}"));
}

/// Reports files that were removed from the run folder meanwhile, so that the remaining ones are not mistaken for
/// everything.
fn say_removed(run: &Run) {
    let removed = ompttrace_recorder::removed_files();
    if removed > 0 {
        let folder = excerpt(&run.path);
        closing::say(&format!(
            "{folder}: {removed} event files were removed while the program ran; the trace lacks their events"
        ));
    }
}

/// Reports writes that may have gone into the program's own files, because it closed or replaced descriptors that it
/// does not know.
fn say_misplaced() {
    match ompttrace_recorder::misplaced_writes() {
        0 => {}
        writes => closing::say(&format!(
            "the program replaced this tool's file descriptors during {writes} writes: they may have gone into other files, \
             and were repeated in the recording"
        )),
    }
}

/// Number of bytes that were written to each file of the recording, by the file's name.
fn files(path: &Path) -> BTreeMap<String, u64> {
    let written = ompttrace_recorder::written_bytes().into_iter();
    let of_events = written.map(|(number, bytes)| (format!("{}{number}", folder::EVENTS), bytes));
    let others = [folder::MODULES, folder::DEVICE_RECORDS];
    let others = others.into_iter().filter_map(|name| {
        let length = path.join(name).symlink_metadata().ok()?.len();
        Some((name.to_owned(), length))
    });
    of_events.chain(others).collect()
}

/// Number of lost records that no thread's stream reports, by the name of the event.
fn losses() -> BTreeMap<String, u64> {
    let mut losses = BTreeMap::new();
    for (code, count) in ompttrace_recorder::lost_outside_threads() {
        *losses.entry(code.name_with_end().into_owned()).or_default() += count;
    }
    if devices::lost() > 0 {
        losses.insert(DeviceNative::NAME.to_owned(), devices::lost());
    }
    losses
}
