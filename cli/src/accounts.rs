//! Passes for what is made of a report's accounts: on two cores, if they may be used.

use crate::jobs::Jobs;
use crate::progress::Progress;
use anyhow::{Result, anyhow};
use ompttrace_model::{Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_report::Beside;
use ompttrace_timeline::{Options, WindowOptions, run_in_windows, run_with};
use std::fmt::Display;
use std::num::NonZero;

/// What a sink makes of a recording: one of reports ([`Beside`]).
pub fn read<S: Sink<Error: Display + Send>>(
    recording: &Recording,
    sink: S,
    jobs: Jobs,
    progress: &mut Progress,
) -> Result<(S::Output, Summary)> {
    let (min_resume_ns, watch) = (S::MIN_RESUME_NS, |done, all| progress.show(done, all));
    let outcome = if jobs.count().get() == 1 {
        let options = Options { min_resume_ns, window: (None, None), watch };
        run_with(recording, sink, options)
    } else {
        let (jobs, window, step_times) = (NonZero::<usize>::MIN, None, None);
        let options = WindowOptions { min_resume_ns, jobs, window, watch, step_times };
        let joined = run_in_windows(recording, Beside::new(sink), options);
        joined.map(|joined| (joined.output, joined.summary))
    };
    outcome.map_err(|error| anyhow!("{error}"))
}
