//! First look at a Perfetto trace: a root track with slices, and the tracks below it.

use std::io::Write;

use ompttrace_model::Category;
use ompttrace_tracks::{FirstLook, PlainSlice, in_order};

use super::numbers::Numbers;
use super::texts::{Note, TraceTexts};
use crate::encode::{Annotation, CategoryKey, Details, Event, NameKey, Packets, Value};
use crate::tracks;

/// Rank of the root track among the tracks without a parent: before the processes.
const RANK: i32 = -1;

/// Describes the tracks and draws their slices.
pub(super) fn draw<W: Write>(out: &mut Packets<W, TraceTexts>, numbers: Numbers, look: &FirstLook) {
    let root = numbers.first_look(0);
    out.track(tracks::root_track(root, RANK, &look.name));
    slices(out, root, &look.slices);
    for (track, at) in look.tracks.iter().zip(1..) {
        let uuid = numbers.first_look(at);
        out.track(tracks::track(uuid, root, at as i32, &track.name));
        slices(out, uuid, &track.slices);
    }
}

fn slices<W: Write>(out: &mut Packets<W, TraceTexts>, uuid: u64, slices: &[PlainSlice]) {
    let mut sequence = out.sequence(uuid);
    for (at, slice) in in_order(slices) {
        let Some(slice) = slice else {
            sequence.end(out, at, None);
            continue;
        };
        let annotations: Vec<_> = slice
            .remarks
            .iter()
            .map(|(remark, text)| Annotation {
                name: Note::of_remark(*remark),
                value: Value::Text(text),
            })
            .collect();
        let details = Details { annotations: &annotations, ..Details::default() };
        let category = Some(CategoryKey(Category::FirstLook as u32));
        let event = Event { name: NameKey(0), category, track: None, look: None, details };
        sequence.begin_titled(out, at, &slice.title, &event);
    }
}
