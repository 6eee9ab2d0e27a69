//! Writes the trace of a made-up heat stencil, to look at in the viewer.
//!
//! `cargo run -p ompttrace-perfetto --example fake_run -- trace.pftrace [threads|regions|both [ROUNDS]]`

#[path = "../../../tests/sinks/fake.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod fake;
#[path = "../../../tests/sinks/stencil.rs"]
mod stencil;

use std::env;
use std::fs::File;

use anyhow::{Context, Result, bail};
use ompttrace_perfetto::{PerfettoSink, View};

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().context("where shall the trace go?")?;
    let view = match arguments.next().as_deref() {
        None | Some("both") => View::Both,
        Some("threads") => View::Threads,
        Some("regions") => View::Regions,
        Some(other) => bail!("no view is called {other}"),
    };
    let rounds = arguments.next().map_or(Ok(8), |rounds| rounds.parse())?;
    let sink = PerfettoSink::new(File::create(&path)?, view);
    let mut run = fake::Fake::new(sink, &fake::threads(4));
    stencil::play(&mut run, fake::START, rounds);
    run.finish().1?;
    Ok(())
}
