//! A small reader of traces: resolves clocks, defaults and interned texts.

use std::collections::HashMap;

use ompttrace_perfetto_protos::{
    DebugAnnotation, InternedData, Message, Trace, TracePacket, TrackEvent, debug_annotation,
    trace_packet::Data, track_event,
};

/// An event as a reader of the trace understands it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadEvent {
    pub at: u64,
    pub track: u64,
    pub kind: i32,
    pub name: Option<String>,
    pub category: Option<String>,
    pub flows: Vec<u64>,
    pub terminating: Vec<u64>,
    pub notes: Vec<(String, String)>,
    pub source: Option<(String, Option<String>, Option<u32>)>,
    pub correlation: Option<u64>,
    pub counter: Option<String>,
}

/// State of a reader for one sequence: its clocks, defaults and interned texts.
#[derive(Default)]
struct State {
    valid: bool,
    clocks: HashMap<u32, (u64, bool)>,
    default_clock: Option<u32>,
    default_track: Option<u64>,
    strings: HashMap<(&'static str, u64), String>,
    sources: HashMap<u64, (String, Option<String>, Option<u32>)>,
}

/// All events of a trace, per sequence in the order of the file.
pub fn read(bytes: &[u8]) -> Vec<ReadEvent> {
    let trace = Trace::decode(bytes).expect("a trace is a well-formed message");
    let mut states: HashMap<u32, State> = HashMap::new();
    trace.packet.iter().filter_map(|packet| read_packet(&mut states, packet)).collect()
}

fn read_packet(states: &mut HashMap<u32, State>, packet: &TracePacket) -> Option<ReadEvent> {
    let state = states.entry(packet.trusted_packet_sequence_id.unwrap_or(0)).or_default();
    let flags = packet.sequence_flags.unwrap_or(0);
    if packet.previous_packet_dropped.unwrap_or(0) != 0 {
        state.valid = false;
    }
    if flags & 1 != 0 {
        *state = State { valid: true, ..State::default() };
    }
    if let Some(defaults) = &packet.trace_packet_defaults {
        state.default_clock = defaults.timestamp_clock_id;
        state.default_track = defaults.track_event_defaults.as_ref().and_then(|d| d.track_uuid);
    }
    if let Some(interned) = &packet.interned_data {
        state.learn(interned);
    }
    match packet.data.as_ref()? {
        Data::ClockSnapshot(snapshot) => {
            for clock in &snapshot.clocks {
                let reading = (clock.timestamp(), clock.is_incremental());
                state.clocks.insert(clock.clock_id(), reading);
            }
            None
        }
        Data::TrackEvent(event) => {
            assert!(state.valid, "an event needs state that was never given");
            Some(ReadEvent { at: state.time(packet), ..state.event(event) })
        }
        _ => None,
    }
}

impl State {
    fn time(&mut self, packet: &TracePacket) -> u64 {
        let clock = packet.timestamp_clock_id.or(self.default_clock).expect("a clock");
        match self.clocks.get_mut(&clock) {
            Some((last, true)) => {
                *last += packet.timestamp();
                *last
            }
            _ => packet.timestamp(),
        }
    }

    fn learn(&mut self, data: &InternedData) {
        let mut add = |kind, iid, text: &str| {
            let before = self.strings.insert((kind, iid), text.to_owned());
            assert_eq!(before, None, "{kind} {iid} is defined twice");
        };
        for item in &data.event_names {
            add("name", item.iid(), item.name());
        }
        for item in &data.event_categories {
            add("category", item.iid(), item.name());
        }
        for item in &data.debug_annotation_names {
            add("note", item.iid(), item.name());
        }
        for item in &data.debug_annotation_string_values {
            add("string", item.iid(), std::str::from_utf8(item.str()).expect("UTF-8"));
        }
        for item in &data.source_locations {
            let location = (item.file_name().into(), item.function_name.clone(), item.line_number);
            assert_eq!(self.sources.insert(item.iid(), location), None);
        }
    }

    fn text(&self, kind: &'static str, iid: u64) -> String {
        self.strings.get(&(kind, iid)).unwrap_or_else(|| panic!("{kind} {iid} unknown")).clone()
    }

    fn event(&self, event: &TrackEvent) -> ReadEvent {
        ReadEvent {
            track: event.track_uuid.or(self.default_track).expect("a track"),
            kind: event.r#type.expect("a type"),
            name: event.name_field.as_ref().map(|name| match name {
                track_event::NameField::NameIid(iid) => self.text("name", *iid),
                track_event::NameField::Name(text) => text.clone(),
            }),
            category: event.category_iids.first().map(|iid| self.text("category", *iid)),
            flows: event.flow_ids.clone(),
            terminating: event.terminating_flow_ids.clone(),
            notes: event.debug_annotations.iter().map(|note| self.note(note)).collect(),
            source: event.source_location_field.as_ref().map(|source| match source {
                track_event::SourceLocationField::SourceLocationIid(iid) => {
                    self.sources[iid].clone()
                }
                track_event::SourceLocationField::SourceLocation(_) => panic!("not interned"),
            }),
            correlation: event.correlation_id,
            counter: event.counter_value_field.as_ref().map(|value| format!("{value:?}")),
            ..ReadEvent::default()
        }
    }

    fn note(&self, note: &DebugAnnotation) -> (String, String) {
        let Some(debug_annotation::NameField::NameIid(iid)) = note.name_field else {
            panic!("an annotation's name is interned");
        };
        (self.text("note", iid), self.value(note))
    }

    fn value(&self, note: &DebugAnnotation) -> String {
        match &note.value {
            Some(debug_annotation::Value::StringValueIid(iid)) => self.text("string", *iid),
            Some(debug_annotation::Value::StringValue(text)) => text.clone(),
            Some(other) => format!("{other:?}"),
            None => {
                let values: Vec<_> = note.array_values.iter().map(|one| self.value(one)).collect();
                format!("[{}]", values.join(", "))
            }
        }
    }
}
