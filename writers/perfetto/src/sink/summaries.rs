//! What a summary slice says: its sums, as groups of annotations in a list.

use ompttrace_tracks::{Activities, Summary};

use super::texts::{Note, TraceTexts};
use crate::encode::{Annotation, Entry, Value};

/// The sums by name. Of instants there is only their number.
pub(super) fn entries(texts: &mut TraceTexts, summary: &Summary<'_>) -> Vec<Entry> {
    let entry = |sum: &ompttrace_tracks::Sum| {
        let name = Value::Interned(texts.title_string(sum.name));
        let time = |of, time| (!sum.instants).then(|| number(of, time));
        let (total, own) = (time(Note::Total, sum.total), time(Note::Own, sum.own));
        Entry::Group([
            Some(note(Note::Name, name)),
            Some(number(Note::Count, sum.count)),
            total,
            own,
        ])
    };
    summary.sums.iter().map(entry).collect()
}

/// How often a thread did what, and for how long.
pub(super) fn activities(texts: &mut TraceTexts, part: &Activities) -> Vec<Entry> {
    let sums = part.sums().map(|(activity, count, time)| {
        let name = Value::Interned(texts.activity(activity));
        let [count, total] = [number(Note::Count, count), number(Note::Total, time)];
        Entry::Group([Some(note(Note::Name, name)), Some(count), Some(total), None])
    });
    sums.collect()
}

/// The time that belongs to the slice around it.
pub(super) fn around(summary: &Summary<'_>) -> Annotation<'static> {
    number(Note::Around, summary.around)
}

fn number(name: Note, number: u64) -> Annotation<'static> {
    note(name, Value::Uint(number))
}

fn note(name: Note, value: Value<'static>) -> Annotation<'static> {
    Annotation { name: name.key(), value }
}
