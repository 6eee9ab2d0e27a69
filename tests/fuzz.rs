//! The kept corpus of event files is read and told without a panic, with the facts of every version.
//! `cargo run -p ompttrace-tests --example fuzz -- --seconds 60` looks for more.

use std::fs;
use std::io;

use anyhow::{Context, Result, ensure};
use ompttrace_chrome::ChromeSink;
use ompttrace_perfetto::View;
use ompttrace_recording::Recording;
use ompttrace_tests::fuzz::{Bed, corpus};

#[test]
fn the_corpus_is_read_and_told() -> Result<()> {
    let mut inputs = 0;
    for sample in ["v1", "v2"] {
        let bed = Bed::new(sample)?;
        for entry in fs::read_dir(corpus())? {
            let path = entry?.path();
            let found =
                bed.records(&fs::read(&path)?).with_context(|| path.display().to_string())?;
            let recording = Recording::open(bed.path())?;
            let sink = ChromeSink::new(io::sink(), View::Both);
            let (_, told) = ompttrace_timeline::run(&recording, sink)?;
            ensure!(told.records == found as u64, "{}: {found}, {told:?}", path.display());
            inputs += 1;
        }
    }
    ensure!(inputs >= 8, "{inputs} inputs");
    Ok(())
}
