//! Tests of unusual cases: events out of order, very long packets, lost events and failing writers.

use std::io::{self, Write};

use ompttrace_perfetto::encode::{
    Annotation, AnnotationKey, CategoryKey, Details, Dictionary, Event, Look, NameKey, Options,
    Packets, Short, Source, SourceKey, StringKey, Texts, TraceClock, Value,
};
use ompttrace_perfetto_protos::{BuiltinClock, Message, Trace};

use crate::reader::read;

fn options() -> Options {
    Options { clock: TraceClock::Boottime, start: 1_000_000, machine: Some(u32::MAX) }
}

fn out() -> Packets<Vec<u8>, Dictionary> {
    Packets::new(Vec::new(), Dictionary::default(), options())
}

#[test]
fn an_event_out_of_order_keeps_its_time() {
    let mut out = out();
    let name = out.texts.add_name("x");
    let category = out.texts.add_category("y");
    let mut sequence = out.sequence(1);
    let times = [999_999, 1_000_000, 1_000_500, 1_000_499, 3, 1_000_500, i64::MAX as u64];
    for at in times {
        sequence.instant(&mut out, at, &Event::plain(name, category));
    }
    let seen: Vec<_> = read(&out.finish().unwrap().0).iter().map(|event| event.at).collect();
    assert_eq!(seen, times);
}

#[test]
fn the_largest_head_fits() {
    let mut out = Packets::new(Vec::new(), Anything, options());
    let mut sequence = out.sequence(u64::MAX);
    let far = 1 << 27;
    let event = Event { track: Some(u64::MAX), ..Event::plain(NameKey(far), CategoryKey(far)) };
    sequence.begin(&mut out, i64::MAX as u64, &event);
    sequence.begin(&mut out, i64::MAX as u64 - 1, &event);
    sequence.begin(&mut out, i64::MAX as u64 - 2, &event);
    let events = read(&out.finish().unwrap().0);
    assert_eq!(events[2].at, i64::MAX as u64 - 2);
    assert_eq!(events[2].track, u64::MAX);
    assert_eq!(events[2].name.as_deref(), Some(Anything.name(NameKey(0))));
}

/// The most and the longest details that are put together without growing the buffer; one more does not fit.
#[test]
fn the_largest_details_fit() {
    for (notes, flows) in [(4, 8), (5, 8), (4, 9)] {
        let mut out = Packets::new(Vec::new(), Anything, options());
        let mut sequence = out.sequence(1);
        let far = 1 << 27;
        let value = Value::Short(Short::of("x".repeat(22)));
        let flows = vec![u64::MAX; flows];
        let details = Details {
            flows: &flows[1..],
            terminating_flows: &flows[..1],
            common: &[],
            annotations: &vec![Annotation { name: AnnotationKey(far), value }; notes],
            list: None,
            source: Some(SourceKey(far)),
            correlation: Some(u64::MAX),
        };
        let event = Event { details, ..Event::plain(NameKey(far), CategoryKey(far)) };
        sequence.begin(&mut out, 2_000_000, &event);
        sequence.end(&mut out, 2_000_001, None);
        let events = read(&out.finish().unwrap().0);
        assert_eq!((events.len(), &events[0].flows[..]), (2, &flows[1..]));
        assert_eq!(
            (&events[0].terminating[..], events[0].correlation),
            (&flows[..1], Some(u64::MAX))
        );
        assert_eq!(events[0].notes, vec![("annotation".into(), "x".repeat(22)); notes]);
        assert_eq!(events[0].source, Some((String::new(), None, None)));
    }
}

#[test]
fn annotations_keep_their_texts_whatever_their_numbers() {
    let mut out = out();
    let name = out.texts.add_name("x");
    let category = out.texts.add_category("y");
    let mut sequence = out.sequence(1);
    let notes: Vec<_> =
        (0..200).map(|n| out.texts.add_annotation(&format!("note {}", 199 - n))).collect();
    for round in 0..2 {
        for number in 0..300u64 {
            let note = notes[199 - number as usize % 200];
            let text = out.texts.add_string(&format!("text {number}"));
            let annotations = [Annotation { name: note, value: Value::Interned(text) }];
            let details = Details { annotations: &annotations, ..Details::default() };
            let event = Event { details, ..Event::plain(name, category) };
            sequence.instant(&mut out, 2_000_000 + round, &event);
        }
    }
    let events = read(&out.finish().unwrap().0);
    assert_eq!(events.len(), 600);
    for (event, number) in events.iter().zip((0..300).chain(0..300)) {
        let expected = (format!("note {}", number % 200), format!("text {number}"));
        assert_eq!(event.notes, [expected]);
    }
}

