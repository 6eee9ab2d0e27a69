//! A Perfetto trace as lines of text: interned texts, default tracks and clocks resolved, packets in
//! whatever order and sequences they came.

mod sequence;

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, Result, bail};
use ompttrace_perfetto_protos::trace_packet::Data;
use ompttrace_perfetto_protos::{ClockSnapshot, Message, TracePacket, TrackDescriptor};

use super::tracks::{self, Event, Track};
use sequence::Sequence;

/// The key and wire type of `Trace.packet`.
const PACKET: u8 = 0x0a;
/// First id of the clocks that belong to a single sequence.
const OWN_CLOCKS: u32 = 64;
/// A parent deeper than this is a ring of tracks.
const DEEPEST: usize = 50;

/// Description of a track in a trace.
#[derive(Default)]
struct TrackDescription {
    parent: u64,
    name: String,
    about: BTreeSet<String>,
}

#[derive(Default)]
struct Reader {
    sequences: HashMap<u32, Sequence>,
    descriptions: HashMap<u64, TrackDescription>,
    events: HashMap<u64, Vec<Event>>,
    whole: BTreeSet<String>,
}

/// Canonical text of a whole trace.
pub fn lines(mut bytes: &[u8]) -> Result<Vec<String>> {
    let mut reader = Reader::default();
    while let Some((key, rest)) = bytes.split_first() {
        if *key != PACKET {
            bail!("no packet where one should begin, {} bytes before the end", bytes.len());
        }
        bytes = rest;
        let packet = TracePacket::decode_length_delimited(&mut bytes).context("a packet")?;
        reader.packet(packet)?;
    }
    reader.lines()
}

impl Reader {
    fn packet(&mut self, packet: TracePacket) -> Result<()> {
        let id = packet.trusted_packet_sequence_id();
        let sequence = self.sequences.entry(id).or_default();
        if let Some(track) = sequence.begin(&packet) {
            let lost = Event { name: "packets lost before".to_owned(), ..Event::default() };
            self.events.entry(track).or_default().push(lost);
        }
        let machine = packet.machine_id.map(|id| format!(" of machine {id}")).unwrap_or_default();
        match &packet.data {
            None | Some(Data::TraceStats(_)) => {}
            Some(Data::ClockSnapshot(snapshot)) => {
                sequence.set_clocks(snapshot);
                self.whole.extend(readings(snapshot));
            }
            Some(Data::TrackEvent(event)) => {
                let at = sequence.time(&packet)?;
                let (track, event) = sequence.event(at, event)?;
                self.events.entry(track).or_default().push(event);
            }
            Some(Data::TrackDescriptor(descriptor)) => self.describe(descriptor.clone(), &machine),
            Some(Data::CompressedPackets(_)) => bail!("compressed packets are not resolved here"),
            Some(other) => {
                self.whole.insert(format!("{other:?}{machine}"));
            }
        }
        Ok(())
    }

    fn describe(&mut self, mut descriptor: TrackDescriptor, machine: &str) {
        let known = self.descriptions.entry(descriptor.uuid()).or_default();
        known.parent = descriptor.parent_uuid();
        if let Some(name) = name_of(&descriptor) {
            known.name = name;
        }
        (descriptor.uuid, descriptor.parent_uuid) = (None, None);
        known.about.insert(format!("{descriptor:?}{machine}"));
    }

    fn lines(mut self) -> Result<Vec<String>> {
        let all: BTreeSet<u64> =
            self.descriptions.keys().chain(self.events.keys()).copied().collect();
        let mut tracks = Vec::new();
        for uuid in all {
            let mut events = self.events.remove(&uuid).unwrap_or_default();
            // Readers sort by time and leave in order what has the same.
            events.sort_by_key(|event| event.at);
            let about =
                self.descriptions.get(&uuid).map(|known| known.about.clone()).unwrap_or_default();
            tracks.push(Track { path: self.path(uuid)?, about, events });
        }
        Ok(self.whole.into_iter().chain(tracks::lines(tracks)).collect())
    }

    fn path(&self, uuid: u64) -> Result<String> {
        let (mut names, mut next) = (Vec::new(), uuid);
        while next != 0 {
            match self.descriptions.get(&next) {
                Some(known) => {
                    names.push(known.name.as_str());
                    next = known.parent;
                }
                None => {
                    names.push("(never described)");
                    break;
                }
            }
            if names.len() > DEEPEST {
                bail!("a track lies in itself: {names:?}");
            }
        }
        names.reverse();
        Ok(format!("/{}", names.join("/")))
    }
}

/// Name that identifies a track among those with the same parent.
fn name_of(descriptor: &TrackDescriptor) -> Option<String> {
    let process = descriptor.process.as_ref().map(|process| format!("process {}", process.pid()));
    let thread = descriptor.thread.as_ref();
    let thread = thread.map(|thread| {
        format!("process {}/thread {} {}", thread.pid(), thread.tid(), thread.thread_name())
    });
    thread.or(process).or_else(|| descriptor.name.clone())
}

/// Readings of clocks that all sequences share.
fn readings(snapshot: &ClockSnapshot) -> Vec<String> {
    let shared = snapshot.clocks.iter().filter(|clock| clock.clock_id() < OWN_CLOCKS);
    let mut texts: Vec<String> = shared.map(|clock| format!("{clock:?}")).collect();
    texts.sort();
    let primary = snapshot.primary_trace_clock.map(|clock| format!("primary clock {clock}"));
    match &texts[..] {
        // Of one clock alone a reader learns nothing but where a sequence begins.
        [] | [_] => primary.into_iter().collect(),
        _ => primary.into_iter().chain([format!("clocks {}", texts.join(" "))]).collect(),
    }
}
