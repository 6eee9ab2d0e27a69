//! Judges the packet encoder by Perfetto's trace processor, and that judge by traces whose faults
//! are known.

use std::fs;

use anyhow::Result;
use ompttrace_perfetto::encode::{
    Annotation, Details, Dictionary, Event, Options, Packets, Source, TraceClock, Value,
};
use ompttrace_perfetto::tracks;
use ompttrace_perfetto_protos::{
    BuiltinClock, ProcessDescriptor, ThreadDescriptor, TracePacket, TrackEvent,
    trace_packet::{Data, SequenceFlags},
};
use ompttrace_tests::trace_processor::{Fault, TraceProcessor};
use tempfile::TempDir;

const START: u64 = 1_700_000_000_000_000_000;
const PROCESS: u64 = 100;
const GROUP: u64 = 300;
const LOGICAL_THREAD: u64 = 301;
const COUNTER: u64 = 302;

type Out = Packets<Vec<u8>, Dictionary>;

fn begin_trace(clock: TraceClock) -> Out {
    let options = Options { clock, start: START, machine: None };
    let mut out = Packets::new(Vec::new(), Dictionary::default(), options);
    out.clocks(&[
        (BuiltinClock::Monotonic, START),
        (BuiltinClock::Boottime, START),
        (BuiltinClock::Realtime, START + 77),
    ]);
    out.track(tracks::root());
    let process = ProcessDescriptor {
        pid: Some(4000),
        process_name: Some("stencil".into()),
        process_labels: vec!["OpenMP 5.2".into()],
        ..ProcessDescriptor::default()
    };
    out.track(tracks::process(PROCESS, process, String::new()));
    for i in 0..2 {
        let thread = ThreadDescriptor {
            pid: Some(4000),
            tid: Some(4000 + i),
            thread_name: Some(format!("thread {i}")),
        };
        out.track(tracks::thread(200 + i as u64, i as i32, thread));
    }
    out.track(tracks::track(GROUP, PROCESS, 0, "OpenMP"));
    out.track(tracks::track(LOGICAL_THREAD, GROUP, 0, "0.1"));
    out.track(tracks::counter(COUNTER, GROUP, 1, "threads working", "threads"));
    out
}

/// The file of a trace that is judged.
const TRACE: &str = "trace.pftrace";

/// Writes a trace to a file and loads it.
fn judge(out: Out) -> Result<(TempDir, TraceProcessor)> {
    judge_bytes(&out.finish()?.0)
}

fn judge_bytes(bytes: &[u8]) -> Result<(TempDir, TraceProcessor)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join(TRACE);
    fs::write(&file, bytes)?;
    Ok((folder, TraceProcessor::open_unfinished(file)?))
}

fn assert_sound(processor: &mut TraceProcessor) -> Result<()> {
    assert_eq!(processor.stats_errors()?, []);
    let unclosed = processor.query("select count(*) from slice where dur < 0")?.integer()?;
    assert_eq!(unclosed, 0);
    Ok(())
}

#[test]
fn slices_nest_on_threads_and_logical_threads_whatever_the_clock() -> Result<()> {
    for clock in [TraceClock::Monotonic, TraceClock::Boottime] {
        let mut out = begin_trace(clock);
        let category = out.texts.add_category("parallel");
        let (outer, inner) = (out.texts.add_name("outer"), out.texts.add_name("inner"));
        let mut logical_thread = out.sequence(LOGICAL_THREAD);
        let mut thread = out.sequence(200);
        // The later sequence has the earlier event.
        logical_thread.begin(&mut out, START + 500, &Event::plain(outer, category));
        logical_thread.end(&mut out, START + 900, None);
        thread.begin(&mut out, START + 10, &Event::plain(outer, category));
        thread.begin(&mut out, START + 20, &Event::plain(inner, category));
        thread.instant(&mut out, START + 25, &Event::plain(inner, category));
        thread.end(&mut out, START + 30, None);
        thread.end(&mut out, START + 70, None);
        let (_folder, mut processor) = judge(out)?;
        assert_sound(&mut processor)?;
        let slices = processor.query(
            "select s.ts - 1700000000000000000, s.dur, s.depth, s.name, s.category, \
             coalesce(th.name, t.name) from slice s join track t on t.id = s.track_id \
             left join thread_track tt on tt.id = s.track_id left join thread th using (utid) \
             order by s.ts",
        )?;
        assert_eq!(
            slices.lines(),
            [
                "10|60|0|outer|parallel|thread 0",
                "20|10|1|inner|parallel|thread 0",
                "25|0|2|inner|parallel|thread 0",
                "500|400|0|outer|parallel|0.1",
            ]
        );
    }
    Ok(())
}

