//! A stream of events with what its reader remembers.

use std::io::Write;

use ompttrace_perfetto_protos::track_event::Type;

use super::bits::Bits;
use super::details::Seen;
use super::event::{Details, Event};
use super::head::Template;
use super::packets::Packets;
use super::preamble::preamble;
use super::shapes::Shapes;
use super::texts::Texts;
use super::wire::{close_length, put_field, put_fixed64, tag};

/// A stream of events, made by [`Packets::sequence`].
///
/// Give events in order of time where it can be had: a later one costs one or two
/// bytes for its stamp. One that is earlier than its predecessor is written with
/// its full time: never wrong, but larger.
#[derive(Debug)]
pub struct Sequence {
    /// The time of the last event in order; before the preamble, the end of time.
    last: u64,
    template: Template,
    /// The template, and behind it a slice's end.
    end: Template,
    shapes: Shapes,
    names: Bits,
    categories: Bits,
    seen: Seen,
    id: u32,
    track: u64,
    /// Whether the reader has seen a packet of ours.
    known: bool,
    lost: bool,
}

/// The event of a slice's end that has no details: tag, length, type.
const END: [u8; 4] =
    [tag::PACKET_EVENT as u8, 2, tag::EVENT_TYPE as u8, Type::SliceEnd as i32 as u8];

const NOT_STARTED: u64 = u64::MAX;

/// Where in the head of a packet under way its lengths belong.
#[derive(Clone, Copy)]
struct Open {
    packet: usize,
    event: usize,
}

impl Sequence {
    pub(super) fn new(id: u32, track: u64, machine: Option<u32>) -> Self {
        let mut fixed = Vec::new();
        put_field(&mut fixed, tag::PACKET_SEQUENCE, u64::from(id));
        // No SEQ_NEEDS_INCREMENTAL_STATE: it only tells readers of a ring buffer which packets to
        // skip when those before were overwritten. A file keeps all, and these are two bytes each.
        if let Some(machine) = machine {
            put_field(&mut fixed, tag::PACKET_MACHINE, u64::from(machine));
        }
        Sequence {
            last: NOT_STARTED,
            template: Template::new(&fixed),
            end: Template::new(&[&fixed[..], &END].concat()),
            shapes: Shapes::default(),
            names: Bits::default(),
            categories: Bits::default(),
            seen: Seen::default(),
            id,
            track,
            known: false,
            lost: false,
        }
    }

