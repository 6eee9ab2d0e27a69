//! The hand-written, write-only encoder of trace packets.
//!
//! [`Packets`] owns the output. A [`Sequence`] is one stream of events in order of
//! time, normally the events of one track: it remembers what the reader already
//! knows (the time of the last event, the track, the strings that were defined)
//! so that a plain event takes about 13 bytes. Names, categories and the like are
//! given as keys; their texts are asked of a [`Texts`] when a sequence first uses
//! them.
//!
//! The path of an event: `event` describes it, `sequence` puts its packet together
//! (`cursor`) in place (`block`): what all events of a kind have in common as
//! it was encoded before (`shapes`), then what is the event's own (`details`). `packets`
//! passes full blocks to `output`. What is the first of its kind, or has details without
//! number, goes a slower way (`in_full`).
//!
//! Why not prost: it is 4 to 20 times slower here, because it computes each
//! length before it writes and needs a tree of messages built first.

mod bits;
mod block;
mod cursor;
mod define;
mod details;
mod event;
mod output;
mod own_fields;
mod packets;
mod preamble;
mod sequence;
mod shapes;
mod switch_events;
mod texts;
mod wire;

pub use event::{Annotation, Details, Entry, Event, List, Look, Short, Value};
pub use output::Totals;
pub use own_fields::OwnFields;
pub use packets::{Options, Packets, TraceClock};
pub use sequence::Sequence;
pub use switch_events::SwitchEvents;
pub use texts::{
    AnnotationKey, CategoryKey, Dictionary, NameKey, Source, SourceKey, StringKey, Texts,
};
