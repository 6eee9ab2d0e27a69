//! The begins of windows: the state at each of them, and the streams from there on.

use crate::before::{Before, OpenRequests, Scan, join};
use crate::checkpoints::{Checkpoints, Cuts};
use crate::clock::Clock;
use crate::setup::Setup;
use crate::time_windows::Window as Bounds;
use ompttrace_model::{AtBorder, Border};
use ompttrace_recording::reader::Stream;

/// The begin of a window.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub(super) streams: Vec<Stream<'a>>,
    /// The state at the begin of the window, and its border; `None` for the window at the begin of the run.
    pub(super) before: Option<(Before, Border)>,
}

/// A window to interpret.
#[derive(Debug)]
pub(super) struct Window<'a> {
    pub(super) start: Start<'a>,
    /// True for the first window of the output, which shows what is open where it begins.
    pub(super) is_first: bool,
    /// Ticks up to which records are read; below, the border at the window's end, `None` if nothing follows the window.
    pub(super) until: u64,
    pub(super) border: Option<Border>,
    /// The bounds of the time that is shown, where an event of this window may be outside of it.
    pub(super) bounds: Option<Bounds>,
    /// True if the window's output may be much larger than that of other windows, so that it is handed over in parts.
    pub(super) in_parts: bool,
}

/// Finds the windows, one after the other. Scanning is for others to do, several streams at a time: a caller that asks
/// gets streams to scan ([`Starts::next_scan`]) and gives them back.
#[derive(Debug)]
pub(super) struct Starts<'a> {
    clock: Clock,
    cuts: std::iter::Enumerate<std::vec::IntoIter<u64>>,
    /// Number of streams that are threads' own; other streams follow them.
    own: usize,
    /// The cut to which streams are scanned now, and its number; `None`: there are no more.
    cut: Option<(usize, u64)>,
    /// Streams that are not scanned yet, and those that are, with their positions.
    waiting: Vec<(usize, Scan<'a>)>,
    there: Vec<(usize, Scan<'a>)>,
    /// Requests of MPI that are open at the last cut.
    requests: OpenRequests,
    count: usize,
    /// Ticks of the last record that is read.
    until: u64,
    /// The part of the run's time that is shown, counted from the begin of that part; below, its first ticks.
    shown: Bounds,
    shown_from: u64,
    /// True until a wanted window was found.
    is_first: bool,
    /// The window before the cut, and the number of the cut where it begins.
    start: Option<(Option<usize>, Start<'a>)>,
    /// Checkpoints for later passes; `None` if the recording needs none.
    checkpoints: Option<Checkpoints>,
    wanted: Wanted,
    /// Number of wanted windows that were found between cuts so far.
    wanted_found: usize,
}

/// The windows that are to be interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    /// Windows from the first cut to the second, from the third to the fourth, and so on. At a cut where too little is known no window
    /// begins or ends, so this goes by the cuts' numbers.
    EverySecond,
    /// Windows that end after the cut with this number.
    After(usize),
}

impl Wanted {
    /// Returns true if the window between these cuts, given by their numbers, is wanted.
    fn has(self, from: Option<usize>, to: usize) -> bool {
        let is_second = |from: usize| from.is_multiple_of(2) && to == from + 1;
        match self {
            Wanted::All => true,
            Wanted::EverySecond => from.is_some_and(is_second),
            Wanted::After(cut) => to > cut,
        }
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
            clock: setup.clock.clone(),
            cuts,
            own: setup.own() as usize,
            cut,
            count: waiting.len(),
            waiting,
            there: Vec::new(),
            requests: OpenRequests::default(),
            until: u64::MAX,
            shown: Bounds::default(),
            shown_from: 0,
            is_first: true,
            start: Some((None, Start { streams: setup.streams(), before: None })),
            checkpoints,
            wanted,
            wanted_found: 0,
        }
    }

    /// These windows as a part of the run's time, which begins at these ticks.
    pub(super) fn showing(self, shown: Bounds, from: u64) -> Starts<'a> {
        Starts { shown, shown_from: from, ..self }
    }

    /// The windows from a time on at which this is known.
    pub(super) fn begin_with(self, (streams, before): (Vec<Stream<'a>>, Before)) -> Starts<'a> {
        let before = Some((before, Border::default()));
        Starts { start: Some((None, Start { streams, before })), ..self }
    }

    /// These windows without records that come after `until`, in ticks.
    pub(super) fn until(self, until: u64) -> Starts<'a> {
        Starts { until, ..self }
    }

    /// A stream to scan with its position, and the ticks up to which it is scanned.
    pub(super) fn next_scan(&mut self) -> Option<(u64, (usize, Scan<'a>))> {
        let (_, cut) = self.cut?;
        Some((cut, self.waiting.pop()?))
    }

    /// Returns true if no more windows will be found.
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
        let in_parts = self.wanted == Wanted::EverySecond;
        if !self.wanted.has(from, number) {
            return None;
        }
        self.wanted_found += 1;
        Some(self.window(start, (cut - 1, Some(border)), in_parts))
    }

    /// Number of wanted windows that were found, without the window at the end of the run.
    pub(super) fn wanted_found(&self) -> usize {
        self.wanted_found
    }

    /// Returns true if all streams were scanned to a cut, and none of them to the next one.
    pub(super) fn is_cut_reached(&self) -> bool {
        self.there.is_empty()
    }

    /// Words of the checkpoints for later passes; `None` if the recording needs none.
    pub(super) fn into_checkpoints(self) -> Option<Vec<u64>> {
        self.checkpoints.map(Checkpoints::into_words)
    }

    /// The last window, once no cut is left.
    pub(super) fn last(&mut self) -> Option<Window<'a>> {
        if self.cut.is_some() {
            return None;
        }
        self.waiting.clear();
        let (_, start) = self.start.take().filter(|_| self.wanted != Wanted::EverySecond)?;
        Some(self.window(start, (self.until, None), true))
    }

    /// A window that is wanted.
    fn window(
        &mut self,
        start: Start<'a>,
        (until, border): (u64, Option<Border>),
        in_parts: bool,
    ) -> Window<'a> {
        let is_of_part = matches!(self.wanted, Wanted::After(_));
        let is_first = std::mem::replace(&mut self.is_first, false);
        let is_first = is_first && (is_of_part || start.before.is_none());
        let waits = |(before, _): &(Before, _)| before.waits_since_before(self.shown_from);
        let begins = is_first || start.before.as_ref().is_some_and(waits);
        let is_bounded =
            (self.shown.from.is_some() && begins) || (self.shown.to.is_some() && border.is_none());
        let bounds = is_bounded.then_some(self.shown);
        Window { start, is_first, until, border, bounds, in_parts }
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
        let after = windows.filter(|(from, to)| Wanted::After(3).has(*from, *to));
        assert_eq!(
            after.collect::<Vec<_>>(),
            [(Some(2), 4), (Some(4), 5), (Some(5), 6), (Some(6), 7)]
        );
    }
}
