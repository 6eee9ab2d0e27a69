//! Measures the encoder: nanoseconds and bytes per event of each kind.
//!
//! `cargo run --release -p ompttrace-perfetto --example encode_speed`

use std::fs;
use std::io::{self, Write};

use ompttrace_perfetto::encode::{
    Annotation, Details, Dictionary, Event, Options, Packets, Sequence, Value,
};

const ROUNDS: u64 = 2_000_000;
const TRIES: u32 = 7;
const TRACK: u64 = 0x9e37_79b9_7f4a_7c15;

type Out = Packets<io::Sink, Dictionary>;

fn main() -> io::Result<()> {
    let mut texts = Dictionary::default();
    let category = texts.add_category("work");
    let names: Vec<_> = (0..32).map(|i| texts.add_name(&format!("loop {i}"))).collect();
    let note = texts.add_annotation("iterations");
    let location = texts.add_annotation("where");
    let string = texts.add_string("stencil.c:42");
    let event = |i: u64| Event::plain(names[i as usize % names.len()], category);

    measure("begin + end", 2, &texts, |out, sequence, i, at| {
        sequence.begin(out, at, &event(i));
        sequence.end(out, at + 700, None);
    })?;
    measure("instant", 1, &texts, |out, sequence, i, at| {
        sequence.instant(out, at, &event(i));
    })?;
    measure("counter", 1, &texts, |out, sequence, i, at| {
        sequence.counter(out, at, None, (i % 64) as i64);
    })?;
    measure("begin + end on another track", 2, &texts, |out, sequence, i, at| {
        sequence.begin(out, at, &Event { track: Some(TRACK ^ 1), ..event(i) });
        sequence.end(out, at + 700, Some(TRACK ^ 1));
    })?;
    measure("begin with 1 flow, 2 annotations", 1, &texts, |out, sequence, i, at| {
        let annotations = [
            Annotation { name: note, value: Value::Uint(i % 4096) },
            Annotation { name: location, value: Value::Interned(string) },
        ];
        let details = Details { flows: &[i], annotations: &annotations, ..Details::default() };
        sequence.begin(out, at, &Event { details, ..event(i) });
    })
}

/// Prints the best of several tries, in CPU time: other work on the machine disturbs less.
fn measure(
    what: &str,
    events: u64,
    texts: &Dictionary,
    mut write: impl FnMut(&mut Out, &mut Sequence, u64, u64),
) -> io::Result<()> {
    let count = (ROUNDS * events) as f64;
    let (mut nanoseconds, mut bytes) = (f64::MAX, 0.0);
    for _ in 0..TRIES {
        let mut out = Packets::new(io::sink(), texts.clone(), Options::default());
        let mut sequence = out.sequence(TRACK);
        let start = cpu_time()?;
        for i in 0..ROUNDS {
            write(&mut out, &mut sequence, i, i * 1900);
        }
        nanoseconds = ((cpu_time()? - start) as f64 / count).min(nanoseconds);
        bytes = out.totals().bytes as f64 / count;
    }
    writeln!(io::stdout(), "{what:34} {nanoseconds:6.1} ns {bytes:6.1} bytes an event")
}

/// CPU time that this thread has used, in nanoseconds.
fn cpu_time() -> io::Result<u64> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = statistics.split_whitespace().next().unwrap_or_default();
    first.parse().map_err(io::Error::other)
}
