//! Measures the sink: events a second and bytes an event, for each view.
//!
//! `cargo run --release -p ompttrace-chrome --example chrome_speed`

#[path = "../../perfetto/tests/sink/fake.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod fake;

use std::fs;
use std::io::{self, Write};

use fake::{Fake, START, threads};
use ompttrace_chrome::{ChromeSink, View, Written};
use ompttrace_model::ompt;
use ompttrace_model::{Arg, ArgKey, ArgValue, Event, Executor, Mark, Slice, SliceKind};
use ompttrace_recording::Id;

const ROUNDS: u64 = 1_000_000;
const TRIES: u32 = 5;

type Out = ChromeSink<io::Sink>;

fn main() -> io::Result<()> {
    for view in [View::Threads, View::Regions, View::Both] {
        measure(view, "plain, without a location", 0, |_, slice| slice)?;
        measure(view, "plain", 44, |_, slice| slice)?;
        measure(view, "chunk with 2 numbers", 44, |args, slice| Slice { args, ..slice })?;
        measure(view, "task with id and flow", 44, |args, slice| Slice {
            kind: SliceKind::Task,
            args: &args[2..],
            flows: &[77],
            task: Id(1 << 33 | 123_456),
            ..slice
        })?;
    }
    Ok(())
}

/// Prints the best of several tries, in CPU time: other work on the machine disturbs less.
fn measure(
    view: View,
    what: &str,
    line: u32,
    make: impl for<'a> Fn(&'a [Arg], Slice<'a>) -> Slice<'a>,
) -> io::Result<()> {
    let (mut best, mut written) = (f64::MAX, Written::default());
    for _ in 0..TRIES {
        let mut fake = Fake::new(ChromeSink::new(io::sink(), view), &threads(4));
        let executors: Vec<Executor> = (0..4).map(|i| fake.on(i, &format!("0.{i}"))).collect();
        let slice = fake.slice(
            SliceKind::Dispatch(ompt::Dispatch::LoopChunk),
            "for dynamic stencil.c:44",
            line,
        );
        let begin = cpu_time()?;
        (0..ROUNDS).for_each(|i| one(&mut fake, &executors, i, slice, &make));
        best = best.min((cpu_time()? - begin) as f64 / (2 * ROUNDS) as f64);
        written = fake.finish().1.map_err(io::Error::other)?;
    }
    let bytes = written.bytes as f64 / (2 * ROUNDS) as f64;
    let (rate, view) = (1000.0 / best, format!("{view:?}"));
    writeln!(
        io::stdout(),
        "{view:8} {what:24} {best:6.1} ns, {bytes:6.1} bytes an event, {rate:5.1} M/s"
    )
}

/// A begin and its end, now on this thread, now on that.
#[inline(always)]
fn one(
    fake: &mut Fake<Out>,
    executors: &[Executor],
    i: u64,
    slice: Slice<'static>,
    make: &impl for<'a> Fn(&'a [Arg], Slice<'a>) -> Slice<'a>,
) {
    let executor = executors[i as usize % executors.len()];
    let args = [
        Arg { key: ArgKey::First, value: ArgValue::Number(i % 4096) },
        Arg { key: ArgKey::Count, value: ArgValue::Number(32) },
        Arg { key: ArgKey::Task, value: ArgValue::Id(Id(1 << 33 | i)) },
    ];
    let args: [Arg; 3] = std::hint::black_box(args);
    fake.emit(START + i * 1900, Event::Begin(executor, make(&args, slice)));
    fake.emit(START + i * 1900 + 700, Event::End(executor, slice.kind, Mark::Observed));
}

/// What this thread has used of a processor, in nanoseconds.
fn cpu_time() -> io::Result<u64> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = statistics.split_whitespace().next().unwrap_or_default();
    first.parse().map_err(io::Error::other)
}
