//! Tests of canonical texts: choices of a writer do not change them, and every difference in content does.

use ompttrace_perfetto_protos::trace_packet::Data;
use ompttrace_perfetto_protos::track_event::{NameField, Type};
use ompttrace_perfetto_protos::{
    ClockSnapshot, DebugAnnotation, DebugAnnotationName, EventName, InternedData, InternedString,
    Message, Trace, TracePacket, TracePacketDefaults, TrackDescriptor, TrackEvent,
    TrackEventDefaults, clock_snapshot::Clock, debug_annotation,
};

use super::{chrome, first_difference, otf2, perfetto};

/// Values that a writer may choose freely.
#[derive(Clone, Copy)]
struct Choice {
    uuid: u64,
    first_iid: u64,
    flow: u64,
    second_track_first: bool,
}

const ONE: Choice = Choice { uuid: 10, first_iid: 1, flow: 5, second_track_first: false };
const OTHER: Choice = Choice { uuid: 70, first_iid: 40, flow: 9, second_track_first: true };

/// An event of the trace: track, time, name, a note, and whether an arrow passes there.
type TestEvent<'t> = (u64, u64, &'t str, &'t str, bool);

/// An arrow leads from the first track to the second one's first event.
const EVENTS: [TestEvent; 4] = [
    (0, 100, "create task", "heat.c:1", true),
    (0, 250, "barrier", "heat.c:2", false),
    (1, 150, "task", "heat.c:1", true),
    (1, 180, "task", "heat.c:3", false),
];

/// A trace with a sequence for each of two tracks.
fn trace(events: &[TestEvent], choice: Choice) -> Vec<u8> {
    let mut sequences: Vec<Vec<TracePacket>> = (0..2)
        .map(|track| {
            let mut events: Vec<_> = events.iter().filter(|event| event.0 == track).collect();
            events.sort_by_key(|event| event.1);
            let descriptor = TrackDescriptor {
                uuid: Some(choice.uuid + track),
                name: Some(format!("thread {track}")),
                ..TrackDescriptor::default()
            };
            let described = Some(Data::TrackDescriptor(descriptor));
            let mut packets = vec![
                TracePacket { data: described, ..TracePacket::default() },
                preamble(track, choice),
            ];
            let mut before = 0;
            for (number, event) in events.into_iter().enumerate() {
                packets.push(packet(event, event.1 - before, number as u64, choice));
                before = event.1;
            }
            packets
        })
        .collect();
    if choice.second_track_first {
        sequences.reverse();
    }
    Trace { packet: sequences.concat() }.encode_to_vec()
}

fn preamble(track: u64, choice: Choice) -> TracePacket {
    let clock = Clock {
        clock_id: Some(64),
        timestamp: Some(0),
        is_incremental: Some(true),
        ..Clock::default()
    };
    let snapshot = ClockSnapshot { clocks: vec![clock], ..ClockSnapshot::default() };
    TracePacket {
        trusted_packet_sequence_id: Some(1 + track as u32),
        sequence_flags: Some(1),
        trace_packet_defaults: Some(TracePacketDefaults {
            timestamp_clock_id: Some(64),
            track_event_defaults: Some(TrackEventDefaults {
                track_uuid: Some(choice.uuid + track),
            }),
            ..TracePacketDefaults::default()
        }),
        data: Some(Data::ClockSnapshot(snapshot)),
        ..TracePacket::default()
    }
}

/// Each event defines its texts, under numbers of its own.
fn packet(event: &TestEvent, distance: u64, number: u64, choice: Choice) -> TracePacket {
    let (track, _, name, note, has_arrow) = *event;
    let iid = Some(choice.first_iid + number);
    let named = |text: &str| Some(text.to_owned());
    let interned = InternedData {
        event_names: vec![EventName { iid, name: named(name) }],
        debug_annotation_names: vec![DebugAnnotationName { iid, name: named("location") }],
        debug_annotation_string_values: vec![InternedString { iid, str: Some(note.into()) }],
        ..InternedData::default()
    };
    let annotation = DebugAnnotation {
        name_field: iid.map(debug_annotation::NameField::NameIid),
        value: iid.map(debug_annotation::Value::StringValueIid),
        ..DebugAnnotation::default()
    };
    let event = TrackEvent {
        r#type: Some(Type::SliceBegin.into()),
        name_field: iid.map(NameField::NameIid),
        debug_annotations: vec![annotation],
        flow_ids: has_arrow.then_some(choice.flow).into_iter().collect(),
        ..TrackEvent::default()
    };
    TracePacket {
        trusted_packet_sequence_id: Some(1 + track as u32),
        timestamp: Some(distance),
        interned_data: Some(interned),
        data: Some(Data::TrackEvent(event)),
        ..TracePacket::default()
    }
}

