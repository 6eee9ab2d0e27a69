//! Names of the files in a run folder.

/// What a run folder's name ends with.
pub const SUFFIX: &str = ".ompttrace";
/// The facts of the run, as JSON.
pub const FACTS: &str = "recording.json";
/// Executable mappings of the process, as text (see `ompttrace-symbols`).
pub const MODULES: &str = "modules";
/// Records that devices made, as text, where there are any.
pub const DEVICES: &str = "devices";
/// Activities of accelerators, as their drivers report them ([`crate::device_records`]).
pub const DEVICE_RECORDS: &str = "device_records";
/// The pool, where it is kept in the run folder.
pub const POOL: &str = "pool";
/// What the names of event files begin with; a number follows.
pub const EVENTS: &str = "events.";
/// All events, packed after the run.
pub const PACKED: &str = "events.packed";
/// The time index of a large recording: what a pass over it leaves, so that later ones need not read all of it.
pub const INDEX: &str = "timeline.index";
/// Files that the threads' fragments are spread over.
pub const STRIPES: usize = 8;
