//! Calls of MPI, and the sizes of messages.

use super::{Cell, Table, cells, columns};
use crate::model::{MpiCallReport, Report};
use crate::text::{bytes, count, duration, part};

/// Table of calls by function and call site.
pub(crate) fn calls(report: &Report, top: usize) -> Option<Table> {
    let mpi = report.mpi.as_ref()?;
    let all = report.times.all();
    let heads =
        columns(["function", "calls", "time", "of all", "longest", "messages", "sent", "received"]);
    let row = |call: &MpiCallReport| -> Vec<Cell> {
        let name = format!("{} {}", call.function, call.location.short);
        let figures = [
            count(call.calls),
            duration(call.time_ns),
            part(call.time_ns, all),
            duration(call.longest_ns),
            count(call.sent.messages + call.received.messages),
            bytes(call.sent.bytes),
            bytes(call.received.bytes),
        ];
        std::iter::once(name.trim_end().into()).chain(cells(figures)).collect()
    };
    let mut table = Table::of("Calls of MPI", heads, &mpi.calls, top, row)?;
    table.legend = "time: of all threads, from begin to end of the calls, which the constructs around them have as waiting; \
        messages: sent and received, these where they are complete; sent, received: bytes"
        .to_owned();
    let idle = report.blame.idle_uncharged_ns;
    if idle > 0 {
        // Mostly the others wait for the thread that is in MPI: that is no construct's fault.
        let idle = duration(idle);
        table.legend +=
            &format!("; {idle} of others' idleness, while no thread worked, is charged to nobody");
    }
    Some(table)
}

/// Table of messages by size.
pub(crate) fn sizes(report: &Report) -> Option<Table> {
    let mpi = report.mpi.as_ref()?;
    let heads = columns(["messages up to", "sent", "received"]);
    let table = Table::of("Sizes of messages", heads, &mpi.message_sizes, usize::MAX, |size| {
        cells([bytes(size.up_to_bytes), count(size.sent), count(size.received)]).collect()
    });
    table.map(Table::in_order)
}
