//! The messages of Perfetto's format, decoded by prost.

use std::collections::HashMap;

use anyhow::Result;
use ompttrace_model::{Executor, Mark, SliceKind, View, ompt};
use ompttrace_perfetto::{PerfettoSink, Written};
use ompttrace_perfetto_protos::{Message, Trace, trace_packet::Data, track_event::Type};

use crate::fake::{Fake, START, threads};
use crate::stencil::play;

fn write(view: View, play: impl FnOnce(&mut Fake<PerfettoSink<'_>>)) -> Result<(Trace, Written)> {
    let mut bytes = Vec::new();
    let mut fake = Fake::new(PerfettoSink::new(&mut bytes, view), &threads(4));
    play(&mut fake);
    let written = fake.finish().1?;
    Ok((Trace::decode(&bytes[..])?, written))
}

#[test]
fn every_sequence_begins_and_ends_evenly() -> Result<()> {
    let (trace, written) = write(View::Both, |fake| play(fake, START, 20))?;
    assert_eq!(trace.packet.len() as u64, written.packets);
    let mut depth: HashMap<u32, i64> = HashMap::new();
    for packet in &trace.packet {
        let depth = depth.entry(packet.trusted_packet_sequence_id()).or_default();
        if let Some(Data::TrackEvent(event)) = &packet.data {
            *depth += i64::from(event.r#type() == Type::SliceBegin);
            *depth -= i64::from(event.r#type() == Type::SliceEnd);
            assert!(*depth >= 0);
            // Every track has its own sequence: no event names its track or its clock.
            assert_eq!((event.track_uuid, packet.timestamp_clock_id), (None, None));
        }
    }
    assert!(depth.values().all(|&depth| depth == 0));
    Ok(())
}

#[test]
fn tracks_are_described_once() -> Result<()> {
    let (trace, _) = write(View::Both, |fake| play(fake, START, 2))?;
    let mut seen = Vec::new();
    for packet in &trace.packet {
        if let Some(Data::TrackDescriptor(track)) = &packet.data {
            assert!(!seen.contains(&track.uuid()), "{track:?} comes twice");
            assert!(track.parent_uuid.is_none_or(|parent| seen.contains(&parent)), "{track:?}");
            seen.push(track.uuid());
        }
    }
    Ok(())
}

/// The plainest slice: on a thread, with a location, both ends observed; and what the thread does, in sums.
#[test]
fn a_plain_slice_is_small() -> Result<()> {
    let size = |count: u64| -> Result<u64> {
        let (_, written) = write(View::Threads, |fake| {
            let executor = Executor { thread: 0, logical_thread: None };
            for i in 0..count {
                let kind = SliceKind::Wait(ompt::SyncRegion::Barrier);
                let slice = fake.slice(kind, "wait: barrier", 7);
                fake.begin(START + i * 1900, executor, &slice);
                fake.end(START + i * 1900 + 700, executor, Mark::Observed);
            }
        })?;
        Ok(written.bytes)
    };
    let event = (size(2000)? - size(1000)?) as f64 / 2000.0;
    assert!(event <= 16.5, "{event} bytes an event");
    Ok(())
}
