//! Kept recordings are read as they were when they were made.

use super::*;
use std::fmt::Write;
use std::path::PathBuf;

/// Every record of a run folder, a line each, as the text beside the sample has it.
fn reported(run: &Path) -> String {
    let recording = Recording::open(run).expect("a recording");
    let mut text = String::new();
    for (at, thread) in recording.threads.iter().enumerate() {
        writeln!(text, "thread {} ({})", thread.number, thread.os_thread).expect("text");
        let mut stream = recording.stream(at);
        while let Some(line) = stream.take(|record| {
            format!("  {} {:?} {:?}", record.ticks, record.code.scope(), record.event())
        }) {
            writeln!(text, "{line}").expect("text");
        }
        assert_eq!(stream.undecoded(), 0);
    }
    text
}

/// `v4`: every callback once, closed. `v4-killed`: records in the files and in the pool. `v4-stacks`,
/// `v4-stacks-killed`: call stacks of regions and tasks. `v5`, `v5-killed`: a rank of MPI with phases.
#[test]
fn samples_of_all_versions_are_read() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    for name in ["v4", "v4-killed", "v4-stacks", "v4-stacks-killed", "v5", "v5-killed"] {
        let expected = std::fs::read_to_string(samples.join(format!("{name}.txt")));
        let reported = reported(&samples.join(name));
        assert!(reported.lines().eq(expected.expect("a text").lines()), "{name}: {reported}");
    }
}
