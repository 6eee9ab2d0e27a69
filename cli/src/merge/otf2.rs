//! OTF2 archives of all ranks of a job, each of which is read by itself, several at a time.

use super::process::{self, is_outside};
use super::{Drawn, Merged, messages, open_aligned, progress_of};
use crate::arguments::ExportArguments;
use crate::formats;
use crate::job::Job;
use crate::output_path::OutputPath;
use crate::pass::pass;
use crate::say;
use anyhow::{Context, Result, anyhow, bail};
use ompttrace_otf2::{Otf2Job, Process};
use ompttrace_recording::Recording;
use ompttrace_timeline::{LastArrivals, Matching, OfJob, span_of};
use ompttrace_workers::try_each;
use std::path::PathBuf;

/// Makes the archives, one for each view.
pub fn make(job: &Job, arguments: &ExportArguments) -> Result<Merged> {
    let jobs = arguments.jobs.count();
    let aligned = open_aligned(&job.runs(), jobs, arguments.correct_clocks)?;
    let recordings = &aligned.recordings;
    let each = process::arguments(recordings, arguments);
    if recordings.iter().zip(&each).all(|(closed, own)| is_outside(closed.span, own)) {
        bail!("{}: nothing was recorded between --from and --to", say::shown(&job.path));
    }
    let messages = messages(recordings, jobs)?;
    if let Some((rank, own)) = messages.misnumbered() {
        bail!(
            "{}: the folder of rank {rank} has the recording of rank {own} of MPI_COMM_WORLD: an archive needs the ranks of one job, \
             each in a folder of its number",
            say::shown(&job.path)
        );
    }
    let (_, messages) = messages.finish();
    let mut drafts = Vec::new();
    let archives = formats::otf2::open_job(
        arguments,
        &mut |stem, anchor| {
            let (output, stem) = (arguments.output.as_deref(), arguments.stem(stem));
            let draft = OutputPath::folder(&job.path, output, stem, anchor)?;
            let path = draft.to_make();
            drafts.push(draft);
            Ok(path)
        },
        job.size,
    )?;
    let progress = progress_of(recordings, arguments);
    let each: Vec<_> = recordings.iter().zip(&each).collect();
    let written = try_each("otf2", jobs.get(), each, |(closed, arguments)| {
        let recording = closed.open()?;
        rank_of(&archives, closed.rank, (&recording, arguments), &mut progress.watch())
            .with_context(|| say::shown(&recording.path))
    })?;
    let (ranks, drawn): (Vec<_>, Vec<_>) = written.into_iter().unzip();
    archives.finish(ranks.into_iter().flatten().collect()).map_err(|error| anyhow!("{error}"))?;
    let paths = drafts.into_iter().map(OutputPath::done).collect::<Result<Vec<PathBuf>>>()?;
    Ok(Merged { paths, aligned, drawn, messages })
}

/// Writes the events of a rank; one that was not there in the window has none.
fn rank_of(
    archives: &Otf2Job,
    rank: u32,
    (recording, arguments): (&Recording, &ExportArguments),
    watch: &mut dyn FnMut(u64),
) -> Result<(Option<Process>, Drawn)> {
    if is_outside(span_of(recording), arguments) {
        return Ok((None, Drawn::default()));
    }
    // Archives have no numbers of messages: their readers match them themselves.
    let (matching, last) = (Matching::default(), LastArrivals::default());
    let of_job = OfJob { matching: &matching, last: &last };
    let (process, summary) = pass(recording, arguments, archives.rank(rank), Some(of_job), watch)?;
    Ok((process, Drawn { summary, resolution: 0 }))
}
