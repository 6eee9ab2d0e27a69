//! Where windows begin: what is open there, and each stream from there on.

use crate::before::{Before, OpenRequests, Scan, join};
use crate::checkpoints::{Checkpoints, Cuts};
use crate::clock::Clock;
use crate::setup::Setup;
use ompttrace_model::{AtBorder, Border};
use ompttrace_recording::reader::Stream;

/// The begin of a window.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub(super) streams: Vec<Stream<'a>>,
    /// What is known there, and when that is; `None` where the run begins.
    pub(super) before: Option<(Before, Border)>,
}

/// A window to interpret.
#[derive(Debug)]
pub(super) struct Window<'a> {
    pub(super) start: Start<'a>,
    /// The last ticks in it, and where it ends; `None`: with the run.
    pub(super) end: Option<(u64, Border)>,
    /// Whether what is made of it may be much more than of others, and is handed over in parts.
    pub(super) in_parts: bool,
}

/// Finds the windows, one after the other. Scanning is for others to do, several streams at a time: a caller that asks
/// gets streams to scan ([`Starts::next_scan`]) and gives them back.
#[derive(Debug)]
pub(super) struct Starts<'a> {
    clock: Clock,
    cuts: std::iter::Enumerate<std::vec::IntoIter<u64>>,
    /// How many of the streams are threads' own.
    own: usize,
    /// The cut to which streams are scanned now, and its number; `None`: there are no more.
    cut: Option<(usize, u64)>,
    /// Streams that are not scanned yet, and those that are, with their positions.
    waiting: Vec<(usize, Scan<'a>)>,
    there: Vec<(usize, Scan<'a>)>,
    /// Of MPI, at the last cut.
    requests: OpenRequests,
    count: usize,
    /// The window before the cut, and the number of the cut where it begins.
    start: Option<(Option<usize>, Start<'a>)>,
    /// What is kept for later passes.
    checkpoints: Option<Checkpoints>,
    wanted: Wanted,
    /// How many windows between cuts were wanted so far.
    wanted_found: usize,
}

/// Which windows are to be interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    /// Those from the first cut to the second, from the third to the fourth, and so on. At a cut where too little is known
    /// no window begins or ends, so this goes by the cuts' numbers.
    EverySecond,
}

impl Wanted {
    /// Whether a window between these cuts is wanted.
    fn has(self, from: Option<usize>, to: usize) -> bool {
        let is_second = |from: usize| from.is_multiple_of(2) && to == from + 1;
        self == Wanted::All || from.is_some_and(is_second)
    }
}

impl<'a> Starts<'a> {
    pub(super) fn new(setup: &Setup<'a>, cuts: Cuts, wanted: Wanted) -> Starts<'a> {
        let checkpoints = Checkpoints::of(&cuts);
        let mut cuts = cuts.at.into_iter().enumerate();
        let scan = |(at, stream)| (at, Scan::new(stream, setup.numbers.get(at).copied()));
        let cut = cuts.next();
        let streams = || setup.streams().into_iter().enumerate();
        let waiting: Vec<_> =
            if cut.is_some() { streams().map(scan).collect() } else { Vec::new() };
        Starts {
            clock: setup.clock,
            cuts,
            own: setup.own() as usize,
            cut,
            count: waiting.len(),
            waiting,
            there: Vec::new(),
            requests: OpenRequests::default(),
            start: Some((None, Start { streams: setup.streams(), before: None })),
            checkpoints,
            wanted,
            wanted_found: 0,
        }
    }

    /// A stream to scan, and how far.
    pub(super) fn next_scan(&mut self) -> Option<(u64, (usize, Scan<'a>))> {
        let (_, cut) = self.cut?;
        Some((cut, self.waiting.pop()?))
    }

    /// Whether windows are still to be found.
    pub(super) fn are_all_found(&self) -> bool {
        self.start.is_none()
    }

    /// Takes a stream back; with the last one a window is known, or it is known to continue.
    pub(super) fn scanned(&mut self, scan: (usize, Scan<'a>)) -> Option<Window<'a>> {
        self.there.push(scan);
        if self.there.len() < self.count {
            return None;
        }
        let mut scans = std::mem::take(&mut self.there);
        scans.sort_unstable_by_key(|(at, _)| *at);
        let mut scans: Vec<_> = scans.into_iter().map(|(_, scan)| scan).collect();
        self.requests.take(&mut scans);
        let found = self.cut.and_then(|cut| Some((cut, self.start_at(cut.1, &mut scans)?)));
        self.cut = match scans.iter().any(|scan| scan.is_unknown) {
            true => None,
            false => self.cuts.next(),
        };
        self.waiting = scans.into_iter().enumerate().collect();
        let ((number, cut), next) = found?;
        let border = next.before.as_ref().map(|(_, border)| border.clone())?;
        let (from, start) = self.start.replace((Some(number), next))?;
        let in_parts = self.wanted != Wanted::All;
        if !self.wanted.has(from, number) {
            return None;
        }
        self.wanted_found += 1;
        Some(Window { start, end: Some((cut - 1, border)), in_parts })
    }

    /// How many of the windows that are wanted were found, but for the last one of a run.
    pub(super) fn wanted_found(&self) -> usize {
        self.wanted_found
    }

    /// Whether all streams were scanned to a cut, and none to the next one.
    pub(super) fn is_cut_reached(&self) -> bool {
        self.there.is_empty()
    }

    /// What is kept for later passes; `None`: they do not need it.
    pub(super) fn into_checkpoints(self) -> Option<Vec<u64>> {
        self.checkpoints.map(Checkpoints::into_words)
    }

    /// The last window, once no cut is left.
    pub(super) fn last(&mut self) -> Option<Window<'a>> {
        if self.cut.is_some() {
            return None;
        }
        self.waiting.clear();
        let (_, start) = self.start.take().filter(|_| self.wanted == Wanted::All)?;
        Some(Window { start, end: None, in_parts: true })
    }

    /// The begin of the window after a cut, if enough is known there.
    fn start_at(&mut self, cut: u64, scans: &mut [Scan<'a>]) -> Option<Start<'a>> {
        let is_due = self.checkpoints.as_mut().is_some_and(Checkpoints::is_due);
        let before = join(scans, &self.requests)?;
        if let Some(checkpoints) = self.checkpoints.as_mut().filter(|_| is_due) {
            checkpoints.add(cut, &before, scans);
        }
        let streams = scans.iter().map(|scan| scan.stream.again()).collect::<Option<_>>()?;
        Scan::forget_over(scans);
        let at_border = |scan: &Scan<'_>| AtBorder {
            has_begun: scan.has_begun(),
            goes_on: scan.stream.next_ticks().is_some(),
        };
        let threads = scans.iter().take(self.own).map(at_border).collect();
        let border = Border { at: self.clock.nanoseconds(cut), threads };
        Some(Start { streams, before: Some((before, border)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_where_too_little_is_known_does_not_swap_what_is_wanted_and_the_gaps() {
        // Where windows begin and end if nothing is known at the fourth cut.
        let borders = [None, Some(0), Some(1), Some(2), Some(4), Some(5), Some(6), Some(7)];
        let windows = borders.windows(2).filter_map(|of| Some((of[0], of[1]?)));
        let wanted = windows.clone().filter(|(from, to)| Wanted::EverySecond.has(*from, *to));
        let expected = [(Some(0), 1), (Some(4), 5), (Some(6), 7)];
        assert_eq!(wanted.collect::<Vec<_>>(), expected);
        assert!(windows.clone().all(|(from, to)| Wanted::All.has(from, to)));
    }
}
