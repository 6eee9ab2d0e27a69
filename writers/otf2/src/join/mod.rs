//! Assembles archives from segments, in time order.
//!
//! One thread maps the numbers of each segment to the archive's. That is little work: it reads definitions, changes of
//! teams, and the tasks and locks that one session leaves to the next, but no events. Other threads encode these
//! (`archive/pipe.rs`).

mod comm;
mod communicators;
mod locks;
mod regions;
mod tables;
mod teams;
mod view;

use std::path::Path;
use std::sync::Arc;

use ompttrace_model::RunInfo;

use crate::Error;
use crate::archive::{Archive, Context, Pipe, rank_locations};
use crate::archive_state::LocationKind;
use crate::batch::BatchPool;
use crate::define::{LocationName, MOST_ARGUMENTS, RunProperties};
use crate::segment::Segment;

pub(crate) use tables::Tables;
use view::View;
pub(crate) use view::{Finished, Location};

/// Begins an archive for each view that is wanted, in a folder that must not exist.
pub(crate) fn begin(
    threads: Option<&Path>,
    logical_threads: Option<&Path>,
) -> Result<Vec<(LocationKind, Arc<Archive>)>, Error> {
    let views = [(LocationKind::Threads, threads), (LocationKind::LogicalThreads, logical_threads)];
    let wanted = views.into_iter().filter_map(|(of, path)| Some((of, path?)));
    wanted.map(|(of, path)| Ok((of, Arc::new(Archive::create(path)?)))).collect()
}

/// The archives of a run in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// The archives, which those of other processes may share.
    pub(crate) archives: Vec<(LocationKind, Arc<Archive>)>,
    /// The rank of the process in archives of a job; `None`: they are of this process alone.
    pub(crate) rank: Option<u32>,
    pub(crate) views: Vec<View>,
    pub(crate) tables: Tables,
    pub(crate) run: RunProperties,
    pub(crate) threads: Vec<LocationName>,
    pub(crate) reports_loss: bool,
    pub(crate) pool: BatchPool,
    /// Threads that encode, of all archives together.
    pub(crate) encoders: usize,
    pub(crate) error: Option<Error>,
}

impl Assembly {
    /// Begins an archive for each view that is wanted, in a folder that must not exist.
    pub(crate) fn new(
        threads: Option<&Path>,
        logical_threads: Option<&Path>,
    ) -> Result<Assembly, Error> {
        Ok(Assembly { archives: begin(threads, logical_threads)?, ..Assembly::default() })
    }

    /// The views that are wanted.
    pub(crate) fn wanted(&self) -> Vec<LocationKind> {
        self.archives.iter().map(|(of, _)| *of).collect()
    }

    /// Opens the views; called before the first segment.
    pub(crate) fn start(&mut self, run: &RunInfo<'_>) {
        self.run = RunProperties::of(run);
        let named = |thread| LocationName {
            name: ompttrace_model::thread_name(run.facts, thread),
            os_thread: Some(thread.os_thread).filter(|_| thread.stream.is_none()),
            device: thread.stream.map(|stream| stream.device.into()),
        };
        self.threads = run.threads.iter().map(named).collect();
        self.open(run);
    }

    fn open(&mut self, run: &RunInfo<'_>) {
        let process = &run.facts.process;
        let [thread_id, process_id] = ["ThreadId", "ProcessId"].map(|name| {
            let name = self.tables.strings.number(name);
            self.tables.attribute(name, otf2_sys::OTF2_TYPE_UINT64 as u8)
        });
        let first_location = self.first_location();
        let count = self.archives.len();
        let share = |left: usize| (self.encoders + left - 1) / count;
        let shares = (1..=count).rev().map(share);
        for ((of, archive), encoders) in self.archives.iter().zip(shares) {
            let strings = &mut self.tables.strings;
            let program = strings.number(&process.executable);
            let arguments = process.arguments.iter().skip(1).take(MOST_ARGUMENTS);
            let arguments = arguments.map(|argument| strings.number(argument)).collect();
            let process = process.pid;
            let context =
                Context { first_location, process, program, arguments, thread_id, process_id };
            let pipe = Pipe::start(archive, context, &self.pool, encoders);
            self.views.push(View::new(*of, pipe));
        }
    }

    /// The number in the archives of the first location.
    pub(crate) fn first_location(&self) -> u64 {
        self.rank.map_or(0, rank_locations)
    }

    /// Takes the next segment.
    pub(crate) fn take(&mut self, segment: Segment) {
        let Segment { new, views, ends, reports_loss, sampled_every } = segment;
        self.reports_loss |= reports_loss;
        self.run.sampled_every = self.run.sampled_every.or(sampled_every);
        self.tables.add(new);
        for (view, segment) in self.views.iter_mut().zip(views) {
            view.take(&self.tables, segment);
        }
        if ends {
            self.tables.begin_session();
            self.views.iter_mut().for_each(View::begin_session);
        }
    }
}
