//! Passes for what is made of a report's accounts: on two cores, if they may be used.

use crate::jobs::Jobs;
use crate::progress::Progress;
use anyhow::{Result, anyhow};
use ompttrace_model::{Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_report::{Beside, Failure};
use ompttrace_timeline::time_windows::Window;
use ompttrace_timeline::{OfJob, Options, WindowOptions, run_in_windows, run_of_job};
use std::fmt::Display;
use std::num::NonZero;

/// Reads a recording into a sink, one of those that reports have ([`Beside`]); returns its output.
pub fn read<S: Sink<Error: Display + Into<Failure>>>(
    recording: &Recording,
    sink: S,
    jobs: Jobs,
    progress: &mut Progress,
) -> Result<(S::Output, Summary)> {
    read_of_job(recording, sink, jobs, progress, None)
}

/// As [`read`]; of a rank of a job, messages and collective operations have their numbers in the job.
pub fn read_of_job<S: Sink<Error: Display + Into<Failure>>>(
    recording: &Recording,
    sink: S,
    jobs: Jobs,
    progress: &mut Progress,
    job: Option<OfJob<'_>>,
) -> Result<(S::Output, Summary)> {
    let min_resume_ns = S::MIN_RESUME_NS;
    let mut watch = |done, all| progress.show(done, all);
    if jobs.count().get() == 1 {
        let options = Options { min_resume_ns, window: (None, None), watch };
        run_of_job(recording, sink, options, job).map_err(|error| anyhow!("{error}"))
    } else {
        let (jobs, window) = (NonZero::<usize>::MIN, None);
        let watch = &mut watch;
        let shown = Window::default();
        let options = WindowOptions { min_resume_ns, jobs, window, shown, watch, job };
        let joined = run_in_windows(recording, Beside::windows(sink), options);
        let joined = joined.map_err(|error| anyhow!("{error}"))?;
        Ok((joined.output, joined.summary))
    }
}
