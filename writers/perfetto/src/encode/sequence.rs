//! A stream of events with what its reader remembers.

use std::io::Write;

use ompttrace_perfetto_protos::track_event::Type;

use super::bits::Bits;
use super::block::ROOM;
use super::cursor::{Cursor, Template};
use super::details::{DefinedKeys, put_any};
use super::event::{Details, Event, Look};
use super::own_fields::OwnFields;
use super::packets::Packets;
use super::preamble::preamble;
use super::shapes::{Shape, Shapes, put_fixed};
use super::texts::{NameKey, Texts};
use super::wire::{put_bytes, put_field, put_fixed64, tag};

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
    /// The template, and after it a slice's end.
    end: Template,
    /// The template, and after it the begin of a counter's value.
    value: Template,
    shapes: Shapes,
    names: Bits,
    categories: Bits,
    seen: DefinedKeys,
    id: u32,
    track: u64,
    /// True if a packet of this sequence was written, so that a reader knows it.
    known: bool,
    lost: bool,
}

/// The event of a slice's end that has no details: tag, length, type.
const END: [u8; 4] =
    [tag::PACKET_EVENT as u8, 2, tag::EVENT_TYPE as u8, Type::SliceEnd as i32 as u8];

/// The begin of a counter value's event: tag, length, type.
const VALUE: [u8; 4] =
    [tag::PACKET_EVENT as u8, 0, tag::EVENT_TYPE as u8, Type::Counter as i32 as u8];

const NOT_STARTED: u64 = u64::MAX;

