//! Where windows begin: what is open there, and each stream from there on.

use crate::before::{Before, Scan, join};
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
    cuts: std::vec::IntoIter<u64>,
    /// How many of the streams are threads' own.
    own: usize,
    /// The cut to which streams are scanned now; `None`: there are no more.
    cut: Option<u64>,
    /// Streams that are not scanned yet, and those that are, with their positions.
    waiting: Vec<(usize, Scan<'a>)>,
    there: Vec<(usize, Scan<'a>)>,
    count: usize,
    /// The window before the cut.
    start: Option<Start<'a>>,
    /// What is kept for later passes.
    checkpoints: Option<Checkpoints>,
    wanted: Wanted,
}

/// Which windows are to be interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    /// Every second one, from the second on, and not the last one: this is the next one's turn.
    EverySecond(bool),
}

impl Wanted {
    /// Whether the next window is wanted.
    fn next(&mut self) -> bool {
        match self {
            Wanted::All => true,
            Wanted::EverySecond(next) => std::mem::replace(next, !*next),
        }
    }
}

impl<'a> Starts<'a> {
    pub(super) fn new(setup: &Setup<'a>, cuts: Cuts, wanted: Wanted) -> Starts<'a> {
        let checkpoints = Checkpoints::of(&cuts);
        let mut cuts = cuts.at.into_iter();
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
            start: Some(Start { streams: setup.streams(), before: None }),
            checkpoints,
            wanted,
        }
    }

    /// A stream to scan, and how far.
    pub(super) fn next_scan(&mut self) -> Option<(u64, (usize, Scan<'a>))> {
        self.cut.zip(self.waiting.pop())
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
        let found = self.cut.and_then(|cut| Some((cut, self.start_at(cut, &mut scans)?)));
        self.cut = match scans.iter().any(|scan| scan.is_unknown) {
            true => None,
            false => self.cuts.next(),
        };
        self.waiting = scans.into_iter().enumerate().collect();
        let (cut, next) = found?;
        let border = next.before.as_ref().map(|(_, border)| border.clone())?;
        let start = self.start.replace(next)?;
        let in_parts = self.wanted != Wanted::All;
        self.wanted.next().then_some(Window { start, end: Some((cut - 1, border)), in_parts })
    }

    /// Whether streams were scanned to every cut, instead of to where a scan cannot follow.
    pub(super) fn are_at_last_cut(&self) -> bool {
        self.cut.is_none() && self.cuts.as_slice().is_empty()
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
        let start = self.start.take().filter(|_| self.wanted == Wanted::All)?;
        Some(Window { start, end: None, in_parts: true })
    }

    /// The begin of the window after a cut, if enough is known there.
    fn start_at(&mut self, cut: u64, scans: &mut [Scan<'a>]) -> Option<Start<'a>> {
        let is_due = self.checkpoints.as_mut().is_some_and(Checkpoints::is_due);
        let before = join(scans)?;
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
