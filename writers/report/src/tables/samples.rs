//! Samples: constructs with their share inside the runtime, and the lines and functions with most of them.

use super::{Cell, NOTHING, Table, cells, column, columns};
use crate::model::{Report, SampleSums, SampledConstruct, SampledLine, SamplesReport};
use crate::text::{count, duration, part};

const LEGEND: &str = "<OMP-…>: what OpenMP does there; others: the time that they idle, wait at barriers and for tasks, and wait for \
                      mutexes meanwhile, as far as it is charged to this";

pub(crate) fn samples(report: &Report, top: usize) -> [Option<Table>; 3] {
    let Some(samples) = &report.samples else { return [None, None, None] };
    let lines = |title, first, lines: &[SampledLine]| {
        let mut heads = vec![column(first), column("in").wide()];
        heads.extend(columns(["samples", "share", "in runtime", "others idle", "wait", "mutex"]));
        let table = Table::of(title, heads, lines, top, |line| row(samples, line));
        table.map(|table| table.legend(LEGEND))
    };
    [
        constructs(samples, top),
        lines("Lines with most samples", "line", &samples.lines),
        lines("Functions with most samples", "function", &samples.functions),
    ]
}

fn constructs(samples: &SamplesReport, top: usize) -> Option<Table> {
    let heads = columns(["construct", "samples", "share", "in runtime"]);
    let row = |one: &SampledConstruct| {
        let [count, share, in_runtime, ..] = figures(samples, &one.sums);
        [construct(one.construct)].into_iter().chain(cells([count, share, in_runtime])).collect()
    };
    Table::of("Samples", heads, &samples.constructs, top, row)
}

fn construct(construct: Option<usize>) -> Cell {
    construct.map_or("outside of all constructs".into(), Cell::Construct)
}

fn row(samples: &SamplesReport, line: &SampledLine) -> Vec<Cell> {
    let words = [line.doing.unwrap_or(""), &line.function, &line.location.short];
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { "no line known".to_owned() } else { words.join(" ") };
    let figures = cells(figures(samples, &line.sums));
    [name.into(), construct(line.construct)].into_iter().chain(figures).collect()
}

fn figures(samples: &SamplesReport, sums: &SampleSums) -> [String; 6] {
    let time = |time| if time == 0 { NOTHING.to_owned() } else { duration(time) };
    [
        count(sums.samples),
        part(sums.samples, samples.all.samples),
        part(sums.in_runtime, sums.samples),
        time(sums.others_idle_ns),
        time(sums.others_wait_ns),
        time(sums.others_mutex_ns),
    ]
}
