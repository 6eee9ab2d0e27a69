//! Phases that the program marks, one row for each execution. The file is there where there are any.

use super::long;
use crate::Error;
use crate::bins::Bins;
use crate::column::{Column, Kind, Longs, Spec, Values, texts};
use crate::file::{OptionalFile, Table};
use ompttrace_model::{ArgKey, Definitions, Event, NameRef, PhaseKind, Slice, ThreadRef};
use ompttrace_recording::PinnedFolder;

pub(crate) const TABLE: Table = Table {
    name: "phases",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::of("depth", Kind::Int),
        Spec::near("ts_ns"),
        Spec::near("dur_ns"),
        Spec::of("name", Kind::Text),
        Spec::optional("iteration", Kind::Long),
        Spec::of("kind", Kind::Text),
    ],
    sorted_by: &[],
};

/// Rows of a row group.
const ROWS: usize = 1 << 16;

/// An execution of a phase.
#[derive(Clone, Copy, Debug)]
struct Execution {
    thread: u32,
    depth: usize,
    begin: u64,
    end: u64,
    name: NameRef,
    iteration: Option<u64>,
    kind: PhaseKind,
}

/// The table as it grows.
pub(crate) struct Phases {
    run: i64,
    bins: Bins,
    /// The number of each thread, by position.
    numbers: Vec<u32>,
    /// Open phases of each thread.
    open: Vec<Vec<Execution>>,
    file: OptionalFile,
    rows: Vec<Execution>,
}

impl Phases {
    /// The table of a run, with the numbers of its threads.
    pub(crate) fn new(run: i64, bins: Bins, numbers: Vec<u32>) -> Phases {
        let open = numbers.iter().map(|_| Vec::new()).collect();
        Phases { run, bins, numbers, open, file: OptionalFile::new(TABLE), rows: Vec::new() }
    }

    /// Takes an event of the timeline; the table is in this folder.
    #[inline]
    pub(crate) fn event(
        &mut self,
        to: (&PinnedFolder, &Definitions),
        at: u64,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        match *event {
            Event::PhaseBegin(executor, ref slice) => {
                self.begins(executor.thread, at, slice);
                Ok(())
            }
            Event::PhaseEnd(executor, _) => self.ends(to, executor.thread, at),
            _ => Ok(()),
        }
    }

    fn begins(&mut self, t: ThreadRef, begin: u64, slice: &Slice<'_>) {
        let thread = self.numbers.get(t as usize).copied().unwrap_or(0);
        if let Some(open) = self.open.get_mut(t as usize) {
            open.push(Execution {
                thread,
                depth: open.len(),
                begin,
                end: begin,
                name: slice.name,
                iteration: slice.number(ArgKey::Iteration),
                kind: PhaseKind::of_slice(slice.kind),
            });
        }
    }

    fn ends(
        &mut self,
        to: (&PinnedFolder, &Definitions),
        t: ThreadRef,
        end: u64,
    ) -> Result<(), Error> {
        let over = self.open.get_mut(t as usize).and_then(Vec::pop);
        self.rows.extend(over.map(|over| Execution { end, ..over }));
        if self.rows.len() < ROWS { Ok(()) } else { self.put(to) }
    }

    fn put(&mut self, (folder, definitions): (&PinnedFolder, &Definitions)) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.rows);
        let columns = self.columns(definitions, &rows);
        self.file.put(folder, columns)
    }

    fn columns(&self, definitions: &Definitions, rows: &[Execution]) -> Vec<Column> {
        let text = |name: NameRef| definitions.strings().get(name as usize).map(AsRef::as_ref);
        let ints = |value: fn(&Execution) -> i32| {
            Column::of(Values::Int(rows.iter().map(value).collect()))
        };
        let times = |value: fn(&Bins, &Execution) -> i64| {
            Column::of(Values::Long(rows.iter().map(|row| value(&self.bins, row)).collect()))
        };
        let mut iterations = Longs::default();
        rows.iter().for_each(|row| iterations.push(row.iteration.map(long)));
        vec![
            Column::of(Values::Same(self.run, rows.len())),
            ints(|row| super::int(row.thread)),
            ints(|row| super::int(row.depth)),
            times(|bins, row| bins.time_of_day(row.begin)),
            times(|_, row| long(row.end.saturating_sub(row.begin))),
            texts(rows.iter().map(|row| text(row.name)), false),
            iterations.column(),
            texts(rows.iter().map(|row| Some(row.kind.name())), false),
        ]
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self, to: (&PinnedFolder, &Definitions)) -> Result<(), Error> {
        if !self.rows.is_empty() {
            self.put(to)?;
        }
        self.file.finish()
    }
}
