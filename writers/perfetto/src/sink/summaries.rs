//! The annotations of a summary slice: its sums, as groups in a list.

use ompttrace_tracks::{Activities, Summary};

use super::texts::{Note, TraceTexts};
use crate::encode::{Annotation, Entry, Value};

/// The sums of a summary by name: number, total time and own time in nanoseconds. Sums of instants have a number only.
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

/// The sums of a thread's activities: number and total time in nanoseconds of each.
pub(super) fn activities(texts: &mut TraceTexts, part: &Activities) -> Vec<Entry> {
    let sums = part.sums().map(|(activity, count, time)| {
        let name = Value::Interned(texts.activity(activity));
        let [count, total] = [number(Note::Count, count), number(Note::Total, time)];
        Entry::Group([Some(note(Note::Name, name)), Some(count), Some(total), None])
    });
    sums.collect()
}

/// The annotation with the time of a summary that belongs to the slice around it, in nanoseconds.
pub(super) fn around(summary: &Summary<'_>) -> Annotation<'static> {
    number(Note::Around, summary.around)
}

fn number(name: Note, number: u64) -> Annotation<'static> {
    note(name, Value::Uint(number))
}

fn note(name: Note, value: Value<'static>) -> Annotation<'static> {
    Annotation { name: name.key(), value }
}
