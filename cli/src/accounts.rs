//! Passes for what is made of a report's accounts: on two cores, if they may be used.

use crate::jobs::Jobs;
use crate::progress::Progress;
use anyhow::{Context, Result, anyhow};
use ompttrace_model::{Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_report::Beside;
use ompttrace_timeline::{Options, run_with};
use std::fmt::Display;

/// What a sink makes of a recording. `make` makes the sink, which has to be one of reports ([`Beside`]), in the thread
/// that calls it.
pub fn read<S, F>(
    recording: &Recording,
    make: F,
    jobs: Jobs,
    progress: &mut Progress,
) -> Result<(S::Output, Summary)>
where
    S: Sink<Output: Send, Error: Display + Send> + 'static,
    F: FnOnce() -> S + Send + 'static,
{
    let watch = |done, all| progress.show(done, all);
    let options = Options { min_resume_ns: S::MIN_RESUME_NS, window: (None, None), watch };
    if jobs.count().get() == 1 {
        return run_with(recording, make(), options).map_err(|error| anyhow!("{error}"));
    }
    let outcome = run_with(recording, Beside::new(make), options);
    let (output, summary) = outcome.map_err(|error| anyhow!("{error}"))?;
    Ok((output.context("the thread that makes the accounts is gone")?, summary))
}