/// Placeholder name of slices' ends, which have no name.
const NO_NAME: NameKey = NameKey(0);

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
            value: Template::new(&[&fixed[..], &VALUE].concat()),
            shapes: Shapes::default(),
            names: Bits::default(),
            categories: Bits::default(),
            seen: DefinedKeys::default(),
            id,
            track,
            known: false,
            lost: false,
        }
    }

    /// A slice begins.
    #[inline(always)]
    pub fn begin<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        event: &Event<'_>,
    ) {
        self.event(out, at, Type::SliceBegin, event);
    }

    /// An event without a duration happens.
    #[inline(always)]
    pub fn instant<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        event: &Event<'_>,
    ) {
        self.event(out, at, Type::Instant, event);
    }

    /// A slice begins whose title hardly any other has: instead of the event's name.
    pub fn begin_titled<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        title: &str,
        event: &Event<'_>,
    ) {
        self.write_preamble(out);
        if let Some(category) = event.category
            && self.categories.insert(category.0)
        {
            out.define_category(category);
        }
        self.seen.define(out, event);
        let mut packet = self.stamp(out, at);
        packet.template(&self.template);
        let mark = packet.open(tag::PACKET_EVENT);
        packet.field(tag::EVENT_TYPE, Type::SliceBegin as u64);
        if let Some(category) = event.category {
            packet.field(tag::EVENT_CATEGORY, category.iid());
        }
        let begun = packet.at();
        out.finish_in_full(begun, mark, |bytes| {
            put_bytes(bytes, tag::EVENT_TITLE, title.as_bytes());
            put_any(bytes, &event.details);
        });
    }

    /// The innermost open slice of a track ends; None is the sequence's track.
    ///
    /// It bears no name: a reader would look for an open slice of that name and
    /// cut short all those inside.
    #[inline(always)]
    pub fn end<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
    ) {
        if at >= self.last && track.is_none() {
            let mut packet = Cursor::packet(out.block.room(), at - self.last);
            self.last = at;
            packet.template(&self.end);
            let event = packet.at() - END.len() + 1;
            let length = packet.close_packet(event);
            out.packet_done(length);
        } else {
            self.end_with(out, at, track, (None, &Details::default()));
        }
    }

    /// The innermost open slice of a track ends, and more is known of it now.
    #[inline(never)]
    pub fn end_with<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
        (look, details): (Option<Look>, &Details<'_>),
    ) {
        let event = Event { name: NO_NAME, category: None, track, look, details: *details };
        self.event(out, at, Type::SliceEnd, &event);
    }

    /// A counter has a new value; None is the sequence's track.
    #[inline(always)]
    pub fn counter<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
        value: i64,
    ) {
        if at >= self.last && track.is_none() {
            let mut packet = Cursor::packet(out.block.room(), at - self.last);
            self.last = at;
            packet.template(&self.value);
            let event = packet.at() - VALUE.len() + 1;
            packet.field(tag::EVENT_COUNTER, value as u64);
            let length = packet.close_packet(event);
            out.packet_done(length);
        } else {
            self.counter_in_full(out, at, track, value);
        }
    }

    /// A counter's value that is the first one, out of time order or of another track.
    #[cold]
    #[inline(never)]
    fn counter_in_full<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
        value: i64,
    ) {
        let (begun, event) = self.begin_counter(out, at, track);
        let value = value as u64;
        out.finish_in_full(begun, event, |bytes| put_field(bytes, tag::EVENT_COUNTER, value));
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
        let (begun, event) = self.begin_counter(out, at, track);
        let value = value.to_bits();
        let put = |bytes: &mut Vec<u8>| put_fixed64(bytes, tag::EVENT_DOUBLE_COUNTER, value);
        out.finish_in_full(begun, event, put);
    }

    /// Events are missing between the last one and the next. The trace says so,
    /// and everything is defined again for the reader.
    pub fn declare_loss(&mut self) {
        self.lost = true;
        self.last = NOT_STARTED;
        self.names.clear();
        self.categories.clear();
        self.seen.clear();
        self.shapes.clear();
    }

    /// An event, in a few wide stores where one of its look came before.
    #[inline(always)]
    fn event<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        kind: Type,
        event: &Event<'_>,
    ) {
        let look = event.look.filter(|_| event.track.is_none());
        let own = |own: &mut OwnFields<'_, '_>, _: &mut T| own.details(&event.details);
        if !look.is_some_and(|look| self.like(out, at, (kind, look), own)) {
            self.in_full(out, at, kind, event);
        }
    }

    /// An event of a look that one before had; `own` writes all that it has of its own. `false`: there was none, or `own` said that
    /// there is more than is usual, and nothing was written.
    #[inline(always)]
    pub fn like<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        (kind, look): (Type, Look),
        own: impl FnOnce(&mut OwnFields<'_, '_>, &mut T) -> bool,
    ) -> bool {
        let Some(shape) = self.shapes.get(kind, look).filter(|_| at >= self.last) else {
            return false;
        };
        let (mut packet, mark) = begin(out.block.room(), at - self.last, shape);
        if !own(&mut OwnFields::new(&mut packet, &self.seen), &mut out.texts) {
            return false;
        }
        self.last = at;
        let length = packet.close_packet(mark);
        out.packet_done(length);
        true
    }

    /// An event that is the first of its kind, is out of time order, or has more data
    /// than is usual.
    #[cold]
    #[inline(never)]
    fn in_full<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        kind: Type,
        event: &Event<'_>,
    ) {
        self.write_preamble(out);
        if let Some(category) = event.category
            && self.categories.insert(category.0)
        {
            out.define_category(category);
        }
        if kind != Type::SliceEnd && self.names.insert(event.name.0) {
            out.define_name(event.name);
        }
        self.seen.define(out, event);
        self.shapes.keep(&self.template, kind, event);
        let mut packet = self.stamp(out, at);
        let mark = put_fixed(&mut packet, &self.template, kind, event);
        let begun = packet.at();
        out.finish_in_full(begun, mark, |bytes| put_any(bytes, &event.details));
    }

    /// Begins the packet of a counter's value; says how long it is and where its event begins.
    fn begin_counter<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        track: Option<u64>,
    ) -> (usize, usize) {
        self.write_preamble(out);
        let mut packet = self.stamp(out, at);
        packet.template(&self.template);
        let mark = packet.open(tag::PACKET_EVENT);
        packet.field(tag::EVENT_TYPE, Type::Counter as u64);
        if let Some(track) = track {
            packet.field(tag::EVENT_TRACK, track);
        }
        (packet.at(), mark)
    }

    /// Begins a packet at any time.
    fn stamp<'o, W, T>(&mut self, out: &'o mut Packets<W, T>, at: u64) -> Cursor<'o> {
        if at >= self.last {
            let packet = Cursor::packet(out.block.room(), at - self.last);
            self.last = at;
            return packet;
        }
        let mut packet = Cursor::packet(out.block.room(), at);
        packet.field(tag::PACKET_CLOCK, u64::from(out.options.clock.id()));
        packet
    }

    /// Describes the sequence to the reader, unless it has been described.
    fn write_preamble<W: Write, T: Texts>(&mut self, out: &mut Packets<W, T>) {
        if self.last != NOT_STARTED {
            return;
        }
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
}

/// Begins the packet of an event of a shape, so long after the one before; says where its length belongs.
#[inline(always)]
fn begin<'o>(room: &'o mut [u8; ROOM], after: u64, shape: &Shape) -> (Cursor<'o>, usize) {
    let mut packet = Cursor::packet(room, after);
    let mark = packet.at() + usize::from(shape.event);
    packet.wide(&shape.bytes, usize::from(shape.length));
    (packet, mark)
}
