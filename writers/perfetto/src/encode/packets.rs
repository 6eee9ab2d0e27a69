//! The output of a trace: a buffer of packets and what all sequences share.

use std::io::Write;

use ompttrace_perfetto_protos::{
    BuiltinClock, ClockSnapshot, InternedData, Message, TracePacket, TraceStats, TrackDescriptor,
    clock_snapshot::Clock, trace_packet::Data, trace_stats::WriterStats,
};

use super::block::Block;
use super::output::{Output, TakeOver, Totals};
use super::sequence::Sequence;
use super::switch_events::SwitchEvents;
use super::texts::Texts;
use super::wire::{close_length, put_bytes, put_field, tag};
use crate::Error;

/// A block is written when the buffer holds this much.
const BLOCK: usize = 256 << 10;

/// The sequence of packets that belong to no track: it has no incremental state.
const COLD_SEQUENCE: u32 = 1;

/// The clock of the caller's time stamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceClock {
    /// CLOCK_MONOTONIC.
    #[default]
    Monotonic,
    /// CLOCK_BOOTTIME: that of system-wide traces made by Perfetto itself.
    Boottime,
}

impl TraceClock {
    /// Number of the clock in packets.
    pub(super) fn id(self) -> u32 {
        match self {
            TraceClock::Monotonic => BuiltinClock::Monotonic as u32,
            TraceClock::Boottime => BuiltinClock::Boottime as u32,
        }
    }
}

/// Options of a whole trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The clock of all time stamps, in nanoseconds.
    pub clock: TraceClock,
    /// A time that is not later than any event: sequences count from it. An event
    /// before it is written correctly all the same, with a larger stamp.
    pub start: u64,
    /// The machine, where traces of several are to be put together.
    pub machine: Option<u32>,
}

/// The output of a trace.
#[derive(Debug)]
pub struct Packets<W, T> {
    /// The texts of the keys; more may be added at any time.
    pub texts: T,
    pub(super) options: Options,
    /// Definitions that the packet under way has to carry.
    pub(super) fresh: InternedData,
    pub(super) has_fresh: bool,
    pub(super) block: Block,
    /// A packet that may get longer than the room after the block.
    scratch: Vec<u8>,
    output: Output<W>,
    packets: u64,
    last_sequence: u32,
    lossy: Vec<WriterStats>,
}

impl<W: Write, T: Texts> Packets<W, T> {
    /// An empty trace.
    pub fn new(writer: W, texts: T, options: Options) -> Self {
        Packets {
            texts,
            options,
            fresh: InternedData::default(),
            has_fresh: false,
            block: Block::new(BLOCK),
            scratch: Vec::new(),
            output: Output::new(writer),
            packets: 0,
            last_sequence: COLD_SEQUENCE,
            lossy: Vec::new(),
        }
    }

    /// The writer takes blocks over from now on, and gives empty ones for them.
    pub fn hand_over(&mut self, take_over: TakeOver<W>) {
        self.output.hand_over(take_over);
    }

    /// Sets [`Options::start`] where it was not known before: ahead of all else.
    pub fn start_at(&mut self, start: u64) {
        self.options.start = start;
    }

    /// A new sequence, for the events of one thread, logical thread or counter. Nothing is
    /// written before its first event.
    pub fn sequence(&mut self, track: u64) -> Sequence {
        self.last_sequence += 1;
        Sequence::new(self.last_sequence, track, self.options.machine)
    }

    /// Describes a track. A track has to be described before its first event.
    pub fn track(&mut self, descriptor: TrackDescriptor) {
        self.cold(Data::TrackDescriptor(descriptor));
    }

    /// States readings that different clocks had at the same time, and that ours is
    /// the one that the reader is to show.
    pub fn clocks(&mut self, readings: &[(BuiltinClock, u64)]) {
        let clocks = readings.iter().map(|&(clock, nanoseconds)| Clock {
            clock_id: Some(clock as u32),
            timestamp: Some(nanoseconds),
            ..Clock::default()
        });
        self.cold(Data::ClockSnapshot(ClockSnapshot {
            clocks: clocks.collect(),
            primary_trace_clock: Some(self.options.clock.id() as i32),
        }));
    }

    /// Writes a packet that comes seldom.
    pub fn cold(&mut self, data: Data) {
        self.packet(&TracePacket {
            trusted_packet_sequence_id: Some(COLD_SEQUENCE),
            machine_id: self.options.machine,
            data: Some(data),
            ..TracePacket::default()
        });
    }

