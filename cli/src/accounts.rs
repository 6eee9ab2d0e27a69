//! Passes for what is made of a report's accounts: on two cores, if they may be used.

use crate::jobs::Jobs;
use crate::progress::Progress;
use anyhow::{Result, anyhow};
use ompttrace_model::{Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_report::{Beside, Failure};
use ompttrace_timeline::{Options, WindowOptions, run_in_windows, run_with};
use std::fmt::Display;
use std::num::NonZero;

/// Reads a recording into a sink, one of those that reports have ([`Beside`]); returns its output.
pub fn read<S: Sink<Error: Display + Into<Failure>>>(
    recording: &Recording,
    sink: S,
    jobs: Jobs,
    progress: &mut Progress,
) -> Result<(S::Output, Summary)> {
    let min_resume_ns = S::MIN_RESUME_NS;
    let mut watch = |done, all| progress.show(done, all);
    if jobs.count().get() == 1 {
        let options = Options { min_resume_ns, window: (None, None), watch };
        run_with(recording, sink, options).map_err(|error| anyhow!("{error}"))
    } else {
        let (jobs, window, step_times) = (NonZero::<usize>::MIN, None, None);
        let watch = &mut watch;
        let options = WindowOptions { min_resume_ns, jobs, window, watch, step_times };
        let joined = run_in_windows(recording, Beside::windows(sink), options);
        let joined = joined.map_err(|error| anyhow!("{error}"))?;
        Ok((joined.output, joined.summary))
    }
}
