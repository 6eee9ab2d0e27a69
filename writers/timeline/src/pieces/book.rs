//! What was defined so far, to be told to each new writer.

use crate::sink::{Frame, Lane, Lock, Sink, SourcePlace};

/// All definitions, in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub names: Vec<String>,
    pub places: Vec<SourcePlace>,
    pub contexts: Vec<Frame>,
    pub lanes: Vec<Lane>,
    pub locks: Vec<Lock>,
}

impl Book {
    pub(super) fn tell(&self, sink: &mut impl Sink) {
        self.names.iter().zip(0..).for_each(|(text, name)| sink.name(name, text));
        self.places.iter().zip(1..).for_each(|(what, place)| sink.source_place(place, what));
        self.contexts.iter().zip(1..).for_each(|(frame, context)| sink.context(context, frame));
        self.lanes.iter().for_each(|lane| sink.lane(lane));
        self.locks.iter().for_each(|lock| sink.lock(lock));
    }
}
