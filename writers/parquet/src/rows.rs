//! Rows of the two large tables as they grow, column by column.

use crate::cells::Cell;
use crate::column::{Column, Kind, Longs, Spec, Values};
use crate::constructs::Attribution;
use crate::file::Table;
use ompttrace_report::State;

/// The table of the rollup: sums of time by bin, thread, site and state.
pub(crate) const ROLLUP: Table = Table {
    name: "rollup",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("bin_ns", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::of("site", Kind::Long),
        Spec::optional("region", Kind::Long),
        Spec::of("state", Kind::Text),
        Spec::of("self_ns", Kind::Long),
        Spec::of("n", Kind::Long),
        Spec::of("max_ns", Kind::Long),
        Spec::of("caused_idle_ns", Kind::Long),
        Spec::of("caused_wait_ns", Kind::Long),
        Spec::of("caused_mutex_ns", Kind::Long),
        Spec::optional("blocker_site", Kind::Long),
    ],
    sorted_by: &[],
};

/// The table of intervals: a row for each interval of each thread.
pub(crate) const INTERVALS: Table = Table {
    name: "intervals",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::near("ts_ns"),
        Spec::near("dur_ns"),
        Spec::near("self_ns"),
        Spec::of("state", Kind::Text),
        Spec::of("site", Kind::Long),
        Spec::optional("region", Kind::Long),
        Spec::near("region_id"),
        Spec::near("task_id"),
        Spec::optional("blocker_site", Kind::Long),
        Spec::optional("blocker_thread", Kind::Long),
    ],
    sorted_by: &[2],
};

/// The names of states, by number.
const STATES: &[&str] = &{
    let mut names = [""; State::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = State::ALL[at].name();
        at += 1;
    }
    names
};

/// Rows of the rollup.
#[derive(Debug, Default)]
pub(crate) struct RollupRows {
    bin: Vec<i64>,
    thread: Vec<i32>,
    site: Vec<i64>,
    region: Longs,
    state: Vec<u8>,
    sums: [Vec<i64>; 6],
    blocker: Longs,
}

impl RollupRows {
    pub(crate) fn len(&self) -> usize {
        self.state.len()
    }

    pub(crate) fn push(
        &mut self,
        (bin, thread): (i64, i32),
        attribution: Attribution,
        (state, blocker): (State, Option<i64>),
        cell: &Cell,
    ) {
        self.bin.push(bin);
        self.thread.push(thread);
        self.site.push(attribution.site);
        self.region.push(attribution.region);
        self.state.push(state as u8);
        let Cell { self_ns, count, longest, idle, wait, mutex } = *cell;
        for (column, sum) in self.sums.iter_mut().zip([self_ns, count, longest, idle, wait, mutex])
        {
            column.push(sum);
        }
        self.blocker.push(blocker);
    }

    pub(crate) fn columns(self, run: i64) -> Vec<Column> {
        let rows = self.len();
        let mut columns = vec![
            Column::of(Values::Same(run, rows)),
            Column::of(Values::Long(self.bin)),
            Column::of(Values::Int(self.thread)),
            Column::of(Values::Long(self.site)),
            self.region.column(),
            Column::of(Values::Word(self.state, STATES)),
        ];
        columns.extend(self.sums.map(|sum| Column::of(Values::Long(sum))));
        columns.push(self.blocker.column());
        columns
    }
}

/// One row of the intervals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntervalRow {
    pub at: i64,
    pub duration: i64,
    pub self_ns: i64,
    pub state: State,
    pub attribution: Attribution,
    pub region: u64,
    pub task: u64,
    pub blocker: Option<(i64, u32)>,
}

/// Rows of one thread's intervals.
#[derive(Debug, Default)]
pub(crate) struct IntervalRows {
    at: Vec<i64>,
    duration: Vec<i64>,
    self_ns: Vec<i64>,
    state: Vec<u8>,
    site: Vec<i64>,
    region_site: Longs,
    region: Vec<i64>,
    task: Vec<i64>,
    blocker_site: Longs,
    blocker_thread: Longs,
}

impl IntervalRows {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.at.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, row: &IntervalRow) {
        self.at.push(row.at);
        self.duration.push(row.duration);
        self.self_ns.push(row.self_ns);
        self.state.push(row.state as u8);
        self.site.push(row.attribution.site);
        self.region_site.push(row.attribution.region);
        self.region.push(row.region as i64);
        self.task.push(row.task as i64);
        self.blocker_site.push(row.blocker.map(|(site, _)| site));
        self.blocker_thread.push(row.blocker.map(|(_, thread)| thread.into()));
    }

    pub(crate) fn columns(self, run: i64, thread: u32) -> Vec<Column> {
        let rows = self.len();
        vec![
            Column::of(Values::Same(run, rows)),
            Column::of(Values::Int(vec![thread as i32; rows])),
            Column::of(Values::Long(self.at)),
            Column::of(Values::Long(self.duration)),
            Column::of(Values::Long(self.self_ns)),
            Column::of(Values::Word(self.state, STATES)),
            Column::of(Values::Long(self.site)),
            self.region_site.column(),
            Column::of(Values::Long(self.region)),
            Column::of(Values::Long(self.task)),
            self.blocker_site.column(),
            self.blocker_thread.column(),
        ]
    }
}