    /// A slice begins.
    #[inline]
    pub fn begin<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        event: &Event<'_>,
    ) {
        self.named(out, at, Type::SliceBegin, event);
    }

    /// Something happens that has no duration.
    #[inline]
    pub fn instant<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        event: &Event<'_>,
    ) {
        self.named(out, at, Type::Instant, event);
    }

    /// The innermost open slice of a track ends; None is the sequence's track.
    ///
    /// It bears no name: a reader would look for an open slice of that name and
    /// cut short all those inside.
    #[inline]
    pub fn end<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
    ) {
        if at >= self.last && track.is_none() {
            let open = self.open_end(out, at);
            out.head.close(open.packet);
            out.append();
        } else {
            self.end_with(out, at, track, &Details::default());
        }
    }

    /// The innermost open slice of a track ends, and more is known of it now.
    #[inline]
    pub fn end_with<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
        details: &Details<'_>,
    ) {
        let open = if at >= self.last && track.is_none() {
            self.open_end(out, at)
        } else {
            self.open(out, at, Type::SliceEnd, track)
        };
        if let Some(source) = details.source {
            self.seen.define_source(out, source);
            out.head.field(tag::EVENT_SOURCE, source.iid());
        }
        self.finish(out, open, details);
    }

    /// Begins the packet of an end, of which all but the time is known.
    #[inline(always)]
    fn open_end<W, T>(&mut self, out: &mut Packets<W, T>, at: u64) -> Open {
        let head = &mut out.head;
        let packet = head.begin_packet(at - self.last);
        self.last = at;
        head.template(&self.end);
        let event = head.length() - END.len() + 1;
        Open { packet, event }
    }

    /// A counter has a new value; None is the sequence's track.
    #[inline]
    pub fn counter<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
        value: i64,
    ) {
        let open = self.open(out, at, Type::Counter, track);
        open.with(out, |bytes| put_field(bytes, tag::EVENT_COUNTER, value as u64));
    }

    /// A counter of measures has a new value; None is the sequence's track.
    #[inline]
    pub fn counter_f64<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
        value: f64,
    ) {
        let open = self.open(out, at, Type::Counter, track);
        open.with(out, |bytes| put_fixed64(bytes, tag::EVENT_DOUBLE_COUNTER, value.to_bits()));
    }

    /// Events are missing between the last one and the next. The trace says so,
    /// and the reader is told everything anew.
    pub fn declare_loss(&mut self) {
        self.lost = true;
        self.last = NOT_STARTED;
        self.names.clear();
        self.categories.clear();
        self.seen.clear();
        self.shapes.clear();
    }

    #[inline(always)]
    fn named<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        kind: Type,
        event: &Event<'_>,
    ) {
        let open = match self.shapes.get(kind, event) {
            Some(shape) if at >= self.last && event.track.is_none() => {
                let head = &mut out.head;
                let packet = head.begin_packet(at - self.last);
                self.last = at;
                let event = head.length() + usize::from(shape.event);
                head.wide(&shape.bytes, usize::from(shape.length));
                Open { packet, event }
            }
            _ => self.unlike_any_before(out, at, kind, event),
        };
        self.finish(out, open, &event.details);
    }

    /// The fixed part of an event that has no shape yet, or no place in the order of time.
    #[cold]
    fn unlike_any_before<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        kind: Type,
        event: &Event<'_>,
    ) -> Open {
        let open = self.open(out, at, kind, event.track);
        if let Some(category) = event.category {
            if self.categories.insert(category.0) {
                out.define_category(category);
            }
            out.head.field(tag::EVENT_CATEGORY, category.iid());
        }
        if self.names.insert(event.name.0) {
            out.define_name(event.name);
        }
        out.head.field(tag::EVENT_NAME, event.name.iid());
        if let Some(source) = event.details.source {
            self.seen.define_source(out, source);
            out.head.field(tag::EVENT_SOURCE, source.iid());
        }
        self.shapes.keep(&self.template, kind, event);
        open
    }

    /// Begins a packet: all but what tells one event of a kind from the others.
    #[inline(always)]
    fn open<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        kind: Type,
        track: Option<u64>,
    ) -> Open {
        if self.last == NOT_STARTED {
            self.write_preamble(out);
        }
        let packet = if at >= self.last {
            let packet = out.head.begin_packet(at - self.last);
            self.last = at;
            packet
        } else {
            let packet = out.head.begin_packet(at);
            out.head.field(tag::PACKET_CLOCK, u64::from(out.options.clock.id()));
            packet
        };
        let head = &mut out.head;
        head.template(&self.template);
        let event = head.open(tag::PACKET_EVENT);
        head.field(tag::EVENT_TYPE, kind as u64);
        if let Some(track) = track {
            head.field(tag::EVENT_TRACK, track);
        }
        Open { packet, event }
    }

    #[cold]
    fn write_preamble<W: Write, T: Texts>(&mut self, out: &mut Packets<W, T>) {
        let lost = std::mem::take(&mut self.lost);
        // A reader notices no gap before the first packet of all.
        if !self.known || !lost {
            out.packet(&preamble(self.id, self.track, &out.options, false));
        }
        if lost {
            out.packet(&preamble(self.id, self.track, &out.options, true));
            out.has_loss(self.id);
        }
        self.known = true;
        self.last = out.options.start;
    }

    /// Ends a packet.
    #[inline(always)]
    fn finish<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        open: Open,
        details: &Details<'_>,
    ) {
        if details.is_empty() && !out.has_fresh {
            out.head.close(open.event);
            out.head.close(open.packet);
            out.append();
        } else {
            let (packet, event) = open.append_to(out);
            self.seen.put(out, details);
            close_length(&mut out.buffer, event);
            out.close(packet);
        }
    }
}

impl Open {
    /// Moves the head into the buffer; says where its lengths are there.
    #[inline(always)]
    fn append_to<W, T>(self, out: &mut Packets<W, T>) -> (usize, usize) {
        let start = out.buffer.len();
        out.head.append_to(&mut out.buffer);
        (start + self.packet, start + self.event)
    }

    /// Ends a packet with fields that are written by `fields`.
    #[inline(always)]
    fn with<W: Write, T: Texts>(self, out: &mut Packets<W, T>, fields: impl FnOnce(&mut Vec<u8>)) {
        let (packet, event) = self.append_to(out);
        fields(&mut out.buffer);
        close_length(&mut out.buffer, event);
        out.close(packet);
    }
}
