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
use crate::archive::{Archive, Context, Pipe};
use crate::archive_state::LocationKind;
use crate::batch::BatchPool;
use crate::define::{LocationName, MOST_ARGUMENTS, RunProperties};
use crate::segment::Segment;

pub(crate) use tables::Tables;
pub(crate) use view::Finished;
use view::View;

/// The archives of a run in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// Archives that are begun, until the run is known.
    begun: Vec<(LocationKind, Archive)>,
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
        let views =
            [(LocationKind::Threads, threads), (LocationKind::LogicalThreads, logical_threads)]
                .into_iter();
        let begun = views
            .filter_map(|(of, path)| Some((of, path?)))
            .map(|(of, path)| Ok((of, Archive::create(path)?)))
            .collect::<Result<_, Error>>()?;
        Ok(Assembly { begun, ..Assembly::default() })
    }

    /// The views that are wanted.
    pub(crate) fn wanted(&self) -> Vec<LocationKind> {
        let begun = self.begun.iter().map(|(of, _)| *of);
        begun.chain(self.views.iter().map(|view| view.of)).collect()
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
        if let Err(error) = self.open(run) {
            self.error.get_or_insert(error);
        }
    }

    fn open(&mut self, run: &RunInfo<'_>) -> Result<(), Error> {
        let process = &run.facts.process;
        let [thread_id, process_id] = ["ThreadId", "ProcessId"].map(|name| {
            let name = self.tables.strings.number(name);
            self.tables.attribute(name, otf2_sys::OTF2_TYPE_UINT64 as u8)
        });
        let begun = std::mem::take(&mut self.begun);
        let share = |left: usize| (self.encoders + left - 1) / begun.len();
        let shares: Vec<_> = (1..=begun.len()).rev().map(share).collect();
        for ((of, archive), encoders) in begun.into_iter().zip(shares) {
            let archive = Arc::new(archive);
            let strings = &mut self.tables.strings;
            let program = strings.number(&process.executable);
            let arguments = process.arguments.iter().skip(1).take(MOST_ARGUMENTS);
            let arguments = arguments.map(|argument| strings.number(argument)).collect();
            let context =
                Context { process: process.pid, program, arguments, thread_id, process_id };
            let pipe = Pipe::start(&archive, context, &self.pool, encoders);
            self.views.push(View::new(of, archive, pipe)?);
        }
        Ok(())
    }

    /// Takes the next segment.
    pub(crate) fn take(&mut self, segment: Segment) {
        let Segment { new, views, ends, reports_loss, sampled_every } = segment;
        self.reports_loss |= reports_loss;
        self.run.sampled_every = self.run.sampled_every.or(sampled_every);
        self.tables.add(new);
        for (view, segment) in self.views.iter_mut().zip(views) {
            if let Err(error) = view.take(&self.tables, segment) {
                self.error.get_or_insert(error);
            }
        }
        if ends {
            self.tables.begin_session();
            self.views.iter_mut().for_each(View::begin_session);
        }
    }
}
