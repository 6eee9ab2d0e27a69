//! The bytes that all events of one kind have in common, encoded once for each track.
//!
//! A track shows the same few kinds of slices again and again: of one name, location and labels. All
//! that distinguishes two of a kind is the time and what is their own; the rest is copied from here in
//! a few wide stores, and that its texts are defined need not be asked again.

use ompttrace_perfetto_protos::track_event::Type;

use super::block::ROOM;
use super::cursor::{Cursor, Template};
use super::details::put_common;
use super::event::{Event, Look};
use super::wire::tag;

/// Kinds of events of a track that are kept, in pairs of slots; powers of two. More slots are taken
/// when two kinds have the same pair as two others, up to the most.
const FEWEST: usize = 4;
const MOST: usize = 64;
/// Maximum number of bytes of a shape; longer ones, of a trace with a million texts, are put together each time.
pub(super) const SHAPE: usize = 64;

/// The part of a packet after its time stamp, up to the details of the single event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    key: Key,
    pub(super) bytes: [u8; SHAPE],
    pub(super) length: u8,
    /// Position in `bytes` of the byte that holds the event's length.
    pub(super) event: u8,
}

impl Shape {
    /// An empty slot: no event has type 0.
    const NONE: Shape = Shape { key: Key::NONE, bytes: [0; SHAPE], length: 0, event: 0 };

    fn is_empty(&self) -> bool {
        self.key == Shape::NONE.key
    }
}

/// The look and type of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key(Look, u64);

impl Key {
    const NONE: Key = Key(Look([0; 4]), 0);

    #[inline(always)]
    fn of(kind: Type, look: Look) -> Key {
        Key(look, kind as u64)
    }

    /// The first slot of the pair in which it may be.
    #[inline(always)]
    fn slot(self, slots: usize) -> usize {
        let Key(Look([one, two, three, four]), kind) = self;
        let mixed = one ^ (two ^ three.rotate_left(27)).rotate_left(17) ^ four ^ kind;
        // The upper bits of the product depend on all others, as many as there are slots at most.
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize & slots.wrapping_sub(2)
    }
}

/// The shapes of one track.
#[derive(Debug, Default)]
pub(super) struct Shapes(Vec<Shape>);

impl Shapes {
    /// The shape of events of a look, if it was kept.
    #[inline(always)]
    pub(super) fn get(&self, kind: Type, look: Look) -> Option<&Shape> {
        let key = Key::of(kind, look);
        let slot = key.slot(self.0.len());
        let [first, second] = self.0.get(slot..)?.first_chunk()?;
        if first.key == key {
            Some(first)
        } else if second.key == key {
            Some(second)
        } else {
            None
        }
    }

    /// Keeps the shape of an event and of all others of its look, if it has one, is the first of them and is short enough.
    pub(super) fn keep(&mut self, template: &Template, kind: Type, event: &Event<'_>) {
        let Some(look) = event.look.filter(|look| self.get(kind, *look).is_none()) else { return };
        let Some(shape) = shape(template, Key::of(kind, look), (kind, event)) else { return };
        if self.0.is_empty() {
            self.0.resize(FEWEST, Shape::NONE);
        }
        while self.pair(shape.key).is_some_and(|pair| !pair[1].is_empty()) && self.0.len() < MOST {
            let twice = vec![Shape::NONE; 2 * self.0.len()];
            let before = std::mem::replace(&mut self.0, twice);
            before.into_iter().filter(|shape| !shape.is_empty()).for_each(|shape| self.put(shape));
        }
        self.put(shape);
    }

    fn pair(&mut self, key: Key) -> Option<&mut [Shape; 2]> {
        let slot = key.slot(self.0.len());
        self.0.get_mut(slot..)?.first_chunk_mut()
    }

    fn put(&mut self, shape: Shape) {
        if let Some([first, second]) = self.pair(shape.key) {
            *second = std::mem::replace(first, shape);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

fn shape(template: &Template, key: Key, (kind, event): (Type, &Event<'_>)) -> Option<Shape> {
    let mut room = [0; ROOM];
    let mut packet = Cursor::new(&mut room);
    let mark = put_fixed(&mut packet, template, kind, &Event { track: None, ..*event });
    packet.close(mark);
    let (length, event_at) = (packet.at(), mark);
    let bytes = *room.first_chunk().filter(|_| length <= SHAPE)?;
    Some(Shape { key, bytes, length: length as u8, event: event_at as u8 })
}

/// Appends all that an event has in common with others of its kind; says where the length of the
/// event belongs.
pub(super) fn put_fixed(
    packet: &mut Cursor<'_>,
    template: &Template,
    kind: Type,
    event: &Event<'_>,
) -> usize {
    packet.template(template);
    let mark = packet.open(tag::PACKET_EVENT);
    packet.field(tag::EVENT_TYPE, kind as u64);
    if let Some(track) = event.track {
        packet.field(tag::EVENT_TRACK, track);
    }
    if let Some(category) = event.category {
        packet.field(tag::EVENT_CATEGORY, category.iid());
    }
    if kind != Type::SliceEnd {
        packet.field(tag::EVENT_NAME, event.name.iid());
    }
    if let Some(source) = event.details.source {
        packet.field(tag::EVENT_SOURCE, source.iid());
    }
    put_common(packet, event.details.common);
    mark
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{CategoryKey, NameKey};

    #[test]
    fn as_many_kinds_are_kept_as_there_is_room_for() {
        let (mut shapes, template) = (Shapes::default(), Template::new(&[1, 2]));
        let look = |name| Look([u64::from(name), u64::from(name / 3), 0, 0]);
        let plain = |name| Event::plain(NameKey(name), CategoryKey(name / 3));
        let event = |name| Event { look: Some(look(name)), ..plain(name) };
        let kept = |shapes: &Shapes, name| shapes.get(Type::Instant, look(name)).is_some();
        for name in 0..1000 {
            assert!(!kept(&shapes, name));
            shapes.keep(&template, Type::Instant, &event(name));
            assert!(kept(&shapes, name) && shapes.get(Type::SliceBegin, look(name)).is_none());
            assert!(name > 1 || shapes.0.len() <= 8);
        }
        assert_eq!(shapes.0.len(), MOST);
        assert!((0..1000).filter(|name| kept(&shapes, *name)).count() > MOST / 2);
        assert!(Shapes::default().get(Type::Instant, look(0)).is_none());
    }

    /// A few looks stay, whichever of the numbers they differ in, and where; chance may put three of four in one pair, seldom.
    #[test]
    fn looks_that_differ_anywhere_hardly_ever_meet_in_one_place() {
        let mut lost = 0;
        for number in 0..4 {
            for bit in 0..62 {
                let (mut shapes, template) = (Shapes::default(), Template::new(&[1, 2]));
                let looks = (0..4u64).map(|value| {
                    let mut numbers = [7, 7, 7, 7];
                    numbers[number] ^= value << bit;
                    Look(numbers)
                });
                let looks: Vec<_> = looks.collect();
                for look in &looks {
                    let plain = Event::plain(NameKey(1), CategoryKey(1));
                    shapes.keep(&template, Type::Instant, &Event { look: Some(*look), ..plain });
                }
                let kept = looks.iter().filter(|look| shapes.get(Type::Instant, **look).is_some());
                lost += looks.len() - kept.count();
            }
        }
        assert!(lost < 5, "{lost} of {}", 4 * 62 * 4);
    }
}
