//! What `recording.json` says of a libgomp: which events it delivers, and what it cannot report.

use ompttrace_in_front::wanted;
use ompttrace_life::Selection;
use ompttrace_recording::events::Error;
use ompttrace_recording::facts::Runtime;

/// A libgomp that a program uses.
#[derive(Clone, Debug)]
pub(crate) struct FoundLibgomp {
    /// Its name and version.
    pub(crate) version: String,
    /// Its file.
    pub(crate) library: String,
    /// An address in its code.
    pub(crate) address: u64,
}

/// What libgomp says it implements, in releases 6 to 16: OpenMP 4.5, with much of what is newer.
const OMP_VERSION: u32 = 201_511;

/// What a reader of the trace should know of this source.
const NOTES: [&str; 5] = [
    "static loops without an ordered clause, masked and flush are compiled without a call: not reported",
    "a single ends with what its thread does next: the end is not reported",
    "a worker's wait at the end of a region is reported late, and ended with its team",
    "barriers of the program and those that end a single or a static loop are one kind, barrier",
    "dependences are reported as the program lists them, not which task waited for which",
];

/// Describes a libgomp of which these events are wanted.
pub(crate) fn runtime(found: &FoundLibgomp, selection: &Selection) -> Runtime {
    Runtime {
        interface: "gomp".to_owned(),
        version: found.version.clone(),
        omp_version: OMP_VERSION,
        library: found.library.clone(),
        callbacks: wanted::answers(selection, |event| {
            wanted::DELIVERED.contains(&event) || event == Error::NUMBER
        }),
        notes: NOTES.map(str::to_owned).to_vec(),
        ..Runtime::default()
    }
}
