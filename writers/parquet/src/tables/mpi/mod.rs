//! Tables of MPI: calls, and the ends of messages and collective operations, by which an engine joins those of all ranks. The
//! files are there where a rank calls MPI, an empty one where it sends no messages, so that an engine finds all that it opens.

mod calls;
mod columns;
mod ends;
mod halves;

use crate::Error;
use crate::bins::Bins;
use crate::column::Column;
use crate::file::{OptionalFile, Table};
use calls::Calls;
use columns::{Columns, Locations};
use ends::{Ends, Messages, Operations};
use ompttrace_model::{Definitions, Event, SliceKind};
use ompttrace_recording::PinnedFolder;

/// The tables, for their descriptions.
pub(super) const TABLES: [Table; 3] = [calls::TABLE, halves::MESSAGES, halves::COLLECTIVES];

/// Rows of a row group.
const ROWS: usize = 1 << 16;

/// The folder of the tables, and what names their texts.
pub(crate) type To<'a> = (&'a PinnedFolder, &'a Definitions);

/// The tables as they grow.
pub(crate) struct MpiTables {
    /// The run's number, and that of each thread by position.
    about: (i64, Vec<u32>),
    bins: Bins,
    end: u64,
    locations: Locations,
    calls: Calls,
    ends: Ends,
    files: [OptionalFile; 3],
}

impl MpiTables {
    /// The tables of a run that ends at `end`, in nanoseconds.
    pub(crate) fn new(run: i64, bins: Bins, numbers: Vec<u32>, end: u64) -> MpiTables {
        MpiTables {
            calls: Calls::new(numbers.len()),
            ends: Ends::new(numbers.len()),
            about: (run, numbers),
            bins,
            end,
            locations: Locations::default(),
            files: TABLES.map(OptionalFile::new),
        }
    }

    /// Takes an event of the timeline.
    #[inline]
    pub(crate) fn event(&mut self, to: To<'_>, at: u64, event: &Event<'_>) -> Result<(), Error> {
        match *event {
            Event::Begin(executor, ref slice) if is_mpi(slice.kind) => {
                let call = self.calls.begins(executor.thread, at, slice);
                self.ends.begins(executor.thread, (!slice.resumed).then_some(call), at, slice);
            }
            Event::End(executor, kind, _) if is_mpi(kind) => {
                self.calls.ends(executor.thread, at);
                self.ends.ends(executor.thread, at);
                return self.put_full(to);
            }
            Event::Mpi(executor, ref event) => {
                self.calls.transfers(executor.thread, event);
                self.ends.event(executor.thread, event);
            }
            _ => {}
        }
        Ok(())
    }

    fn put_full(&mut self, to: To<'_>) -> Result<(), Error> {
        if self.calls.rows.len() >= ROWS {
            self.put_calls(to)?;
        }
        if self.ends.messages.len() >= ROWS {
            self.put_messages(to)?;
        }
        if self.ends.operations.len() >= ROWS { self.put_operations(to) } else { Ok(()) }
    }

    fn put_calls(&mut self, to: To<'_>) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.calls.rows);
        let columns = self.columns(to.1);
        let columns = calls::columns(columns, &rows);
        self.put(to.0, 0, columns)
    }

    fn put_messages(&mut self, to: To<'_>) -> Result<(), Error> {
        let rows: Messages = std::mem::take(&mut self.ends.messages);
        let columns = self.columns(to.1);
        let columns = halves::messages(columns, &rows);
        self.put(to.0, 1, columns)
    }

    fn put_operations(&mut self, to: To<'_>) -> Result<(), Error> {
        let rows: Operations = std::mem::take(&mut self.ends.operations);
        let columns = self.columns(to.1);
        let columns = halves::collectives(columns, &rows);
        self.put(to.0, 2, columns)
    }

    fn columns<'a>(&'a mut self, definitions: &'a Definitions) -> Columns<'a> {
        let MpiTables { about: (run, numbers), bins, locations, .. } = self;
        Columns { run: *run, numbers, bins, definitions, locations }
    }

    /// Adds a row group to the table at this position.
    fn put(
        &mut self,
        folder: &PinnedFolder,
        table: usize,
        columns: Vec<Column>,
    ) -> Result<(), Error> {
        self.files.get_mut(table).map_or(Ok(()), |file| file.put(folder, columns))
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self, to: To<'_>) -> Result<(), Error> {
        self.ends.finish(self.end);
        if !self.calls.rows.is_empty() {
            self.put_calls(to)?;
        }
        if !self.ends.messages.is_empty() {
            self.put_messages(to)?;
        }
        if !self.ends.operations.is_empty() {
            self.put_operations(to)?;
        }
        if self.files.iter().any(OptionalFile::exists) {
            self.files.iter_mut().try_for_each(|file| file.create(to.0).map(drop))?;
        }
        self.files.into_iter().try_for_each(OptionalFile::finish)
    }
}

fn is_mpi(kind: SliceKind) -> bool {
    matches!(kind, SliceKind::Mpi(_))
}