#[test]
fn details_arrive() -> Result<()> {
    let mut out = begin_trace(TraceClock::Monotonic);
    let texts = &mut out.texts;
    let (name, category) = (texts.add_name("task"), texts.add_category("task"));
    let notes = ["flag", "count", "below", "ratio", "address", "once", "again"];
    let notes = notes.map(|note| texts.add_annotation(note));
    let again = texts.add_string("fib.c:12");
    let location = Source {
        file: "fib.c".into(),
        function: Some("fib".into()),
        line: Some(12),
        is_near: false,
    };
    let source = texts.add_source(&location);
    let values = [
        Value::Bool(true),
        Value::Uint(1 << 62 | 1),
        Value::Int(i64::MIN),
        Value::Double(0.25),
        Value::Pointer(0xffff_0000_0000_0001),
        Value::Text("only here"),
        Value::Interned(again),
    ];
    let annotations: Vec<_> =
        notes.into_iter().zip(values).map(|(name, value)| Annotation { name, value }).collect();
    let late = [Annotation { name: out.texts.add_annotation("late"), value: Value::Uint(3) }];
    let mut thread = out.sequence(200);
    let begin = Details {
        annotations: &annotations,
        source: Some(source),
        correlation: Some(77),
        ..Details::default()
    };
    thread.begin(&mut out, START, &Event { details: begin, ..Event::plain(name, category) });
    let end = Details { annotations: &late, ..Details::default() };
    thread.end_with(&mut out, START + 5, None, (None, &end));
    let (_folder, mut processor) = judge(out)?;
    assert_sound(&mut processor)?;
    let arguments = processor
        .query("select flat_key, display_value from args where flat_key not like '%is_root%' order by flat_key")?
        .lines();
    for expected in [
        "correlation_id|tp:#77",
        "debug.flag|true",
        "debug.count|4611686018427387905",
        "debug.below|-9223372036854775808",
        "debug.ratio|0.25",
        "debug.address|0xffff000000000001",
        "debug.once|only here",
        "debug.again|fib.c:12",
        "debug.late|3",
        "source.file_name|fib.c",
        "source.function_name|fib",
        "source.line_number|12",
    ] {
        assert!(arguments.iter().any(|line| line == expected), "{expected} in {arguments:#?}");
    }
    Ok(())
}

#[test]
fn flows_join_slices_and_counters_count() -> Result<()> {
    let mut out = begin_trace(TraceClock::Monotonic);
    let (fork, work) = (out.texts.add_name("fork"), out.texts.add_name("work"));
    let category = out.texts.add_category("parallel");
    let mut threads = [out.sequence(200), out.sequence(201)];
    let mut counter = out.sequence(COUNTER);
    let flows = [u64::MAX, 1 << 63];
    let begin = Details { flows: &flows, ..Details::default() };
    let event = Event { details: begin, ..Event::plain(fork, category) };
    threads[0].begin(&mut out, START, &event);
    for (i, thread) in threads.iter_mut().enumerate() {
        let details = Details { terminating_flows: &flows[i..=i], ..Details::default() };
        let event = Event { details, ..Event::plain(work, category) };
        thread.begin(&mut out, START + 10 + i as u64, &event);
        counter.counter(&mut out, START + 10 + i as u64, None, i as i64 + 1);
        thread.end(&mut out, START + 50, None);
    }
    counter.counter_f64(&mut out, START + 50, None, 0.0);
    threads[0].end(&mut out, START + 60, None);
    let (_folder, mut processor) = judge(out)?;
    assert_sound(&mut processor)?;
    let flows = processor.query(
        "select a.name, b.name, b.ts - a.ts from flow join slice a on a.id = slice_out \
         join slice b on b.id = slice_in order by 3",
    )?;
    assert_eq!(flows.lines(), ["fork|work|10", "fork|work|11"]);
    let values = processor.query(
        "select c.ts - 1700000000000000000, value, t.name, t.unit from counter c \
         join counter_track t on t.id = track_id order by 1",
    )?;
    let track = "threads working|threads";
    let expected = ["10|1.0|", "11|2.0|", "50|0.0|"].map(|line| format!("{line}{track}"));
    assert_eq!(values.lines(), expected);
    Ok(())
}

