//! Tests of one event of each kind, and of each detail alone.

use ompttrace_perfetto::encode::{
    Annotation, Details, Dictionary, Entry, Event, List, Options, Packets, Source, Value,
};
use ompttrace_perfetto_protos::track_event::Type;

use crate::reader::{ReadEvent, read};

const TRACK: u64 = 7;

fn out() -> Packets<Vec<u8>, Dictionary> {
    Packets::new(Vec::new(), Dictionary::default(), Options { start: 1000, ..Options::default() })
}

fn seen(at: u64, kind: Type) -> ReadEvent {
    ReadEvent { at, track: TRACK, kind: kind as i32, ..ReadEvent::default() }
}

#[test]
fn events_of_every_kind() {
    let mut out = out();
    let (name, category) = (out.texts.add_name("work"), out.texts.add_category("loop"));
    let mut sequence = out.sequence(TRACK);
    sequence.begin(&mut out, 1000, &Event::plain(name, category));
    sequence.instant(&mut out, 1005, &Event { category: None, ..Event::plain(name, category) });
    sequence.end(&mut out, 1300, None);
    sequence.end(&mut out, 1300, Some(u64::MAX));
    sequence.counter(&mut out, 90_000, None, -3);
    sequence.counter_f64(&mut out, 90_000, Some(8), 0.5);
    let (bytes, totals) = out.finish().unwrap();
    assert_eq!((totals.packets, totals.bytes), (7, bytes.len() as u64));

    let (work, lo) = (Some("work".to_owned()), Some("loop".to_owned()));
    assert_eq!(
        read(&bytes),
        [
            ReadEvent { name: work.clone(), category: lo, ..seen(1000, Type::SliceBegin) },
            ReadEvent { name: work, ..seen(1005, Type::Instant) },
            seen(1300, Type::SliceEnd),
            ReadEvent { track: u64::MAX, ..seen(1300, Type::SliceEnd) },
            ReadEvent { counter: Some("CounterValue(-3)".into()), ..seen(90_000, Type::Counter) },
            ReadEvent {
                track: 8,
                counter: Some("DoubleCounterValue(0.5)".into()),
                ..seen(90_000, Type::Counter)
            },
        ]
    );
}

#[test]
fn every_value_of_an_annotation() {
    let mut out = out();
    let note = out.texts.add_annotation("n");
    let interned = out.texts.add_string("again");
    let values = [
        (Value::Bool(true), "BoolValue(true)"),
        (Value::Uint(u64::MAX), "UintValue(18446744073709551615)"),
        (Value::Int(i64::MIN), "IntValue(-9223372036854775808)"),
        (Value::Double(-1.25), "DoubleValue(-1.25)"),
        (Value::Pointer(0xffff_8000_0000_0000), "PointerValue(18446603336221196288)"),
        (Value::Text("once"), "once"),
        (Value::Interned(interned), "again"),
        (Value::Interned(interned), "again"),
    ];
    let notes: Vec<_> = values.iter().map(|&(value, _)| Annotation { name: note, value }).collect();
    let mut sequence = out.sequence(TRACK);
    let details = Details { annotations: &notes, ..Details::default() };
    sequence.end_with(&mut out, 1000, None, (None, &details));
    let expected: Vec<_> =
        values.iter().map(|&(_, text)| ("n".to_owned(), text.to_owned())).collect();
    assert_eq!(read(&out.finish().unwrap().0)[0].notes, expected);
}

#[test]
fn a_list_is_one_annotation_with_all_its_values() {
    let mut out = out();
    let (name, note) = (out.texts.add_name("x"), out.texts.add_annotation("n"));
    let category = out.texts.add_category("y");
    let long = "long ".repeat(40);
    let entries = [Entry::Text("in a".into()), Entry::Int(-3), Entry::Text(long.clone())];
    let list = Some(List { name: note, entries: &entries });
    let mut sequence = out.sequence(TRACK);
    for (at, list) in [(1000, list), (1001, None), (1002, list)] {
        let details = Details { list, ..Details::default() };
        sequence.instant(&mut out, at, &Event { details, ..Event::plain(name, category) });
    }
    let notes = |values: [&str; 3]| vec![("n".to_owned(), format!("[{}]", values.join(", ")))];
    let expected = notes(["in a", "IntValue(-3)", &long]);
    let seen: Vec<_> = read(&out.finish().unwrap().0).into_iter().map(|seen| seen.notes).collect();
    assert_eq!(seen, [expected.clone(), Vec::new(), expected]);
}

#[test]
fn flows_source_and_correlation() {
    let mut out = out();
    let name = out.texts.add_name("task");
    let category = out.texts.add_category("task");
    let function = Some("fib".into());
    let location = Source { file: "fib.c".into(), function, line: Some(12), is_near: false };
    let source = out.texts.add_source(&location);
    let mut sequence = out.sequence(TRACK);
    let details = Details {
        flows: &[1, u64::MAX],
        terminating_flows: &[3],
        source: Some(source),
        correlation: Some(99),
        ..Details::default()
    };
    for at in [1001, 1002] {
        sequence.begin(&mut out, at, &Event { details, ..Event::plain(name, category) });
    }
    let events = read(&out.finish().unwrap().0);
    for event in &events {
        assert_eq!(event.flows, [1, u64::MAX]);
        assert_eq!(event.terminating, [3]);
        assert_eq!(event.correlation, Some(99));
        assert_eq!(event.source, Some(("fib.c".into(), Some("fib".into()), Some(12))));
    }
    assert_eq!(events.len(), 2);
}
