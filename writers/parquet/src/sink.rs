//! The sink: makes the report's accounts, and passes their journal to the thread that makes rows of it.

use crate::Error;
use crate::bins::Bins;
use crate::file::TableFile;
use crate::rows::{INTERVALS, ROLLUP};
use crate::sites::Hash;
use crate::stage::{Batch, Intervals, Stage};
use crate::tables;
use ompttrace_model::{Definitions, Event, Pool, RunInfo, Sink, Summary, Takes};
use ompttrace_recording::PinnedFolder;
use ompttrace_recording::facts::Facts;
use ompttrace_recording::mpi::Clock;
use ompttrace_report::{Ending, ReportSink};
use ompttrace_workers::Background;

/// The version of the tables: raised where a column changes its meaning or goes.
pub const SCHEMA: &str = "1";
/// Default width of the rollup's bins: one second, in nanoseconds.
pub const SECOND: u64 = 1_000_000_000;

/// Entries that are handed over at a time.
const BATCH: usize = 1 << 12;

/// Batches on their way to the thread that makes rows.
const QUEUE: usize = 16;

/// Options of writing a dataset.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// True to write the table of intervals, with a row for each interval.
    pub intervals: bool,
    /// Width of the rollup's bins, in nanoseconds; long runs get wider bins.
    pub bin: u64,
    /// Number of threads that make rows and encode them, in addition to the calling thread.
    pub helpers: usize,
    /// State of the program, for a recording that the runtime did not end.
    pub ending: Ending,
}

impl Default for Options {
    fn default() -> Options {
        Options { intervals: false, bin: SECOND, helpers: 0, ending: Ending::default() }
    }
}

/// Writes a dataset.
pub struct ParquetSink {
    report: ReportSink,
    options: Options,
    /// Folder of the dataset, and from the start of the run on the rank's folder in it.
    folder: PinnedFolder,
    constructs: usize,
    batch: Batch,
    spent: Pool<Batch>,
    run: Option<Started>,
    error: Option<Error>,
    clocks: Vec<Clock>,
}

/// Data that exists from the start of a run on.
struct Started {
    stage: Background<Stage, Batch, Error>,
    mpi: tables::MpiTables,
    phases: tables::Phases,
    devices: Option<tables::DeviceActivity>,
    about: tables::RunDescription,
}

impl Started {
    /// Passes an event to the tables that have a row for each of some kind.
    #[inline]
    fn event(
        &mut self,
        (folder, definitions): (&PinnedFolder, &Definitions),
        at: u64,
        event: &Event<'_>,
    ) -> Result<(), Error> {
        self.mpi.event((folder, definitions), at, event)?;
        self.phases.event((folder, definitions), at, event)?;
        match &mut self.devices {
            Some(devices) => devices.event((folder, definitions), at, event),
            None => Ok(()),
        }
    }
}

impl ParquetSink {
    /// Begins a dataset in a folder, which is empty.
    pub fn begin(folder: PinnedFolder, options: Options) -> ParquetSink {
        ParquetSink {
            report: ReportSink::new().ending(options.ending),
            options,
            folder,
            constructs: 0,
            batch: Batch::default(),
            spent: Pool::default(),
            run: None,
            error: None,
            clocks: Vec::new(),
        }
    }

    /// With the comparisons of the rank's clock with that of another one, in the order of time.
    #[must_use]
    pub fn compared(self, clocks: Vec<Clock>) -> ParquetSink {
        ParquetSink { clocks, ..self }
    }