#[test]
fn time_out_of_order_is_right_and_a_loss_is_seen() -> Result<()> {
    let mut out = begin_trace(TraceClock::Monotonic);
    let (name, category) = (out.texts.add_name("mark"), out.texts.add_category("c"));
    let mut logical_thread = out.sequence(LOGICAL_THREAD);
    let times = [70, 10, 90, 20, 91].map(|after| START + after);
    for at in times {
        logical_thread.instant(&mut out, at, &Event::plain(name, category));
    }
    logical_thread.instant(&mut out, START - 5, &Event::plain(name, category));
    logical_thread.declare_loss();
    logical_thread.instant(&mut out, START + 95, &Event::plain(name, category));
    let (_folder, mut processor) = judge(out)?;
    let query = "select ts - 1700000000000000000 from slice order by ts";
    assert_eq!(processor.query(query)?.lines(), ["-5", "10", "20", "70", "90", "91", "95"]);
    let faults = processor.stats_errors()?;
    let (name, severity) = ("traced_buf_sequence_packet_loss".into(), "data_loss".into());
    assert_eq!(faults, [Fault { name, severity, count: 1 }]);
    Ok(())
}

#[test]
fn faults_are_noticed() -> Result<()> {
    let mut out = begin_trace(TraceClock::Monotonic);
    let (name, category) = (out.texts.add_name("mark"), out.texts.add_category("c"));
    let mut thread = out.sequence(200);
    thread.begin(&mut out, START + 2, &Event::plain(name, category));
    let orphan = TracePacket {
        timestamp: Some(5),
        trusted_packet_sequence_id: Some(999),
        sequence_flags: Some(SequenceFlags::SeqNeedsIncrementalState as u32),
        data: Some(Data::TrackEvent(TrackEvent::default())),
        ..TracePacket::default()
    };
    out.packet(&orphan);
    let (folder, mut processor) = judge(out)?;
    let faults = processor.stats_errors()?;
    assert!(faults.iter().any(|fault| fault.name.contains("incremental_state")), "{faults:?}");
    assert_eq!(processor.query("select dur from slice")?.integer()?, -1);
    let file = folder.path().join(TRACE);
    let refused = TraceProcessor::open(file).expect_err("a slice never ends");
    let refused = refused.to_string();
    assert!(refused.contains("never end"), "{refused}");
    Ok(())
}

#[test]
fn an_end_without_a_beginning_is_ignored_unsaid() -> Result<()> {
    let mut out = begin_trace(TraceClock::Monotonic);
    let mut thread = out.sequence(200);
    thread.end(&mut out, START + 1, None);
    let (_folder, mut processor) = judge(out)?;
    // Hence the timeline has to count its own: this judge would not notice.
    assert_sound(&mut processor)
}

#[test]
fn corrupt_traces_are_noticed() -> Result<()> {
    let mut out = begin_trace(TraceClock::Monotonic);
    let mut counter = out.sequence(COUNTER);
    for at in 0..1000 {
        counter.counter(&mut out, START + at, None, 1);
    }
    let mut bytes = out.finish()?.0;
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40].fill(0xff);
    match judge_bytes(&bytes) {
        Err(error) => assert!(format!("{error:#}").contains("trace processor"), "{error:#}"),
        Ok((_folder, mut processor)) => assert_ne!(processor.stats_errors()?, []),
    }
    Ok(())
}

#[test]
fn queries_are_exact_and_wrong_ones_fail() -> Result<()> {
    let (_folder, mut processor) = judge(begin_trace(TraceClock::Monotonic))?;
    let rows =
        processor.query("select 9223372036854775807 a, -9007199254740993 b, 2.0 c, null d")?;
    assert_eq!(rows.columns, ["a", "b", "c", "d"]);
    assert_eq!(rows.lines(), ["9223372036854775807|-9007199254740993|2.0|null"]);
    let error = processor.query("select nonsense from nowhere").unwrap_err();
    assert!(format!("{error:#}").contains("nowhere"), "{error:#}");
    assert_eq!(processor.query("select 1")?.integer()?, 1);
    // More than a pipe holds.
    let long = processor.query("select hex(zeroblob(500000))")?;
    assert_eq!(long.value()?.as_str().map(str::len), Some(1_000_000));
    assert!(TraceProcessor::open("/nonexistent/trace").is_err());
    Ok(())
}
