//! libompttrace_gomp: for LD_PRELOAD with programs on GCC's libgomp. It holds the tool whole, so a
//! process with runtimes of both kinds gets one recording.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub use ompttrace_collector::__gmon_start__;
pub use ompttrace_life::exports::{
    ompt_control, ompt_control_, ompt_initialize, ompt_start_tool, ompt_tool,
};

use ompttrace_libgomp::{DELIVERED, Found, Hooks, Wanted, code_left, install, library_is_over};
use ompttrace_life::{Selection, at_last, caught, finalized, on_code_left};
use ompttrace_recording::facts::Runtime;
use std::sync::Once;

/// What libgomp says it implements, in releases 6 to 16: OpenMP 4.5, with much of what is newer.
const OMP_VERSION: u32 = 201_511;

/// What a reader of the trace should know of this source.
const NOTES: [&str; 5] = [
    "static loops without an ordered clause, masked and flush are compiled without a call: not told",
    "who executes a single ends with what follows: the end is not told",
    "a worker's wait at the end of a region is told late, and ended with its team",
    "barriers of the program and those that end a single or a static loop are one kind, barrier",
    "dependences are told as the program lists them, not which task waited for which",
];

extern "C" fn constructor() {
    let _ = caught(|| install(Hooks { begin }));
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// A program uses a libgomp for the first time.
fn begin(found: &Found) -> Option<Wanted> {
    caught(|| {
        let selection = ompttrace_life::begin(|selection| describe(found, selection))?;
        at_last(once_over);
        remember_no_code_that_left();
        let wanted = selection.events().filter(|(.., wanted)| *wanted);
        let events = wanted.fold(0, |bits, (number, ..)| bits | 1 << number);
        Some(Wanted { events, stack_depth: selection.stack_depth })
    })
    .unwrap_or(None)
}

fn remember_no_code_that_left() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| on_code_left(code_left));
}

/// At the process's end: every libgomp is done if none is inside a region.
fn once_over() {
    // It is asked as often as there are libgomps.
    if library_is_over() > 0 {
        finalized();
    }
}

fn describe(found: &Found, selection: &Selection) -> Runtime {
    let answer = |name: &str, wanted| match (DELIVERED.contains(&name), wanted) {
        (false, _) => "never",
        (true, false) => "not wanted",
        (true, true) => "always",
    };
    let events = selection.events();
    Runtime {
        interface: "gomp".to_owned(),
        version: found.version.clone(),
        omp_version: OMP_VERSION,
        library: found.library.clone(),
        callbacks: events
            .map(|(_, name, w)| (name.to_owned(), answer(name, w).to_owned()))
            .collect(),
        notes: NOTES.map(str::to_owned).to_vec(),
        ..Runtime::default()
    }
}