    fn begin_tables(&mut self, run: &RunInfo<'_>, bins: Bins) -> Result<(), Error> {
        let rank = run.facts.process.rank.unwrap_or(0);
        self.folder = self.folder.private(format!("rank={rank}"))?;
        let clocks = std::mem::take(&mut self.clocks);
        let about = tables::RunDescription::of(run, &bins, id(run.facts)).compared(clocks);
        // The first of them makes rows, the others encode intervals, of which there are most.
        let encoders = self.options.helpers.saturating_sub(1);
        let rollup = TableFile::create(&self.folder, &ROLLUP, SCHEMA, 0)?;
        let intervals = self.options.intervals.then(|| {
            TableFile::create(&self.folder, &INTERVALS, SCHEMA, encoders).map(Intervals::new)
        });
        let numbers: Vec<_> = run.threads.iter().map(|thread| thread.number).collect();
        let own_bins = Bins::of((run.begin, run.end), run.realtime_offset, self.options.bin);
        let mpi = tables::MpiTables::new(about.run, own_bins, numbers.clone(), run.end);
        let own_bins = Bins::of((run.begin, run.end), run.realtime_offset, self.options.bin);
        let phases = tables::Phases::new(about.run, own_bins, numbers.clone());
        let own_bins = Bins::of((run.begin, run.end), run.realtime_offset, self.options.bin);
        let devices = tables::DeviceActivity::of(about.run, own_bins, run);
        let (intervals, spent) = (intervals.transpose()?, self.spent.clone());
        let stage = Stage::new(about.run, bins, numbers, rollup, intervals, spent);
        let stage = match self.options.helpers {
            0 => Background::here(stage, Stage::take),
            _ => Background::new("parquet", QUEUE, stage, Stage::take),
        };
        self.run = Some(Started { stage, mpi, phases, devices, about });
        Ok(())
    }

    /// Hands the journal so far, with its new constructs, to the thread that makes rows.
    #[cold]
    fn hand_over(&mut self) {
        let Some(run) = &mut self.run else { return };
        if self.report.constructs_met() > self.constructs {
            self.batch.constructs.extend(self.report.constructs_from(self.constructs));
            self.constructs = self.report.constructs_met();
        }
        let empty = std::mem::take(&mut self.batch.entries);
        self.batch.entries = self.report.take_journal(empty);
        let full = std::mem::replace(&mut self.batch, self.spent.take());
        if let Err(error) = run.stage.put(full) {
            self.run = None;
            self.error.get_or_insert(error);
        }
    }
}

/// Number of a run, a hash of host, process and start that two runs hardly ever share.
fn id(facts: &Facts) -> i64 {
    let process = &facts.process;
    let numbers = [process.start, facts.clock.realtime, process.pid_namespace, process.pid.into()];
    let hash = Hash::new().part(process.host.as_bytes());
    numbers.iter().fold(hash, |hash, number| hash.part(&number.to_le_bytes())).value()
}

impl Sink for ParquetSink {
    type Output = ();
    type Error = Error;

    /// Everything counts, as in a report.
    const MIN_RESUME_NS: u64 = ReportSink::MIN_RESUME_NS;
    const TAKES: Takes = ReportSink::TAKES;

    fn start(&mut self, run: &RunInfo<'_>) {
        let bins = Bins::of((run.begin, run.end), run.realtime_offset, self.options.bin);
        let report = std::mem::take(&mut self.report);
        self.report = report.with_journal(bins.edges());
        self.report.start(run);
        self.error = self.begin_tables(run, bins).err();
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.report.event(definitions, at, event);
        if let Some(run) = &mut self.run
            && let Err(error) = run.event((&self.folder, definitions), at, event)
        {
            self.run = None;
            self.error.get_or_insert(error);
        }
        if self.report.journal_length() >= BATCH {
            self.hand_over();
        }
    }

    fn finish(mut self, definitions: &Definitions, summary: &Summary) -> Result<(), Error> {
        self.report.settle_all(definitions);
        self.hand_over();
        if let Some(error) = self.error {
            return Err(error);
        }
        let Some(Started { stage, mpi, phases, devices, about }) = self.run else { return Ok(()) };
        mpi.finish((&self.folder, definitions))?;
        phases.finish((&self.folder, definitions))?;
        devices.map_or(Ok(()), |table| table.finish((&self.folder, definitions)))?;
        let Ok(report) = self.report.finish(definitions, summary);
        let constructs =
            stage.finish()?.finish(|constructs| tables::charged(&report, constructs))?;
        tables::write(&self.folder, &about, &report, (summary, &constructs))
    }
}
