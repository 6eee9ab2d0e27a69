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

impl Parts {
    pub(crate) fn new(resolution: u64) -> Parts {
        Parts { resolution, short: Activities::default() }
    }

    /// Adds a short part, if it is one and no sum is complete with it: nothing is drawn now.
    #[inline(always)]
    pub(crate) fn add_short(&mut self, activity: Activity, from: u64, to: u64) -> bool {
        let is_short =
            to - from < self.resolution && to - self.short.begins(from) < self.resolution;
        if is_short {
            self.short.add_one(activity, from, to);
        }
        is_short
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
        assert!(parts.add_short(Work, 0, 40) && !parts.add_short(Wait, 40, 100));
        assert_eq!(parts.take(&one(Wait, 40, 90)), [None; 2]);
        let [short, long] = parts.take(&one(Work, 90, 300)).map(|part| part.expect("drawn"));
        assert_eq!((short.from, short.to, short.only()), (0, 90, None));
        assert_eq!(long, one(Work, 90, 300));
        assert_eq!(parts.take(&one(Wait, 300, 350)), [None; 2]);
        let [full, none] = parts.take(&one(Work, 350, 400));
        assert_eq!((full.map(|part| (part.from, part.to)), none), (Some((300, 400)), None));
        assert_eq!(parts.finish(), None);
    }
}
