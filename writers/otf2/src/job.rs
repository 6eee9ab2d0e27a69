//! Archives of all ranks of a job.
//!
//! Each rank is read by itself, and several at the same time: its locations have numbers of its own, its events name definitions by
//! numbers of its own, and at the end each definition that ranks have in common is written once. The local definitions
//! of a rank's locations map its numbers to these, as the model of OTF2 intends.

use std::path::Path;
use std::sync::Arc;

use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary, Takes};

use crate::Error;
use crate::archive::Archive;
use crate::archive_state::LocationKind;
use crate::join::{Assembly, begin};
use crate::process::Process;
use crate::session::Session;
use crate::sink::Feed;
use crate::written::{Written, end};

/// The archives of a job, whose ranks are written by one [`Otf2RankSink`] each.
#[derive(Debug)]
pub struct Otf2Job {
    archives: Vec<(LocationKind, Arc<Archive>)>,
    size: u32,
    is_part: bool,
}

impl Otf2Job {
    /// Begins an archive for each view that is wanted, in a folder that must not exist, for a job of so many ranks. `is_part`: true for
    /// one of a part of the job's time.
    ///
    /// # Errors
    /// Errors of libotf2 or of the file system.
    pub fn new(
        threads: Option<&Path>,
        logical_threads: Option<&Path>,
        size: u32,
        is_part: bool,
    ) -> Result<Otf2Job, Error> {
        Ok(Otf2Job { archives: begin(threads, logical_threads)?, size, is_part })
    }

    /// The sink of a rank. The thread that interprets its timeline encodes it, too.
    pub fn rank(&self, rank: u32) -> Otf2RankSink {
        let assembly =
            Assembly { archives: self.archives.clone(), rank: Some(rank), ..Assembly::default() };
        Otf2RankSink(Feed::new(assembly))
    }

    /// Ends the archives, when the sinks of all ranks are finished.
    ///
    /// # Errors
    /// Errors of libotf2 or of the file system; a rank that is another one in MPI_COMM_WORLD than in the job.
    pub fn finish(self, mut ranks: Vec<Process>) -> Result<Written, Error> {
        ranks.sort_by_key(|rank| rank.number);
        ranks.iter_mut().for_each(|rank| rank.is_part = self.is_part);
        let size = ranks.iter().filter_map(|rank| rank.world).map(|world| world.size);
        let size = size.max().unwrap_or(0).max(self.size);
        for rank in &ranks {
            if let Some(world) = rank.world.filter(|world| world.rank != rank.number) {
                return Err(Error::Rank { rank: rank.number, own: world.rank });
            }
        }
        end(self.archives, &ranks, Some(size))
    }
}

/// Writes the timeline of one rank of a job.
#[derive(Debug)]
pub struct Otf2RankSink(Feed);

impl Sink for Otf2RankSink {
    type Output = Process;
    type Error = Error;

    const TAKES: Takes = Session::TAKES;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.0.start(run);
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.0.event(definitions, at, event);
    }

    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<Process, Error> {
        self.0.finish(definitions, summary)?.leave(summary)
    }
}
