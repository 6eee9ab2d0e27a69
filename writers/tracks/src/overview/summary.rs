//! A summary slice, as a format writes it.

use super::bin::{Bin, Sum};
use crate::states::activity;
use ompttrace_model::{Activity, Chunks, NameRef, SliceKind};

/// What the tracks of a family show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// What a thread or a logical thread does.
    Thread,
    LogicalThread,
    /// Parallel regions.
    Level,
    /// The owner of a lock.
    Lock,
    /// What a thread does, in one word.
    Activities,
}

/// Slices and instants that are drawn as one slice.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// When the first one begins.
    pub from: u64,
    /// When the last one ends.
    pub to: u64,
    /// What they are, by name.
    pub sums: &'a [Sum],
    /// How much of that time belongs to the slice around them alone, nanoseconds.
    pub around: u64,
    /// What takes most of that time, and how many hundredths.
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

    /// What is shown on it: what there is most of by time, how often, and what the thread does most:
    /// `1 204 × fib.c:12 task (fib), 83 % work`.
    pub fn title<'n>(&self, name: impl Fn(NameRef) -> &'n str) -> String {
        let slices = self.sums.iter().filter(|sum| !sum.instants);
        let main = slices.max_by_key(|sum| (sum.outermost, sum.count));
        let main = main.or(self.sums.iter().max_by_key(|sum| sum.count));
        let Some(main) = main else { return String::new() };
        let mut title = String::with_capacity(64);
        if main.count > 1 {
            put_grouped(&mut title, main.count);
            title.push_str(" × ");
        }
        title.push_str(name(main.name));
        if self.to > self.from {
            let (what, percent) = self.share;
            title.push_str(", ");
            put_grouped(&mut title, percent);
            title.push_str(" % ");
            title.push_str(what);
        }
        title
    }
}

fn hundredths(part: u64, whole: u64) -> u64 {
    (u128::from(part) * 100).checked_div(u128::from(whole)).map_or(0, |share| share.min(100) as u64)
}

/// A number with a space before each three digits: Perfetto's page colours a slice by its name without digits and the
/// spaces before them, so commas would give the same construct another colour from a thousand on.
fn put_grouped(text: &mut String, number: u64) {
    if number < 1_000 {
        return put_digits(text, number, 1);
    }
    put_grouped(text, number / 1_000);
    text.push(' ');
    put_digits(text, number % 1_000, 100);
}

/// The digits of a number below a thousand, with zeros before it from this power of ten on.
fn put_digits(text: &mut String, number: u64, from: u64) {
    for power in [100, 10, 1] {
        if number >= power || from >= power {
            text.push(char::from(b'0' + (number / power % 10) as u8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_spaces_and_nothing_else_between_digits() {
        let numbers = [0, 7, 10, 100, 999, 1_000, 12_345, 1_204_067, 10_000_000];
        let texts = numbers.map(|number| {
            let mut text = String::new();
            put_grouped(&mut text, number);
            text
        });
        let expected = ["0", "7", "10", "100", "999", "1 000", "12 345", "1 204 067", "10 000 000"];
        assert_eq!(texts, expected);
    }
}
