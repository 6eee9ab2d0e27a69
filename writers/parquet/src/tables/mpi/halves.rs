//! Ends of messages and parts of collective operations as rows: an engine joins those of all ranks by their numbers.
//!
//! Times are CLOCK_MONOTONIC of the rank's machine, because the time of day is read anew for each process.

use super::super::long;
use super::columns::{Columns, optional_longs, optional_signed, ranks};
use super::ends::{Call, End, Side};
use crate::column::{Column, Kind, Spec, Values, longs, optional_ints, texts};
use crate::file::Table;
use ompttrace_model::{Collective, Message};

pub(super) const MESSAGES: Table = Table {
    name: "mpi_messages",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::of("side", Kind::Text),
        Spec::optional("message", Kind::Long),
        Spec::optional("communicator", Kind::Text),
        Spec::optional("peer", Kind::Int),
        Spec::optional("tag", Kind::Int),
        Spec::of("bytes", Kind::Long),
        Spec::of("function", Kind::Text),
        Spec::optional("location", Kind::Text),
        Spec::near("begin_clock_ns"),
        Spec::optional("call", Kind::Long),
        Spec::optional("event", Kind::Int),
        Spec::optional("done_function", Kind::Text),
        Spec::optional("done_location", Kind::Text),
        Spec::optional("done_begin_clock_ns", Kind::Long),
        Spec::optional("done_end_clock_ns", Kind::Long),
    ],
    sorted_by: &[],
};

pub(super) const COLLECTIVES: Table = Table {
    name: "mpi_collectives",
    columns: &[
        Spec::of("run", Kind::Long),
        Spec::of("thread", Kind::Int),
        Spec::optional("operation", Kind::Long),
        Spec::optional("communicator", Kind::Text),
        Spec::of("shape", Kind::Text),
        Spec::optional("root", Kind::Int),
        Spec::of("is_root", Kind::Int),
        Spec::of("sent_bytes", Kind::Long),
        Spec::of("received_bytes", Kind::Long),
        Spec::of("function", Kind::Text),
        Spec::optional("location", Kind::Text),
        Spec::near("begin_clock_ns"),
        Spec::optional("call", Kind::Long),
        Spec::optional("event", Kind::Int),
        Spec::optional("done_function", Kind::Text),
        Spec::optional("done_location", Kind::Text),
        Spec::optional("done_begin_clock_ns", Kind::Long),
        Spec::optional("done_end_clock_ns", Kind::Long),
    ],
    sorted_by: &[],
};

pub(super) fn messages(mut of: Columns<'_>, rows: &[End<(Side, Message)>]) -> Vec<Column> {
    let all = || rows.iter().map(|row| row.what.1);
    let side = |side: Side| match side {
        Side::Send => "send",
        Side::Receive => "receive",
    };
    let mut columns = vec![
        of.run(rows.len()),
        of.threads(rows.iter().map(|row| row.thread)),
        texts(rows.iter().map(|row| Some(side(row.what.0))), false),
        numbers(all().map(|message| message.id)),
        of.communicators(all().map(|message| message.communicator)),
        ranks(all().map(|message| message.peer)),
        ranks(all().map(|message| message.tag)),
        longs(all().map(|message| long(message.bytes))),
    ];
    columns.extend(places(&mut of, rows));
    columns
}

pub(super) fn collectives(mut of: Columns<'_>, rows: &[End<Collective>]) -> Vec<Column> {
    let all = || rows.iter().map(|row| row.what);
    let communicators = of.definitions.communicators();
    let is_root = |one: Collective| {
        let communicator = communicators.get(one.communicator as usize);
        i32::from(
            communicator.and_then(|communicator| communicator.is_root(one.root)) == Some(true),
        )
    };
    let mut columns = vec![
        of.run(rows.len()),
        of.threads(rows.iter().map(|row| row.thread)),
        numbers(all().map(|one| one.id)),
        of.communicators(all().map(|one| one.communicator)),
        texts(all().map(|one| Some(one.shape().name())), false),
        ranks(all().map(|one| one.root)),
        Column::of(Values::Int(all().map(is_root).collect())),
        longs(all().map(|one| long(one.sent))),
        longs(all().map(|one| long(one.received))),
    ];
    columns.extend(places(&mut of, rows));
    columns
}

/// The calls in which ends begin and are complete.
fn places<T>(of: &mut Columns<'_>, rows: &[End<T>]) -> [Column; 9] {
    let begun = || rows.iter().map(|row| row.begun);
    let done = || rows.iter().map(|row| row.done.map(|(call, _)| call));
    let longs_of = |value: fn(Call) -> u64| optional_longs(done().map(move |call| call.map(value)));
    [
        of.names(begun().map(|call| Some(call.name)), false),
        of.locations(begun().map(|call| Some(call.source))),
        longs(begun().map(|call| long(call.begin))),
        longs_of(|call| call.number),
        optional_ints(rows.iter().map(|row| Some(super::super::int(row.done?.1)))),
        of.names(done().map(|call| Some(call?.name)), true),
        of.locations(done().map(|call| Some(call?.source))),
        longs_of(|call| call.begin),
        longs_of(|call| call.end),
    ]
}

/// Numbers in the job, with the same bits; 0 is none.
fn numbers(all: impl Iterator<Item = u64>) -> Column {
    optional_signed(all.map(|number| (number != 0).then_some(number as i64)))
}
