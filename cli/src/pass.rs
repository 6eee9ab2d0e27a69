//! One pass over a recording by the calling thread, or over what matters to a window of its time.

use crate::arguments::ExportArguments;
use anyhow::{Result, anyhow};
use ompttrace_model::{Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_timeline::time_windows::{Once, TimeWindows, Window};
use ompttrace_timeline::{OfJob, Options};

/// Makes the pass, of a process of a job or alone; there is no output where nothing is in the window.
pub fn pass<S: Sink<Error: std::fmt::Display>>(
    recording: &Recording,
    arguments: &ExportArguments,
    sink: S,
    job: Option<OfJob<'_>>,
    watch: &mut dyn FnMut(u64),
) -> Result<(Option<S::Output>, Summary)> {
    let ExportArguments { from, to, exact, .. } = *arguments;
    let min_resume_ns = if exact { 0 } else { S::MIN_RESUME_NS };
    let options = Options { min_resume_ns, window: (from, to), watch: |done, _| watch(done) };
    let outcome = if !arguments.is_window() {
        let whole = ompttrace_timeline::run_of_job(recording, sink, options, job);
        whole.map_err(|error| anyhow!("{error}")).map(|(output, summary)| (Some(output), summary))
    } else {
        let sink = TimeWindows::new(Window { from, to }, Once::new(sink));
        let parts = ompttrace_timeline::run_of_job(recording, sink, options, job);
        parts.map_err(|error| anyhow!("{error}")).map(|(mut windows, whole)| {
            let window = windows.pop().map(|window| (window.output, window.summary));
            window.map_or((None, whole), |(output, summary)| (Some(output), summary))
        })
    };
    recording.check()?;
    outcome
}
