//! MPI in `info`, for people and as JSON.

use ompttrace_recording::events::MpiWorld;
use ompttrace_recording::mpi::{ABIS, Clock, LEVELS, function};
use ompttrace_timeline::{Counts, MpiCounts};
use serde_json::{Map, Value, json};

/// Maximum number of functions that are named with their calls; of the others only the number is shown.
const MOST_NAMED: usize = 12;

/// `null` where no call was recorded.
pub fn value(counts: &Counts) -> Value {
    let mpi = &counts.mpi;
    if mpi.calls.is_empty() {
        return Value::Null;
    }
    let calls: Map<String, Value> =
        mpi.calls.iter().map(|(number, calls)| (name(*number), json!(calls))).collect();
    json!({
        "abi": mpi.world.map(|world| word(&ABIS, world.abi)),
        "thread_level": mpi.world.map(|world| word(&LEVELS, world.level)),
        "rank": mpi.world.map(|world| world.rank),
        "size": mpi.world.map(|world| world.size),
        "calls": calls,
        "sent": { "messages": mpi.sent, "bytes": mpi.sent_bytes },
        "clocks": mpi.clocks.iter().map(clock_value).collect::<Vec<_>>(),
    })
}

fn clock_value(clock: &Clock) -> Value {
    json!({
        "time_ns": clock.time_ns,
        "offset_ns": clock.offset_ns,
        "error_ns": clock.error_ns,
        "reference": clock.reference,
        "measured_by": clock.measured_by,
        "rounds": clock.rounds,
    })
}

/// Lines of text; none where no call was recorded.
pub fn lines(counts: &Counts) -> Vec<String> {
    let mpi = &counts.mpi;
    if mpi.calls.is_empty() {
        return Vec::new();
    }
    let place = mpi.world.map_or_else(|| "not initialised".to_owned(), |world| place(&world));
    let sent = format!("{} messages sent to one rank, {} bytes", mpi.sent, mpi.sent_bytes);
    let mut lines = vec![
        format!("mpi       {place}"),
        format!("          {} calls: {}", mpi.all_calls(), by_function(mpi)),
        format!("          {sent}"),
    ];
    lines.extend(mpi.clocks.iter().map(|clock| format!("          {}", clock_line(clock))));
    lines
}

fn clock_line(clock: &Clock) -> String {
    let Clock { offset_ns, error_ns, reference, measured_by, rounds, .. } = *clock;
    if clock.is_shared() {
        return format!("clock: that of rank {reference}");
    }
    format!(
        "clock: rank {reference}'s is {offset_ns} ns ahead, error at most {error_ns} ns \
         (least of {rounds} round trips of rank {measured_by})"
    )
}

fn place(world: &MpiWorld) -> String {
    let MpiWorld { rank, size, level, abi, .. } = *world;
    let (abi, level) = (word(&ABIS, abi), word(&LEVELS, level));
    format!("rank {rank} of {size}, binary interface of {abi}, thread level {level}")
}

/// The functions that were called most.
fn by_function(mpi: &MpiCounts) -> String {
    let mut calls: Vec<_> = mpi.calls.iter().collect();
    calls.sort_by_key(|(number, calls)| (std::cmp::Reverse(**calls), **number));
    let named = calls.iter().take(MOST_NAMED);
    let mut words: Vec<_> =
        named.map(|(number, calls)| format!("{} {calls}", name(**number))).collect();
    if calls.len() > MOST_NAMED {
        words.push(format!("{} other functions", calls.len() - MOST_NAMED));
    }
    words.join(", ")
}

fn name(number: u64) -> String {
    function(number).map_or_else(|| format!("function {number}"), |known| known.name.to_owned())
}

fn word(words: &[&'static str], number: u64) -> &'static str {
    usize::try_from(number).ok().and_then(|at| words.get(at)).copied().unwrap_or("unknown")
}
