//! One sequence of packets: what it defined so far, which its events refer to by number.

use std::collections::HashMap;
use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_perfetto_protos::debug_annotation::{NameField as NoteName, Value};
use ompttrace_perfetto_protos::track_event::{
    CounterValueField, NameField, SourceLocationField, Type,
};
use ompttrace_perfetto_protos::{
    ClockSnapshot, DebugAnnotation, InternedData, SourceLocation, TracePacket, TrackEvent,
    trace_packet::SequenceFlags,
};

use super::super::tracks::Event;

/// Kind of interned text that a number refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Category,
    Name,
    NoteName,
    NoteText,
}

/// A clock's last reading, and whether times are distances from it.
#[derive(Clone, Copy)]
struct Clock {
    last: u64,
    is_incremental: bool,
}

#[derive(Default)]
pub(super) struct Sequence {
    clocks: HashMap<u32, Clock>,
    clock: Option<u32>,
    track: Option<u64>,
    texts: HashMap<(Kind, u64), String>,
    locations: HashMap<u64, String>,
}

impl Sequence {
    /// Takes what comes before a packet's own data. Packets lost before it are shown on the track given.
    pub(super) fn begin(&mut self, packet: &TracePacket) -> Option<u64> {
        if packet.sequence_flags() & SequenceFlags::SeqIncrementalStateCleared as u32 != 0 {
            *self = Sequence::default();
        }
        if let Some(defaults) = &packet.trace_packet_defaults {
            self.clock = defaults.timestamp_clock_id;
            self.track = defaults.track_event_defaults.and_then(|defaults| defaults.track_uuid);
        }
        if let Some(interned) = &packet.interned_data {
            self.learn(interned);
        }
        (packet.previous_packet_dropped() != 0).then(|| self.track.unwrap_or_default())
    }

    fn learn(&mut self, data: &InternedData) {
        let categories =
            data.event_categories.iter().map(|one| (Kind::Category, one.iid(), one.name()));
        let names = data.event_names.iter().map(|one| (Kind::Name, one.iid(), one.name()));
        let notes =
            data.debug_annotation_names.iter().map(|one| (Kind::NoteName, one.iid(), one.name()));
        for (kind, iid, text) in categories.chain(names).chain(notes) {
            self.texts.insert((kind, iid), text.to_owned());
        }
        for one in &data.debug_annotation_string_values {
            let text = String::from_utf8_lossy(one.str()).into_owned();
            self.texts.insert((Kind::NoteText, one.iid()), text);
        }
        for one in &data.source_locations {
            self.locations.insert(one.iid(), location(one));
        }
    }

    pub(super) fn set_clocks(&mut self, snapshot: &ClockSnapshot) {
        for clock in &snapshot.clocks {
            let is_incremental = clock.is_incremental();
            self.clocks.insert(clock.clock_id(), Clock { last: clock.timestamp(), is_incremental });
        }
    }

    pub(super) fn time(&mut self, packet: &TracePacket) -> Result<u64> {
        let clock = packet.timestamp_clock_id.or(self.clock);
        match clock.and_then(|clock| self.clocks.get_mut(&clock)) {
            Some(clock) if clock.is_incremental => {
                clock.last += packet.timestamp();
                Ok(clock.last)
            }
            _ => packet.timestamp.context("an event without a time"),
        }
    }

    /// An event and the number of its track.
    pub(super) fn event(&self, at: u64, event: &TrackEvent) -> Result<(u64, Event)> {
        let track = event.track_uuid.or(self.track).context("an event without a track")?;
        let name = match &event.name_field {
            None => String::new(),
            Some(NameField::Name(name)) => format!(" {name:?}"),
            Some(NameField::NameIid(iid)) => format!(" {:?}", self.text(Kind::Name, *iid)?),
        };
        let name = format!("{}{name}", kind(event)?);
        let outgoing = event.flow_ids.iter().map(|id| (*id, "arrow"));
        let ending = event.terminating_flow_ids.iter().map(|id| (*id, "last arrow"));
        let links = outgoing.chain(ending).collect();
        Ok((track, Event { at, name, rest: self.rest(event)?, links }))
    }

    fn rest(&self, event: &TrackEvent) -> Result<String> {
        let mut rest = String::new();
        for iid in &event.category_iids {
            write!(rest, " [{}]", self.text(Kind::Category, *iid)?)?;
        }
        for category in &event.categories {
            write!(rest, " [{category}]")?;
        }
        match &event.counter_value_field {
            None => {}
            Some(CounterValueField::CounterValue(value)) => write!(rest, " = {value}")?,
            Some(CounterValueField::DoubleCounterValue(value)) => write!(rest, " = {value:?}")?,
        }
        for note in &event.debug_annotations {
            rest.push(' ');
            self.note(&mut rest, note)?;
        }
        match &event.source_location_field {
            None => {}
            Some(SourceLocationField::SourceLocation(one)) => {
                write!(rest, " at {}", location(one))?
            }
            Some(SourceLocationField::SourceLocationIid(iid)) => {
                write!(
                    rest,
                    " at {}",
                    self.locations.get(iid).context("a location never defined")?
                )?;
            }
        }
        if let Some(id) = event.correlation_id {
            write!(rest, " correlation {id}")?;
        }
        Ok(rest)
    }

    fn note(&self, out: &mut String, note: &DebugAnnotation) -> Result<()> {
        match &note.name_field {
            None => {}
            Some(NoteName::Name(name)) => write!(out, "{name}:")?,
            Some(NoteName::NameIid(iid)) => write!(out, "{}:", self.text(Kind::NoteName, *iid)?)?,
        }
        match &note.value {
            None => {}
            Some(Value::StringValue(text)) => write!(out, "{text:?}")?,
            Some(Value::StringValueIid(iid)) => {
                write!(out, "{:?}", self.text(Kind::NoteText, *iid)?)?;
            }
            Some(other) => write!(out, "{other:?}")?,
        }
        for (list, ends) in [(&note.dict_entries, "{}"), (&note.array_values, "[]")] {
            if list.is_empty() {
                continue;
            }
            out.push_str(&ends[..1]);
            for entry in list {
                out.push(' ');
                self.note(out, entry)?;
            }
            out.push_str(&ends[1..]);
        }
        Ok(())
    }

    fn text(&self, kind: Kind, iid: u64) -> Result<&str> {
        let text = self.texts.get(&(kind, iid));
        Ok(text.with_context(|| format!("{kind:?} {iid} was never defined"))?)
    }
}

fn kind(event: &TrackEvent) -> Result<&'static str> {
    ensure!(event.r#type.is_some(), "an event without a type");
    Ok(match event.r#type() {
        Type::SliceBegin => "begin",
        Type::SliceEnd => "end",
        Type::Instant => "instant",
        Type::Counter => "counter",
        Type::Unspecified => bail!("an event of no type"),
    })
}

fn location(location: &SourceLocation) -> String {
    let SourceLocation { iid: _, file_name, function_name, line_number } = location;
    format!("{file_name:?} {function_name:?} {line_number:?}")
}
