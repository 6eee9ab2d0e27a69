//! Description of a libgomp in `recording.json`: the events that it delivers, and what it cannot report.

use ompttrace_in_front::wanted;
use ompttrace_life::Selection;
use ompttrace_recording::events::Error;
use ompttrace_recording::facts::Runtime;

/// A libgomp that a program uses.
#[derive(Clone, Debug)]
pub(crate) struct FoundLibgomp {
    /// Name and version of the library.
    pub(crate) version: String,
    /// Path of the library's file.
    pub(crate) library: String,
    /// An address in the library's code.
    pub(crate) address: u64,
}

/// Version of OpenMP that releases 6 to 16 of libgomp report: OpenMP 4.5, although they implement much of what is
/// newer.
const OMP_VERSION: u32 = 201_511;

/// Notes that a reader of the trace should know of this source.
const NOTES: [&str; 5] = [
    "static loops without an ordered clause, masked and flush are compiled without a call: not reported",
    "a single ends with what its thread does next: the end is not reported",
    "a worker's wait at the end of a region is reported late, and ended with its team",
    "barriers of the program and those that end a single or a static loop are one kind, barrier",
    "dependences are reported as the program lists them, not which task waited for which",
];

/// Describes a libgomp, with the answers for the events of `selection`.
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