    /// The number of a sequence that is used for nothing else, for packets that are written as they are.
    pub fn free_sequence(&mut self) -> u32 {
        self.last_sequence += 1;
        self.last_sequence
    }

    /// Writes a packet as it is.
    pub fn packet(&mut self, packet: &TracePacket) {
        self.put_packet(&packet.encode_to_vec());
    }

    fn put_packet(&mut self, packet: &[u8]) {
        self.scratch.clear();
        put_bytes(&mut self.scratch, tag::TRACE_PACKET, packet);
        self.block.append(&self.scratch);
        self.packet_done(0);
    }

    /// Writes switches of a core as a packet, and forgets them.
    pub fn switches(&mut self, core: u32, events: &mut SwitchEvents) {
        let (mut bundle, mut packet) = (Vec::new(), Vec::new());
        put_field(&mut bundle, tag::BUNDLE_CORE, core.into());
        bundle.extend_from_slice(events.bytes());
        put_bytes(&mut packet, tag::PACKET_SWITCHES, &bundle);
        put_field(&mut packet, tag::PACKET_SEQUENCE, COLD_SEQUENCE.into());
        if let Some(machine) = self.options.machine {
            put_field(&mut packet, tag::PACKET_MACHINE, machine.into());
        }
        self.put_packet(&packet);
        events.clear();
    }

    /// Continues with packets that were encoded elsewhere.
    pub fn append(&mut self, bytes: &[u8]) {
        self.write_block();
        self.output.write(bytes);
    }

    /// Counts packets that [`Packets::append`] added.
    pub fn add_packets(&mut self, packets: u64) {
        self.packets += packets;
    }

    /// The packets that were passed on so far; the next ones go to another writer.
    pub fn replace_writer(&mut self, next: W) -> W {
        self.output.replace_writer(next)
    }

    /// Fails where the output does not take our bytes. Events are not checked one
    /// by one: ask now and then during a long export.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.output.check()?)
    }

    /// Numbers of packets and bytes so far.
    pub fn totals(&self) -> Totals {
        Totals { packets: self.packets, bytes: self.output.bytes() + self.block.len() as u64 }
    }

    /// Writes what is left and gives the writer back.
    pub fn finish(mut self) -> Result<(W, Totals), Error> {
        self.state_losses();
        self.write_block();
        let totals = self.totals();
        Ok((self.output.finish()?, totals))
    }

    /// Notes that a sequence has a gap.
    pub(super) fn has_loss(&mut self, sequence: u32) {
        let stats = WriterStats { sequence_id: Some(u64::from(sequence)), buffer: Some(0) };
        if self.lossy.last() != Some(&stats) {
            self.lossy.push(stats);
        }
    }

    /// A gap is marked where it is, but readers add up only those of sequences
    /// that are listed at the end.
    fn state_losses(&mut self) {
        if !self.lossy.is_empty() {
            self.lossy.sort_by_key(|stats| stats.sequence_id);
            self.lossy.dedup();
            let writer_stats = std::mem::take(&mut self.lossy);
            self.cold(Data::TraceStats(TraceStats { writer_stats }));
        }
    }

    /// Ends a packet whose first part, with the begin of its event at `event`, is in the room: with
    /// fields of the event that are put by `fields`, and with the definitions it needs.
    pub(super) fn finish_in_full(
        &mut self,
        begun: usize,
        event: usize,
        fields: impl FnOnce(&mut Vec<u8>),
    ) {
        let packet = &mut self.scratch;
        packet.clear();
        packet.extend_from_slice(&self.block.room()[..begun]);
        fields(packet);
        close_length(packet, event);
        if self.has_fresh {
            put_bytes(packet, tag::PACKET_INTERNED, &self.fresh.encode_to_vec());
            self.fresh = InternedData::default();
            self.has_fresh = false;
        }
        close_length(packet, 1);
        self.block.append(packet);
        self.packet_done(0);
    }

    /// A packet of this many bytes is complete in the room after the block.
    #[inline(always)]
    pub(super) fn packet_done(&mut self, length: usize) {
        self.packets += 1;
        if self.block.take(length) {
            self.write_block();
        }
    }

    #[cold]
    fn write_block(&mut self) {
        self.output.empty(&mut self.block);
    }
}
