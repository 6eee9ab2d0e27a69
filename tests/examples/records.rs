//! Prints every record of a run folder, thread by thread: `cargo run -p ompttrace-tests --example
//! records RUN`. For looking into a test that failed.

use anyhow::{Context, Result};
use ompttrace_recording::Recording;

fn main() -> Result<()> {
    let run = std::env::args().nth(1).context("the run folder is missing")?;
    let recording = Recording::open(run.as_ref())?;
    for (at, thread) in recording.threads.iter().enumerate() {
        println!("thread {} ({})", thread.number, thread.os_thread);
        let mut stream = recording.stream(at);
        let print = |record: ompttrace_recording::events::Record<'_>| {
            println!("  {} {:?} {:?}", record.ticks, record.code.scope(), record.event());
        };
        while stream.take(print).is_some() {}
    }
    Ok(())
}
