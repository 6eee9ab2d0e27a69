//! The packet with which a sequence begins: its clock and its default track.

use ompttrace_perfetto_protos::{
    ClockSnapshot, TracePacket, TracePacketDefaults, TrackEventDefaults,
    clock_snapshot::Clock,
    trace_packet::{Data, SequenceFlags},
};

use super::packets::Options;

/// The first of the clocks that a sequence may define for itself.
const DELTA_CLOCK: u32 = 64;

/// The packet that a reader needs before the first event of a sequence, with the sequence's defaults and clock.
///
/// All sequences start their clock at the same time, the start of the trace:
/// each start is a reading of the trace's own clock too, and the reader refuses
/// readings of it that go backwards from packet to packet in the file.
pub(super) fn preamble(id: u32, track: u64, options: &Options, after_loss: bool) -> TracePacket {
    let clock = options.clock.id();
    TracePacket {
        timestamp: Some(options.start),
        timestamp_clock_id: Some(clock),
        trusted_packet_sequence_id: Some(id),
        sequence_flags: Some(SequenceFlags::SeqIncrementalStateCleared as u32),
        previous_packet_dropped: after_loss.then_some(1),
        machine_id: options.machine,
        trace_packet_defaults: Some(TracePacketDefaults {
            timestamp_clock_id: Some(DELTA_CLOCK),
            track_event_defaults: Some(TrackEventDefaults { track_uuid: Some(track) }),
            perf_sample_defaults: None,
        }),
        data: Some(Data::ClockSnapshot(ClockSnapshot {
            clocks: vec![reading(clock, options.start, None), delta_clock(options.start)],
            primary_trace_clock: None,
        })),
        ..TracePacket::default()
    }
}

fn delta_clock(start: u64) -> Clock {
    reading(DELTA_CLOCK, start, Some(true))
}

fn reading(clock: u32, nanoseconds: u64, is_incremental: Option<bool>) -> Clock {
    Clock {
        clock_id: Some(clock),
        timestamp: Some(nanoseconds),
        is_incremental,
        unit_multiplier_ns: None,
    }
}
