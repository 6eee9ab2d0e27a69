//! First look at a trace, which a viewer shows before any track is unfolded: slices that were computed before the trace is made, on
//! a root track of their own and the tracks below it.
//!
//! Viewers open processes collapsed. A root track that has slices and tracks below it is drawn with its slices.

/// The root track and those below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstLook {
    /// The name of the root track.
    pub name: String,
    /// Its slices, in the order of their begins: those that begin in another one end in it.
    pub slices: Vec<PlainSlice>,
    /// The tracks below it.
    pub tracks: Vec<PlainTrack>,
}

/// A track below the root track.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainTrack {
    /// Its name.
    pub name: String,
    /// Its slices, as those of the root track.
    pub slices: Vec<PlainSlice>,
}

/// A slice that belongs to no thread, with texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainSlice {
    /// Its begin, CLOCK_MONOTONIC nanoseconds.
    pub begin: u64,
    /// Its end, CLOCK_MONOTONIC nanoseconds.
    pub end: u64,
    /// Title of the slice.
    pub title: String,
    /// The texts in its annotations, each with its kind.
    pub remarks: Vec<(Remark, String)>,
}

/// The kind of a text in the annotations of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The finding itself.
    Finding,
    /// The change to try.
    Cure,
    /// The time that this change is expected to save.
    Gain,
    /// The observation that would disprove the finding.
    Disproof,
    /// The number of parts or regions that are drawn as this one slice.
    Count,
}

impl Remark {
    /// All of them.
    pub const ALL: [Remark; 5] =
        [Remark::Finding, Remark::Cure, Remark::Gain, Remark::Disproof, Remark::Count];

    /// Its name among the annotations of a slice.
    pub const fn key(self) -> &'static str {
        match self {
            Remark::Finding => "finding",
            Remark::Cure => "try",
            Remark::Gain => "expected",
            Remark::Disproof => "wrong if",
            Remark::Count => "drawn as one",
        }
    }
}

/// Begins and ends of slices in the order in which they are written: `None` ends the innermost one.
pub fn in_order(slices: &[PlainSlice]) -> Vec<(u64, Option<&PlainSlice>)> {
    let (mut events, mut open): (Vec<_>, Vec<u64>) = (Vec::with_capacity(2 * slices.len()), vec![]);
    for slice in slices {
        while let Some(end) = open.pop_if(|end| *end <= slice.begin) {
            events.push((end, None));
        }
        let around = open.last().copied().unwrap_or(u64::MAX);
        events.push((slice.begin, Some(slice)));
        open.push(slice.end.clamp(slice.begin, around));
    }
    while let Some(end) = open.pop() {
        events.push((end, None));
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_end_before_the_next_one_and_within_the_one_around() {
        let slice = |begin, end| PlainSlice { begin, end, ..PlainSlice::default() };
        let slices = [slice(0, 10), slice(2, 5), slice(6, 20), slice(30, 31)];
        let events: Vec<_> =
            in_order(&slices).iter().map(|(at, begun)| (*at, begun.is_some())).collect();
        let (begin, end) = (true, false);
        assert_eq!(
            events,
            [
                (0, begin),
                (2, begin),
                (5, end),
                (6, begin),
                (10, end),
                (10, end),
                (30, begin),
                (31, end)
            ]
        );
    }
}