#[test]
fn common_annotations_are_the_events_own_whatever_others_have() {
    let mut out = out();
    let (name, category) = (out.texts.add_name("x"), out.texts.add_category("y"));
    let notes = ["a", "b"].map(|note| out.texts.add_annotation(note));
    let texts = ["one", "two"].map(|text| out.texts.add_string(text));
    let mut sequence = out.sequence(1);
    let mut expected = Vec::new();
    for round in 0..600u64 {
        let (first, second) = (round as usize % 2, round as usize / 2 % 2);
        let address = [round % 7, u64::MAX - round % 7, (round % 7) << 24][round as usize % 3];
        let text = (round % 5 != 0).then_some((notes[second], texts[first]));
        let address_note = Annotation { name: notes[first], value: Value::Pointer(address) };
        let text_note = text.map(|(name, text)| Annotation { name, value: Value::Interned(text) });
        let common: Vec<_> = [Some(address_note), text_note].into_iter().flatten().collect();
        let place = |of: usize| text.map_or(0, |_| 1 + of as u64);
        let look = Some(Look([address, first as u64, place(second), place(first)]));
        let own = [Annotation { name: notes[0], value: Value::Uint(round) }];
        let annotations = if round % 4 == 0 { &own[..] } else { &[] };
        let details = Details { common: &common, annotations, ..Details::default() };
        let event = Event { look, details, ..Event::plain(name, category) };
        sequence.instant(&mut out, 2_000_000, &event);
        let mut of = vec![(["a", "b"][first].to_owned(), format!("PointerValue({address})"))];
        of.extend(text.map(|_| (["a", "b"][second].to_owned(), ["one", "two"][first].to_owned())));
        of.extend(annotations.iter().map(|_| ("a".to_owned(), format!("UintValue({round})"))));
        expected.push(of);
    }
    let events = read(&out.finish().unwrap().0);
    assert_eq!(events.iter().map(|event| event.notes.clone()).collect::<Vec<_>>(), expected);
}

/// Has a text for every key.
struct Anything;

impl Texts for Anything {
    fn name(&self, _: NameKey) -> &str {
        "name"
    }
    fn category(&self, _: CategoryKey) -> &str {
        "category"
    }
    fn annotation(&self, _: AnnotationKey) -> &str {
        "annotation"
    }
    fn string(&self, _: StringKey) -> &str {
        "string"
    }
    fn source(&self, _: SourceKey) -> &Source {
        static SOURCE: Source =
            Source { file: String::new(), function: None, line: None, is_near: false };
        &SOURCE
    }
}

#[test]
fn long_annotations_and_many_flows() {
    for length in [0, 20, 100, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 16_400] {
        let mut out = out();
        let name = out.texts.add_name(&"n".repeat(length));
        let category = out.texts.add_category("y");
        let note = out.texts.add_annotation("note");
        let mut sequence = out.sequence(1);
        let text = "ö".repeat(length / 2);
        let flows: Vec<u64> = (0..length as u64).collect();
        let annotations = [Annotation { name: note, value: Value::Text(&text) }];
        for flows in [&flows[..], &[]] {
            let details = Details { flows, annotations: &annotations, ..Details::default() };
            let event = Event { details, ..Event::plain(name, category) };
            sequence.begin(&mut out, 2_000_000, &event);
        }
        let events = read(&out.finish().unwrap().0);
        assert_eq!(events[0].flows, flows);
        assert!(events.iter().all(|event| event.notes[0].1 == text));
        assert_eq!(events.len(), 2);
    }
}

#[test]
fn a_loss_is_stated_and_everything_defined_again() {
    let mut out = out();
    let name = out.texts.add_name("x");
    let category = out.texts.add_category("y");
    let mut sequence = out.sequence(1);
    let other = out.texts.add_name("z");
    sequence.begin(&mut out, 1_000_001, &Event::plain(name, category));
    sequence.instant(&mut out, 1_000_002, &Event::plain(other, category));
    sequence.declare_loss();
    sequence.begin(&mut out, 1_000_900, &Event::plain(name, category));
    sequence.instant(&mut out, 1_000_900, &Event::plain(other, category));
    sequence.end(&mut out, 1_000_901, None);
    let bytes = out.finish().unwrap().0;
    let times: Vec<_> = read(&bytes).iter().map(|event| event.at).collect();
    assert_eq!(times, [1_000_001, 1_000_002, 1_000_900, 1_000_900, 1_000_901]);
    let trace = Trace::decode(&bytes[..]).unwrap();
    let dropped: Vec<_> = trace.packet.iter().map(|p| p.previous_packet_dropped()).collect();
    assert_eq!(dropped, [0, 0, 0, 1, 0, 0, 0, 0]);
    assert!(trace.packet.iter().all(|packet| packet.machine_id() == u32::MAX));
}

#[test]
fn clocks_are_stated() {
    let mut out = out();
    out.clocks(&[(BuiltinClock::Boottime, 5), (BuiltinClock::Realtime, 6)]);
    let trace = Trace::decode(&out.finish().unwrap().0[..]).unwrap();
    let text = format!("{:?}", trace.packet[0].data);
    assert!(text.contains("Boottime"), "{text}");
}

/// Takes some bytes, then the disk is full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported() {
    let mut out = Packets::new(Full(1 << 20), Dictionary::default(), Options::default());
    let mut sequence = out.sequence(1);
    assert!(out.check().is_ok());
    for at in 0..200_000 {
        sequence.counter(&mut out, at, None, 1);
    }
    assert!(out.check().is_err());
    let error = out.finish().err().unwrap().to_string();
    assert!(error.contains("could not be written"), "{error}");
}
