//! Title and details of an event that looks like none before it on its track: a format needs them.

use crate::counts::Counts;
use crate::format::{Format, Titled};
use crate::parts::Part;
use crate::tables::Tracks;
use crate::titles::Titles;
use ompttrace_model::{Definitions, Instant, Slice, ThreadRef};

/// A slice with what is shown on it; the format has taken its details.
#[inline(always)]
pub(super) fn take<'s, 'a, F: Format>(
    titles: &mut Titles,
    format: &mut F,
    definitions: &Definitions,
    slice: &'s Slice<'a>,
) -> Titled<&'s Slice<'a>> {
    let title = titles.of(format, definitions, (slice.name, slice.source));
    format.take_slice(slice);
    Titled { title, event: slice }
}

/// As [`take`], of an instant.
#[inline(always)]
pub(super) fn take_instant<'s, 'a, F: Format>(
    titles: &mut Titles,
    format: &mut F,
    definitions: &Definitions,
    instant: &'s Instant<'a>,
) -> Titled<&'s Instant<'a>> {
    let title = titles.of(format, definitions, (instant.name, instant.source));
    format.take_instant(instant);
    Titled { title, event: instant }
}

/// Draws what a thread did.
#[inline(always)]
pub(super) fn draw<F: Format>(
    tracks: &mut Tracks<F>,
    format: &mut F,
    drawn: &mut Counts,
    thread: ThreadRef,
    part: Part<'_>,
) {
    if let Some(track) = tracks.activities(format, thread) {
        match part {
            Part::One(activity, from, to) => format.one_activity(track, activity, (from, to)),
            Part::Sum(part) => format.activity(track, part),
        }
        drawn.activities += 1;
    }
}
