//! The run: one row.

use super::{int, long};
use crate::bins::Bins;
use crate::column::{Column, Kind, Spec, ints, longs, optional_ints, texts};
use crate::file::Table;
use crate::sink::SCHEMA;
use ompttrace_model::{RunInfo, Summary};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::mpi::Clock;
use ompttrace_report::Report;

pub(crate) const TABLE: Table = Table {
    name: "runs",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("schema", Kind::Int),
        Spec::optional("mpi_rank", Kind::Int),
        Spec::of("host", Kind::Text),
        Spec::of("pid", Kind::Int),
        Spec::optional("started_by", Kind::Text),
        Spec::of("executable", Kind::Text),
        Spec::of("arguments", Kind::Text),
        Spec::of("begin_ns", Kind::Long),
        Spec::of("end_ns", Kind::Long),
        Spec::of("wall_ns", Kind::Long),
        Spec::of("bin_width_ns", Kind::Long),
        Spec::of("clock_offset_ns", Kind::Long),
        Spec::optional("clock_error_ns", Kind::Long),
        Spec::of("cores", Kind::Int),
        Spec::of("threads", Kind::Int),
        Spec::of("events", Kind::Long),
        Spec::of("lost", Kind::Long),
        Spec::of("dropped", Kind::Long),
        Spec::of("ended", Kind::Text),
        Spec::of("caveats", Kind::Text),
        Spec::of("path_ns", Kind::Long),
        Spec::of("path_work_ns", Kind::Long),
        Spec::of("path_switches", Kind::Long),
        Spec::of("span_ns", Kind::Long),
        Spec::of("idle_uncharged_ns", Kind::Long),
        Spec::of("wait_uncharged_ns", Kind::Long),
        Spec::of("mutex_uncharged_ns", Kind::Long),
        Spec::of("without_core_ns", Kind::Long),
        Spec::optional("runtime", Kind::Text),
        Spec::of("recorded_by", Kind::Text),
        Spec::of("written_by", Kind::Text),
        Spec::optional("compared_clock_ns", Kind::Long),
        Spec::optional("compared_offset_ns", Kind::Long),
        Spec::optional("compared_last_clock_ns", Kind::Long),
        Spec::optional("compared_last_offset_ns", Kind::Long),
    ],
    sorted_by: &[],
};

/// Properties of a run that are known at its start.
#[derive(Debug)]
pub(crate) struct RunDescription {
    /// The run's number.
    pub run: i64,
    facts: Facts,
    /// Times at which the run begins and ends, in nanoseconds of the time of day.
    times: (i64, i64),
    bin: u64,
    offset: i64,
    /// Number of each thread in the recording, and the name of its kind.
    pub kinds: Vec<(u32, &'static str)>,
    clocks: Vec<Clock>,
}

impl RunDescription {
    pub(crate) fn of(run: &RunInfo<'_>, bins: &Bins, number: i64) -> RunDescription {
        RunDescription {
            run: number,
            facts: run.facts.clone(),
            times: (bins.time_of_day(run.begin), bins.time_of_day(run.end)),
            bin: bins.width(),
            offset: run.realtime_offset,
            kinds: run.threads.iter().map(|thread| (thread.number, thread.kind.name())).collect(),
            clocks: Vec::new(),
        }
    }

    /// With the comparisons of the rank's clock with that of another one.
    pub(crate) fn compared(self, clocks: Vec<Clock>) -> RunDescription {
        RunDescription { clocks, ..self }
    }

    /// Time at which the run begins, in nanoseconds of the time of day.
    pub(crate) fn begin(&self) -> i64 {
        self.times.0
    }
}

fn one(number: u64) -> Column {
    longs([long(number)].into_iter())
}

fn text(text: &str) -> Column {
    texts([Some(text)].into_iter(), false)
}

fn known(text: &str) -> Column {
    texts([Some(text).filter(|text| !text.is_empty())].into_iter(), true)
}

pub(crate) fn columns(about: &RunDescription, report: &Report, summary: &Summary) -> Vec<Column> {
    let RunDescription { run, facts, times, bin, offset, clocks, .. } = about;
    let (first, last) = (clocks.first(), clocks.last());
    let process = &facts.process;
    let dropped = summary.dropped.iter().fold(0, |sum: u64, (_, count)| sum.saturating_add(*count));
    let path = &report.critical_path;
    let signed = |number: i64| longs([number].into_iter());
    let small = |number: i32| ints([number].into_iter());
    vec![
        signed(*run),
        small(SCHEMA.parse().unwrap_or(0)),
        optional_ints([process.rank.map(int)].into_iter()),
        text(&process.host),
        small(int(process.pid)),
        known(&process.started_by),
        text(&process.executable),
        text(&process.arguments.join(" ")),
        signed(times.0),
        signed(times.1),
        one(report.wall_ns),
        one(*bin),
        signed(*offset),
        optional_longs(clocks.iter().map(|clock| long(clock.error_ns)).max()),
        small(int(process.cores)),
        small(int(report.efficiency.threads)),
        one(summary.events),
        one(summary.lost),
        one(dropped),
        text(&report.life.to),
        text(&report.caveats.join("\n")),
        one(path.length_ns),
        one(path.work_ns),
        one(path.switches),
        one(path.span_ns),
        one(report.blame.idle_uncharged_ns),
        one(report.blame.wait_uncharged_ns),
        one(report.blame.mutex_uncharged_ns),
        one(report.blame.without_core_ns),
        known(&report.program.runtime),
        text(&facts.tool),
        text(concat!("ompttrace ", env!("CARGO_PKG_VERSION"))),
        optional_longs(first.map(|clock| long(clock.time_ns))),
        optional_longs(first.map(|clock| clock.offset_ns)),
        optional_longs(last.map(|clock| long(clock.time_ns))),
        optional_longs(last.map(|clock| clock.offset_ns)),
    ]
}

fn optional_longs(value: Option<i64>) -> Column {
    let mut column = crate::column::Longs::default();
    column.push(value);
    column.column()
}
