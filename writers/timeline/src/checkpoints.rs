//! Checkpoints of a large recording: the state at some of its times, as words that are kept with it
//! ([`Recording::leave_index`](ompttrace_recording::Recording::leave_index)). A window of the run's time begins with a
//! checkpoint, and reads no records before it.
//!
//! Most of the state at one time is that of the next time as well, so the words list only its additions and removals.

use crate::before::{Before, Key, NeededRecord, Saved, Scan, Use, key};
use crate::setup::Setup;
use ompttrace_recording::Id;
use ompttrace_recording::reader::{Position, Stream};
use std::collections::BTreeMap;
use std::slice::Iter;

/// First of the words: the version of their format, raised with each change of their meaning or of the state they hold.
const VERSION: u64 = 3;
/// Windows from one checkpoint to the next at least, and about how many checkpoints there are at most, or half as many.
const STRIDE: usize = 4;
const CHECKPOINTS: usize = 128;
/// Recordings of fewer windows have none: all of them is read in a blink.
const FEWEST: usize = 32;
/// Maximum number of words; a recording that needs more has no checkpoints.
const MOST: usize = 4 << 20;

/// Makes the checkpoints of a recording, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Checkpoints {
    words: Vec<u64>,
    /// Records that the last checkpoint needs.
    known: Vec<(u32, NeededRecord)>,
    /// Number of windows that were begun.
    windows: usize,
    /// Number of windows from one checkpoint to the next.
    stride: usize,
    is_too_large: bool,
}

impl Checkpoints {
    /// Checkpoints of a recording that is cut into these windows; `None` if it needs none.
    pub(crate) fn of(cuts: &Cuts) -> Option<Checkpoints> {
        cuts.stride.map(|stride| Checkpoints { stride, ..Checkpoints::default() })
    }

    /// Adds a checkpoint: the state at the begin of a window, and the positions up to which the streams were read.
    pub(crate) fn add(&mut self, cut: u64, before: &Before, scans: &[Scan<'_>]) {
        let words = &mut self.words;
        if words.is_empty() {
            words.extend([VERSION, scans.len() as u64]);
        }
        words.extend([cut, before.skipped, before.live_tasks as u64]);
        for scan in scans {
            let Position { bytes, taken } = scan.stream.position();
            words.extend([bytes, taken]);
        }
        words.push(before.late.len() as u64);
        words.extend(before.late.iter().flat_map(|(thread, task)| [u64::from(*thread), task.0]));
        words.push(before.seen.len() as u64);
        words.extend(before.seen.iter().flat_map(|(thread, ticks)| [u64::from(*thread), *ticks]));
        let are_not_in = |one: &[(u32, NeededRecord)], other: &[(u32, NeededRecord)]| {
            let is_in = |what| other.binary_search_by_key(&key(what), key).is_ok();
            one.iter().filter(|what| !is_in(what)).copied().collect::<Vec<_>>()
        };
        let over = are_not_in(&self.known, &before.records);
        words.push(over.len() as u64);
        for (ticks, thread, number, purpose) in over.iter().map(key) {
            words.extend([ticks, word(thread, purpose), number]);
        }
        let added = are_not_in(&before.records, &self.known);
        words.push(added.len() as u64);
        for (thread, what) in &added {
            words.push(word(*thread, what.purpose()));
            what.saved().add_to(words);
        }
        self.known.clone_from(&before.records);
        self.is_too_large = words.len() > MOST;
    }

    /// Counts a cut between two windows. Returns true if it gets a checkpoint.
    pub(crate) fn is_due(&mut self) -> bool {
        self.windows += 1;
        self.windows.is_multiple_of(self.stride) && !self.is_too_large
    }

    pub(crate) fn into_words(self) -> Vec<u64> {
        if self.is_too_large { Vec::new() } else { self.words }
    }
}

/// Times at which a recording is cut into windows, in ticks.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    pub(crate) at: Vec<u64>,
    /// Number of windows from one checkpoint to the next; `None` if there are no checkpoints.
    stride: Option<usize>,
}

impl Cuts {
    /// Cuts at these times, or at so few of them that about `in_one` windows or more become one. Where checkpoints are
    /// does not depend on that: they are found by their times.
    pub(crate) fn of(mut at: Vec<u64>, in_one: u64) -> Cuts {
        let stride = stride(&at);
        let has_checkpoints = at.len() >= FEWEST;
        let in_one = usize::try_from(in_one).unwrap_or(stride).min(stride).next_power_of_two();
        if in_one > 1 {
            at = at.into_iter().skip(in_one - 1).step_by(in_one).collect();
        }
        Cuts { at, stride: has_checkpoints.then_some(stride / in_one) }
    }

    /// Cuts at these times, without checkpoints.
    pub(crate) fn alone(at: Vec<u64>) -> Cuts {
        Cuts { at, stride: None }
    }
}

/// A power of two: several windows in one go into it.
fn stride(cuts: &[u64]) -> usize {
    (cuts.len() / CHECKPOINTS).max(STRIDE).next_power_of_two()
}

