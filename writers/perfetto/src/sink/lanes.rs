//! The lanes of logical threads: one flat list in the order of their paths.
//!
//! Where a lane stands among the others is known at the end only, and a reader heeds the first
//! description of a track alone: so lanes are described last. Readers sort a trace before they look
//! at its events, hence the place of a description in the file does not matter.

use std::io::Write;

use ompttrace_model::{Definitions, Lane, LaneRef};

use super::book::Book;
use super::picture::{Group, Picture};
use crate::encode::{Sequence, StringKey};
use crate::tracks;

/// A lane that was defined.
#[derive(Debug)]
struct Row {
    lane: Lane,
    /// Its path as an annotation's value.
    path: StringKey,
    /// There from the first event on.
    sequence: Option<Sequence>,
}

/// All lanes, by number.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    rows: Vec<Row>,
}

impl Lanes {
    /// Takes in the lanes that were defined since the last call.
    pub(super) fn define(&mut self, book: &mut Book, definitions: &Definitions) {
        for lane in definitions.logical_threads().iter().skip(self.rows.len()) {
            let path = book.intern(&lane.path);
            self.rows.push(Row { lane: lane.clone(), path, sequence: None });
        }
    }

    /// The path of a lane.
    #[inline(always)]
    pub(super) fn path(&self, lane: LaneRef) -> Option<StringKey> {
        Some(self.rows.get(lane as usize)?.path)
    }

    /// The events of a lane.
    #[inline(always)]
    pub(super) fn sequence<W: Write>(
        &mut self,
        picture: &mut Picture<W>,
        lane: LaneRef,
    ) -> Option<&mut Sequence> {
        let row = self.rows.get_mut(lane as usize)?;
        Some(row.sequence.get_or_insert_with(|| new_sequence(picture, lane)))
    }

    /// Describes all lanes that have an event.
    pub(super) fn describe<W: Write>(&self, picture: &mut Picture<W>) {
        let used = self.rows.iter().filter(|row| row.sequence.is_some());
        let mut lanes: Vec<&Lane> = used.map(|row| &row.lane).collect();
        lanes.sort_by(|a, b| a.order.cmp(&b.order).then(a.lane.cmp(&b.lane)));
        for (lane, rank) in lanes.into_iter().zip(0..) {
            let (uuid, group) = (picture.numbers.lane(lane.lane), picture.group(Group::Lanes));
            picture.out.track(tracks::track(uuid, group, rank, &lane.path));
        }
    }
}

#[cold]
fn new_sequence<W: Write>(picture: &mut Picture<W>, lane: LaneRef) -> Sequence {
    picture.out.sequence(picture.numbers.lane(lane))
}