fn perfetto_differs(events: &[TestEvent]) -> Option<String> {
    let texts = [trace(&EVENTS, ONE), trace(events, OTHER)];
    first_difference(&texts.map(|bytes| perfetto::lines(&bytes).expect("a sound trace")))
}

#[test]
fn numbers_and_the_order_of_packets_between_tracks_are_the_writers() {
    assert_eq!(perfetto_differs(&EVENTS), None);
}

#[test]
fn every_change_of_an_event_is_a_difference() {
    let changed = |at: usize, event: TestEvent<'static>| {
        let mut events = EVENTS;
        events[at] = event;
        perfetto_differs(&events).expect("a difference")
    };
    assert!(changed(1, (0, 250, "taskwait", "heat.c:2", false)).contains("taskwait"), "a name");
    assert!(changed(1, (0, 251, "barrier", "heat.c:2", false)).contains("+   251"), "a time");
    assert!(changed(1, (0, 250, "barrier", "heat.c:4", false)).contains("heat.c:4"), "a note");
    assert!(changed(3, (0, 180, "task", "heat.c:3", false)).contains("180"), "another track");
    let missing = perfetto_differs(&EVENTS[..3]).expect("a difference");
    assert!(missing.contains("nothing more"), "an event that is missing: {missing}");
}

#[test]
fn an_arrow_that_leads_elsewhere_is_a_difference() {
    let mut events = EVENTS;
    (events[2].4, events[3].4) = (false, true);
    let said = perfetto_differs(&events).expect("a difference");
    assert!(said.contains("arrow to 180 begin \"task\" on /thread 1"), "{said}");
}

#[test]
fn chromes_flows_are_known_by_where_they_lead() {
    let text = |flow: u64, ts: &str, tid: u64| {
        let trace = format!(
            r#"[{{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{{"name":"a"}}}},
            {{"ph":"s","pid":1,"tid":2,"ts":1.000,"name":"task","id":{flow}}},
            {{"ph":"f","pid":1,"tid":{tid},"ts":{ts},"name":"task","id":{flow}}}]"#
        );
        chrome::lines(trace.as_bytes()).expect("sound JSON")
    };
    assert_eq!(first_difference(&[text(4, "1.500", 3), text(7, "1.500", 3)]), None);
    assert!(first_difference(&[text(4, "1.500", 3), text(4, "1.501", 3)]).is_some());
    assert!(first_difference(&[text(4, "1.500", 3), text(4, "1.500", 5)]).is_some());
}

/// A listing of two regions that otf2-print gives one name, under these numbers.
fn listing(first: u64, second: u64, line: u64, entered: u64) -> Vec<String> {
    let region = |id: u64, string: u64, line: u64| {
        format!(
            "REGION   {id}  Name: \"!$omp for\" <{string}> (Aka. \"for\" <2>), Role: LOOP, Begin: {line}\n"
        )
    };
    let mut regions = [region(first, 9, 10), region(second, 9 + first, line)];
    if second < first {
        regions.reverse();
    }
    let listing = format!(
        "Trace identifier  {first}\n=== Global Definitions ===\nSTRING  9  \"!$omp for\"\n\
         LOCATION   4  Name: \"initial\" <5>, Type: CPU_THREAD\n{}=== Events ===\n\
         ENTER   4   1000  Region: \"!$omp for\" <{entered}>\n",
        regions.concat()
    );
    otf2::text(&listing).expect("a listing")
}

#[test]
fn otf2s_references_are_known_by_what_they_are_to() {
    let kept = listing(1, 2, 20, 1);
    assert_eq!(first_difference(&[kept.clone(), listing(8, 7, 20, 8)]), None, "other numbers");
    assert!(first_difference(&[kept.clone(), listing(8, 7, 20, 7)]).is_some(), "another region");
    assert!(first_difference(&[kept, listing(1, 2, 21, 1)]).is_some(), "another line");
}
