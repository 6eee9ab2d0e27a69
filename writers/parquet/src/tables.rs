//! The small tables, which are written at the end: what a run is, its threads, its sites, its regions.

mod device_activity;
mod mpi;
mod operations;
mod phases;
mod regions;
mod runs;
mod sites;
mod threads;

use crate::Error;
use crate::column::{Column, Kind};
use crate::constructs::Constructs;
use crate::file::{Table, TableFile};
use crate::rows::{INTERVALS, ROLLUP};
use crate::sink::SCHEMA;
use crate::sites::SiteId;
pub(crate) use device_activity::DeviceActivity;
pub(crate) use mpi::MpiTables;
use ompttrace_model::{Definitions, SourceRef, Summary};
use ompttrace_recording::PinnedFolder;
use ompttrace_report::Report;
use ompttrace_report::journal::Account;
pub(crate) use phases::Phases;
pub(crate) use runs::RunDescription;
use std::collections::BTreeMap;

/// A column, for checking its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// The table's name.
    pub table: &'static str,
    /// Name of the column.
    pub name: &'static str,
    /// `int32`, `int64` or `string`.
    pub kind: &'static str,
    /// True if rows may have no value in the column.
    pub is_optional: bool,
}

/// Every column of every table.
pub fn all_columns() -> Vec<TableColumn> {
    let small = [runs::TABLE, threads::TABLE, sites::TABLE, regions::TABLE];
    let tables = small.into_iter().chain([ROLLUP, INTERVALS]);
    let tables = tables.chain(mpi::TABLES).chain([device_activity::TABLE, phases::TABLE]);
    let of = |table: Table| {
        table.columns.iter().map(move |column| TableColumn {
            table: table.name,
            name: column.name,
            kind: match column.kind {
                Kind::Int => "int32",
                Kind::Long => "int64",
                Kind::Text => "string",
            },
            is_optional: column.is_optional,
        })
    };
    tables.flat_map(of).collect()
}

/// Idleness and waiting of other threads that the report charges each site with, in nanoseconds.
pub(crate) type Charged = BTreeMap<SiteId, (i64, i64)>;

/// Sums up the idleness and waiting that the report charges each construct with, by site.
pub(crate) fn charged(report: &Report, constructs: &mut Constructs) -> Charged {
    let mut charged = Charged::new();
    for (number, construct) in (0..).zip(&report.constructs) {
        let sums =
            charged.entry(constructs.attribution(Account::Construct(number)).site).or_default();
        sums.0 += construct.blame.idle_ns as i64;
        sums.1 += construct.blame.wait_ns as i64;
    }
    charged
}

/// Writes the small tables into a folder.
pub(crate) fn write(
    folder: &PinnedFolder,
    about: &RunDescription,
    report: &Report,
    (summary, constructs): (&Summary, &Constructs),
) -> Result<(), Error> {
    let run = about.run;
    put(folder, &runs::TABLE, runs::columns(about, report, summary))?;
    put(folder, &threads::TABLE, threads::columns(about, report))?;
    put(folder, &sites::TABLE, sites::columns(run, report, constructs))?;
    put(folder, &regions::TABLE, regions::columns(run, report, constructs))
}

fn put(folder: &PinnedFolder, table: &Table, columns: Vec<Column>) -> Result<(), Error> {
    let mut file = TableFile::create(folder, table, SCHEMA, 0)?;
    file.put(columns)?;
    file.finish()
}

/// A count as a column has it.
fn long(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A small count as a column has it.
fn int(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

/// Where something stands: `stencil.c:47`, or the module and the offset in it.
fn location(definitions: &Definitions, source: SourceRef) -> Option<String> {
    let location = definitions.source_locations().get(source.checked_sub(1)? as usize)?;
    location.program_line().or_else(|| location.module.clone())
}