/// The times of checkpoints up to `from`, in ticks, with the one from which on records are interpreted for what is at `from` as the
/// last: `from` itself, if the recording is small or packed.
pub(crate) fn before(setup: &Setup<'_>, from: u64) -> Vec<u64> {
    let mut cuts: Vec<_> = at(&setup.cuts(None)).collect();
    match cuts.is_empty() {
        true => cuts.push(from),
        false => cuts.retain(|cut| *cut <= from),
    }
    cuts
}

/// The cuts that get checkpoints.
pub(crate) fn at(cuts: &[u64]) -> impl Iterator<Item = u64> {
    cuts.iter().copied().skip(stride(cuts) - 1).step_by(stride(cuts))
}

/// Looks up the checkpoint at a cut: the streams from there on, and the state. `None` if there is no such checkpoint.
pub(crate) fn find<'a>(
    words: &[u64],
    cut: u64,
    streams: &[Stream<'a>],
) -> Option<(Vec<Stream<'a>>, Before)> {
    let mut words = words.iter();
    if (next(&mut words)?, next(&mut words)?) != (VERSION, streams.len() as u64) {
        return None;
    }
    let mut known = BTreeMap::new();
    loop {
        let (at, skipped, live_tasks) =
            (next(&mut words)?, next(&mut words)?, next(&mut words)? as i64);
        let mut positions = Vec::new();
        for _ in streams {
            positions.push(Position { bytes: next(&mut words)?, taken: next(&mut words)? });
        }
        let late = pairs(&mut words, streams.len())?;
        let seen = pairs(&mut words, streams.len())?;
        change(&mut known, &mut words, streams.len())?;
        if at < cut {
            continue;
        }
        let late = late.into_iter().map(|(thread, task)| (thread, Id(task))).collect();
        let records = known.into_iter().map(|((_, thread, ..), what)| (thread, what)).collect();
        let moved = streams.iter().zip(positions).map(|(stream, to)| stream.moved_to(to));
        let moved = moved.collect::<Option<Vec<_>>>().filter(|_| at == cut)?;
        return Some((moved, Before { records, late, seen, skipped, live_tasks }));
    }
}

fn next(words: &mut Iter<'_, u64>) -> Option<u64> {
    words.next().copied()
}

/// The word for a thread and the use of its record.
fn word(thread: u32, purpose: Use) -> u64 {
    u64::from(thread) | (purpose as u64) << 32
}

/// The thread and the use that a word stands for; `None` if there is no such thread or use.
fn of_word(word: u64, threads: usize) -> Option<(u32, Use)> {
    let purpose = [Use::All, Use::Mutex, Use::Request].into_iter();
    let purpose = purpose.into_iter().find(|purpose| *purpose as u64 == word >> 32)?;
    ((word as u32 as usize) < threads).then_some((word as u32, purpose))
}

fn pairs(words: &mut Iter<'_, u64>, threads: usize) -> Option<Vec<(u32, u64)>> {
    let mut pairs = Vec::new();
    for _ in 0..next(words)? {
        let (thread, _) = of_word(next(words)?, threads)?;
        pairs.push((thread, next(words)?));
    }
    Some(pairs)
}

/// Reads the changes from one checkpoint to the next, and applies them to the state.
fn change(
    known: &mut BTreeMap<Key, NeededRecord>,
    words: &mut Iter<'_, u64>,
    threads: usize,
) -> Option<()> {
    for _ in 0..next(words)? {
        let ticks = next(words)?;
        let (thread, purpose) = of_word(next(words)?, threads)?;
        known.remove(&(ticks, thread, next(words)?, purpose))?;
    }
    for _ in 0..next(words)? {
        let (thread, purpose) = of_word(next(words)?, threads)?;
        let what = NeededRecord::new(Saved::from_words(words)?, purpose);
        known.insert(key(&(thread, what)), what);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_at_the_same_times_however_large_windows_are() {
        for count in [32, 500, 672, 1945, 4000, 4095] {
            let all: Vec<u64> = (1..=count).map(|cut| cut * 10).collect();
            let expected: Vec<_> = at(&all).collect();
            for in_one in [0, 1, 2, 3, 4, 16, 1_000] {
                let cuts = Cuts::of(all.clone(), in_one);
                let stride = cuts.stride.expect("there are enough");
                let kept = cuts.at.iter().copied().skip(stride - 1).step_by(stride);
                assert_eq!(kept.collect::<Vec<_>>(), expected, "{in_one} of {count}");
                let wanted = in_one.clamp(1, (count as usize / CHECKPOINTS).max(STRIDE) as u64);
                let fewest = count / (2 * wanted);
                let windows = cuts.at.len() as u64;
                assert!(
                    (fewest..=count / wanted).contains(&windows),
                    "{in_one} of {count}: {windows}"
                );
            }
        }
        assert_eq!(Cuts::of((1..32).collect(), 1).stride, None);
    }
}
