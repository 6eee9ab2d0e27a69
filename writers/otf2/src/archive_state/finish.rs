//! The end of an archive: what is still open is closed, all events reach their files.

use ompttrace_recording::Id;

use super::metrics::{Member, Metric};
use super::teams::Comm;
use super::threads::Tenants;
use super::track::Track;
use super::{ArchiveState, send, stream};
use crate::Error;
use crate::archive::{Archive, Markers};
use crate::op::What;
use std::sync::Arc;

/// A location that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub number: u64,
    pub events: u64,
}

/// A metric of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocationMetric {
    pub member: Member,
    /// The location that it is about, by its position.
    pub of: u32,
    /// Where its values are recorded.
    pub location: Location,
}

/// What the definitions need to know of the events.
#[derive(Debug)]
pub(crate) struct Finished {
    pub archive: Arc<Archive>,
    pub markers: Markers,
    /// Threads or logical threads, by number.
    pub tracks: Vec<Location>,
    /// The OS threads of each, in the view that has these.
    pub tenants: Vec<Tenants>,
    pub counters: Vec<Location>,
    /// By their numbers, which follow those of the counters.
    pub metrics: Vec<LocationMetric>,
    pub comms: Vec<Comm>,
    /// Time of the last event.
    pub last: u64,
    /// Tasks that were made and never came to an end.
    pub unfinished: usize,
}

impl Finished {
    /// Every location that has events of its own.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Location> {
        let metrics = self.metrics.iter().map(|metric| &metric.location);
        self.tracks.iter().chain(&self.counters).chain(metrics)
    }
}

impl ArchiveState {
    /// Ends all locations, and those of so many devices, which have no events.
    pub(crate) fn finish(mut self, devices: u32) -> Result<Finished, Error> {
        self.close_all();
        let counts = match self.pipe.take() {
            Some(mut pipe) => {
                let mut devices: Vec<_> = (0..devices).map(stream).map(Track::new).collect();
                let tracks = self.tracks.iter_mut().chain(&mut self.counters);
                let metrics = self.metrics.all.iter_mut().map(|metric| &mut metric.track);
                for track in tracks.chain(metrics).chain(&mut devices) {
                    send(&mut pipe, track, &mut self.broken);
                }
                pipe.finish()?
            }
            None => Default::default(),
        };
        let complete = |number: u64| Location {
            number,
            events: counts.get(&number).copied().unwrap_or_default(),
        };
        let metrics = self.metrics.all.iter().map(|metric| &metric.track);
        let last = self.tracks.iter().chain(&self.counters).chain(metrics).map(|track| track.last);
        let last = last.max().unwrap_or_default();
        let metric = |&Metric { member, of, ref track }: &Metric| LocationMetric {
            member,
            of,
            location: complete(track.location),
        };
        Ok(Finished {
            last,
            tracks: self.tracks.iter().map(|track| complete(track.location)).collect(),
            tenants: self.threads.tenants(),
            counters: self.counters.iter().map(|track| complete(track.location)).collect(),
            metrics: self.metrics.all.iter().map(metric).collect(),
            comms: self.teams.comms().to_vec(),
            unfinished: self.tasks.count(),
            archive: self.archive,
            markers: self.markers,
        })
    }

    /// The timeline ends everything that it began; a damaged recording may leave more than that.
    fn close_all(&mut self) {
        for track in 0..self.tracks.len() as u32 {
            while !self.track(track).below.is_empty() {
                self.member_end(track, 0);
            }
            if !self.track(track).top.running.is_none() {
                let task = self.track(track).top.running;
                self.task_over(track, 0, task);
                self.task_runs(track, 0, Id::NONE);
            }
            self.close_frames(track, 0, 0);
        }
        self.cut_suspended(0);
        for task in self.tasks.suspended() {
            self.task_over(0, 0, task);
        }
        for track in 0..self.tracks.len() as u32 {
            let windows = std::mem::take(&mut self.track(track).windows);
            for win in windows {
                self.track(track).add(0, What::RmaWinDestroy { win });
            }
        }
        self.teams.join_all();
        self.settle_teams(None);
    }

    /// Nobody will give back the locks that are held: the recording ends. A track that is in no team has ended
    /// with its last event.
    pub(crate) fn cut_locks(&mut self, at: u64) {
        for (track, lock, order) in self.locks.end_alone() {
            let in_team = !self.track(track).below.is_empty();
            let at = if in_team { at } else { 0 };
            self.ready(track).add(at, What::ThreadReleaseLock { lock, order });
            self.added(track);
        }
    }

    /// Suspended tasks will not go on: the recording ends. Those of outer teams end with these.
    pub(crate) fn cut_suspended(&mut self, at: u64) {
        self.tasks_go_on = false;
        for track in 0..self.tracks.len() as u32 {
            self.close_aside(track, at);
        }
    }
}
