//! The activities of one thread at one resolution: parts of its time that are longer stay as they are, and shorter
//! ones are added up until they are as long.

use crate::activities::Activities;
use ompttrace_model::Activity;

/// The parts of one thread's time that are not drawn yet.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    resolution: u64,
    /// Sum of the last short parts, one after the other.
    short: Activities,
}

/// A part of a thread's time that is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'p> {
    /// One activity without a break, with its begin and end.
    One(Activity, u64, u64),
    /// Several short ones, one after the other.
    Sum(&'p Activities),
}

impl Parts {
    pub(crate) fn new(resolution: u64) -> Parts {
        Parts { resolution, short: Activities::default() }
    }

    /// Takes the next part, which is one activity; draws what is to be drawn now, in order. Nothing is copied for a part that is drawn
    /// by itself.
    #[inline(always)]
    pub(crate) fn take_one(
        &mut self,
        activity: Activity,
        from: u64,
        to: u64,
        mut draw: impl FnMut(Part<'_>),
    ) {
        if to - from >= self.resolution {
            if !self.short.is_empty() {
                draw(Part::Sum(&std::mem::take(&mut self.short)));
            }
            return draw(Part::One(activity, from, to));
        }
        self.short.add_one(activity, from, to);
        if self.short.duration() >= self.resolution {
            draw(Part::Sum(&std::mem::take(&mut self.short)));
        }
    }

    /// Takes the next part; returns the parts to be drawn now, in order.
    pub(crate) fn take(&mut self, part: &Activities) -> [Option<Activities>; 2] {
        if part.duration() >= self.resolution {
            return [self.finish(), Some(*part)];
        }
        self.short.add(part);
        match self.short.duration() >= self.resolution {
            true => [self.finish(), None],
            false => [None; 2],
        }
    }

    /// The sum that is not drawn so far, if any.
    pub(crate) fn finish(&mut self) -> Option<Activities> {
        let short = std::mem::take(&mut self.short);
        (!short.is_empty()).then_some(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::Activity::{Wait, Work};

    #[test]
    fn short_parts_are_added_up_and_long_ones_stay() {
        let mut parts = Parts::new(100);
        let one = |activity: Activity, from, to| Activities::one(activity, from, to);
        let nothing = |part: Part<'_>| panic!("drawn: {part:?}");
        parts.take_one(Work, 0, 40, nothing);
        parts.take_one(Wait, 40, 90, nothing);
        let [short, long] = parts.take(&one(Work, 90, 300)).map(|part| part.expect("drawn"));
        assert_eq!((short.from, short.to, short.only()), (0, 90, None));
        assert_eq!(long, one(Work, 90, 300));
        assert_eq!(parts.take(&one(Wait, 300, 350)), [None; 2]);
        let [full, none] = parts.take(&one(Work, 350, 400));
        assert_eq!((full.map(|part| (part.from, part.to)), none), (Some((300, 400)), None));
        assert_eq!(parts.finish(), None);
    }

    #[test]
    fn what_was_added_up_is_drawn_before_a_longer_activity_and_once_it_is_long_enough() {
        let mut parts = Parts::new(100);
        let mut drawn = Vec::new();
        for (activity, from, to) in
            [(Work, 0, 40), (Wait, 40, 140), (Work, 140, 190), (Wait, 190, 239), (Work, 239, 240)]
        {
            parts.take_one(activity, from, to, |part| match part {
                Part::One(activity, from, to) => drawn.push((Some(activity), from, to)),
                Part::Sum(sum) => drawn.push((None, sum.from, sum.to)),
            });
        }
        assert_eq!(drawn, [(None, 0, 40), (Some(Wait), 40, 140), (None, 140, 240)]);
        assert_eq!(parts.finish(), None);
    }
}
