//! What all events of one name and place have in common, encoded once for each track.
//!
//! A track shows the same few kinds of slices again and again. All that tells two of a kind apart is
//! the time and the details; the rest is copied from here in a few wide stores, and that its texts
//! are defined need not be asked again.

use ompttrace_perfetto_protos::track_event::Type;

use super::event::Event;
use super::head::{Head, Template};
use super::wire::tag;

/// Kinds of events of a track that are kept, in pairs of slots; a power of two.
const SLOTS: usize = 32;
/// Bytes of a shape; longer ones, of a trace with a million texts, are put together each time.
pub(super) const SHAPE: usize = 32;

/// The part of a packet from behind its time stamp up to the details.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    key: Key,
    pub(super) bytes: [u8; SHAPE],
    pub(super) length: u8,
    /// Where in it the length of the event belongs.
    pub(super) event: u8,
}

impl Shape {
    /// An empty slot: no event has type 0.
    const NONE: Shape = Shape { key: Key(0, 0), bytes: [0; SHAPE], length: 0, event: 0 };
}

/// Everything that a shape depends on: name, category, place and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key(u64, u64);

impl Key {
    #[inline(always)]
    fn of(kind: Type, event: &Event<'_>) -> Key {
        let source = event.details.source.map_or(0, |source| source.iid());
        let category = event.category.map_or(0, |category| category.iid());
        Key(u64::from(event.name.0) << 32 | kind as u64, source << 32 | category)
    }

    /// The first slot of the pair in which it may be.
    #[inline(always)]
    fn slot(self) -> usize {
        let mixed = (self.0 ^ self.1.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (SLOTS - 2)
    }
}

/// The shapes of one track.
#[derive(Debug, Default)]
pub(super) struct Shapes(Vec<Shape>);

impl Shapes {
    /// The shape of an event, if it was kept.
    #[inline(always)]
    pub(super) fn get(&self, kind: Type, event: &Event<'_>) -> Option<&Shape> {
        let key = Key::of(kind, event);
        let slot = key.slot();
        let pair = self.0.get(slot..slot + 2)?;
        pair.iter().find(|shape| shape.key == key)
    }

    /// Keeps the shape of an event, if it is short enough.
    pub(super) fn keep(&mut self, template: &Template, kind: Type, event: &Event<'_>) {
        let Some(shape) = shape(template, kind, event) else { return };
        if self.0.is_empty() {
            self.0.resize(SLOTS, Shape::NONE);
        }
        let slot = shape.key.slot();
        if let Some([first, second]) = self.0.get_mut(slot..slot + 2) {
            *second = std::mem::replace(first, shape);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

fn shape(template: &Template, kind: Type, event: &Event<'_>) -> Option<Shape> {
    let mut head: Head = Head::new();
    head.template(template);
    let mark = head.open(tag::PACKET_EVENT);
    head.field(tag::EVENT_TYPE, kind as u64);
    if let Some(category) = event.category {
        head.field(tag::EVENT_CATEGORY, category.iid());
    }
    head.field(tag::EVENT_NAME, event.name.iid());
    if let Some(source) = event.details.source {
        head.field(tag::EVENT_SOURCE, source.iid());
    }
    let (bytes, length) = head.start()?;
    Some(Shape { key: Key::of(kind, event), bytes, length: length as u8, event: mark as u8 })
}
