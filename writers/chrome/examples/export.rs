//! Writes the trace of a recorded run, and says how fast.
//!
//! `cargo run --release -p ompttrace-chrome --example export -- RUN trace.json [threads|regions|both]`

use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use ompttrace_chrome::{ChromeSink, View};
use ompttrace_recording::Recording;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [run, path, view @ ..] = &arguments[..] else { bail!("which run, and where to?") };
    let view = match view.first().map(String::as_str) {
        None | Some("both") => View::Both,
        Some("threads") => View::Threads,
        Some("regions") => View::Regions,
        Some(other) => bail!("no view is called {other}"),
    };
    let recording = Recording::open(Path::new(run))?;
    let file = File::create(path).with_context(|| path.clone())?;
    let sink = ChromeSink::new(file, view);
    let begin = Instant::now();
    let (written, summary) =
        ompttrace_timeline::run(&recording, sink).map_err(|error| anyhow!("{error}"))?;
    let seconds = begin.elapsed().as_secs_f64();
    writeln!(
        io::stdout(),
        "{written:#?}\n{} records in {seconds:.3} s: {:.1} M/s, {:.1} bytes a record",
        summary.records,
        summary.records as f64 / seconds / 1e6,
        written.bytes as f64 / summary.records as f64
    )?;
    Ok(())
}
