//! Names of the files in a run folder.

/// Ending of the names of run folders.
pub const SUFFIX: &str = ".ompttrace";
/// The facts of the run, as JSON.
pub const FACTS: &str = "recording.json";
/// Executable mappings of the process, as text (see `ompttrace-symbols`).
pub const MODULES: &str = "modules";
/// Functions that the program made while it ran, as it listed them for `perf` (a copy of `/tmp/perf-PID.map`).
pub const PERF_MAP: &str = "perf.map";
/// Names of addresses, in a recording that has been anonymised (see `ompttrace-symbols`).
pub const SYMBOLS: &str = "symbols.json";
/// Records that devices made, as text, where there are any.
pub const DEVICES: &str = "devices";
/// Activities of accelerators, as their drivers report them ([`crate::device_records`]).
pub const DEVICE_RECORDS: &str = "device_records";
/// The pool, where it is kept in the run folder.
pub const POOL: &str = "pool";
/// Begin of the names of event files; a number follows.
pub const EVENTS: &str = "events.";
/// All events, packed after the run.
pub const PACKED: &str = "events.packed";
/// The time index of a large recording: results of a pass over the recording, so that later passes need not read all of it.
pub const INDEX: &str = "timeline.index";
/// Number of event files over which the threads' fragments are spread.
pub const STRIPES: usize = 8;
