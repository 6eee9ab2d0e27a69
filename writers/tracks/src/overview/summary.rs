//! A summary slice, as a format writes it.

use super::bin::{Bin, Sum};
use crate::activities::activity;
use crate::format::Shared;
use crate::numbers::{hundredths, put_number};
use ompttrace_model::{Activity, Chunks, NameRef, SliceKind};

/// The kinds of tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Activities and constructs of a thread or of a logical thread.
    Thread,
    LogicalThread,
    /// Parallel regions of a level.
    Level,
    /// The owner of a lock.
    Lock,
    /// Phases of the program.
    Phases,
    /// Activities of a thread, each in one word.
    Activities,
}

impl Family {
    /// The kind of a track that belongs to no OS thread.
    pub(super) fn of(track: Shared) -> Family {
        match track {
            Shared::Level(_) => Family::Level,
            Shared::LogicalThread(_) => Family::LogicalThread,
            Shared::Lock(_) => Family::Lock,
            Shared::Phases(_) => Family::Phases,
        }
    }
}

/// Slices and instants that are drawn as one slice.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// Time at which the first one begins, in CLOCK_MONOTONIC nanoseconds.
    pub from: u64,
    /// Time at which the last one ends, in CLOCK_MONOTONIC nanoseconds.
    pub to: u64,
    /// Sums of the slices and instants, by name.
    pub sums: &'a [Sum],
    /// Part of the time from `from` to `to` that belongs to the slice around them alone, in nanoseconds.
    pub around: u64,
    /// The activity that takes most of that time, or `in regions` or `held`, and its share in hundredths.
    share: (&'static str, u64),
}

impl<'a> Summary<'a> {
    pub(super) fn new(
        bin: &'a Bin,
        family: Family,
        around: Option<SliceKind>,
        chunks: Chunks,
    ) -> Summary<'a> {
        let (duration, covered) = (bin.duration(), bin.covered.min(bin.duration()));
        let outside = duration - covered;
        let share = match family {
            Family::Level => ("in regions", covered),
            Family::Lock => ("held", covered),
            Family::Phases => ("in phases", covered),
            Family::Thread | Family::LogicalThread | Family::Activities => {
                let mut states = bin.states;
                if let Some(around) = around
                    && let Some(time) = states.get_mut(activity(around, chunks) as usize)
                {
                    *time += outside;
                }
                let longest = Activity::ALL.into_iter().zip(states).max_by_key(|(_, time)| *time);
                longest.map_or(("", 0), |(state, time)| (state.name(), time))
            }
        };
        let share = (share.0, hundredths(share.1, duration));
        Summary { from: bin.from, to: bin.to, sums: &bin.sums, around: outside, share }
    }

    /// The title: the slices that take most of the time, with their number, and the activity that does, with its share:
    /// `1 204 × fib.c:12 task (fib), 83 % work`.
    pub fn title<'n>(&self, name: impl Fn(NameRef) -> &'n str) -> String {
        let slices = self.sums.iter().filter(|sum| !sum.instants);
        let main = slices.max_by_key(|sum| (sum.outermost, sum.count));
        let main = main.or(self.sums.iter().max_by_key(|sum| sum.count));
        let Some(main) = main else { return String::new() };
        let mut title = String::with_capacity(64);
        if main.count > 1 {
            put_number(&mut title, main.count);
            title.push_str(" × ");
        }
        title.push_str(name(main.name));
        if self.to > self.from {
            let (what, percent) = self.share;
            title.push_str(", ");
            put_number(&mut title, percent);
            title.push_str(" % ");
            title.push_str(what);
        }
        title
    }
}
