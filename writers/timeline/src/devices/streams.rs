//! Activities of accelerators (`device_records`) as records of threads: one for each stream of a device, and more where activities
//! of one stream overlap, as those of a graph do.

use super::line::native;
use super::waits::{Synchronizations, Waits};
use super::{DeviceThread, Reading, Unit};
use ompttrace_recording::device_records::{Activity, Entry, UNIFIED, each, kind, sync};
use ompttrace_recording::events::{DeviceActivity, EventCode, Scope};
use ompttrace_recording::words;
use std::collections::HashMap;
use std::io::Read;

/// Activities of one stream at the same time; more are drawn where they overlap.
const MOST_LANES: usize = 64;
/// Streams whose lanes are known; no program has more.
const MOST_STREAMS: usize = 1 << 16;
/// The most names of kernels that are kept.
const MOST_TEXTS: usize = 1 << 16;

/// The key of the clock that activities of all accelerators are timed by, among those of devices.
pub(super) const CLOCK: u64 = u64::MAX;

/// Streams found so far.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Names of kernels, by the numbers that activities have.
    pub(super) texts: HashMap<u64, String>,
    /// Activities that the driver had no room for.
    pub(super) lost: u64,
    /// Waits of streams for events.
    pub(super) waits: Waits,
    /// End of the last activity of each lane, by device, context and stream.
    lanes: HashMap<(u32, u32, u32), Vec<u64>>,
}

impl Reading<'_> {
    /// Reads the whole file; returns how many bytes were none of its entries. What cannot be read any more is not there.
    pub(super) fn take_records(&mut self, file: impl Read) -> u64 {
        each(file, |entry| self.take_entry(entry)).unwrap_or(0)
    }

    fn take_entry(&mut self, entry: Entry) {
        match entry {
            Entry::Device { device, name } => self.name(device.into(), &name),
            Entry::Clock { ticks, time } => self.clocks.entry(CLOCK).or_default().add(ticks, time),
            Entry::Text { number, text } => {
                if self.streams.texts.len() < MOST_TEXTS {
                    self.streams.texts.insert(number, text);
                }
            }
            Entry::Activity(activity) => self.take_activity(&activity),
            Entry::DeviceClock { device, ticks, time } => {
                self.clocks.entry(device.into()).or_default().add(ticks, time);
            }
            Entry::Event { device, thread, time, code, payload } => {
                let words = [&[words::header(0, code.0)][..], &payload].concat();
                self.add((device.into(), Unit::Thread(thread)), time, &words);
            }
            Entry::Native { device, hardware, time, kind, text } => {
                let words = native(hardware, kind, &text);
                self.add((device.into(), Unit::Hardware(hardware.max(-1))), time, &words);
            }
            Entry::Lost { count } => {
                self.streams.lost = self.streams.lost.saturating_add(count);
            }
        }
    }

    fn take_activity(&mut self, activity: &Activity) {
        let Activity { device, context, stream, begin, end, .. } = *activity;
        // They were read before.
        if matches!(activity.kind, kind::SYNC | kind::RECORDED) {
            return;
        }
        // Drivers report so that they do not know the time.
        if begin == 0 {
            self.streams.lost = self.streams.lost.saturating_add(1);
            return;
        }
        let end = end.max(begin);
        let (unit, correlation) = match activity.kind {
            // Calls of one thread are nested.
            kind::CALL => (Unit::Calls(context), activity.correlation),
            kind::UNIFIED => {
                let lane = self.streams.lane((device, UNIFIED, 0), begin, end);
                // The number of records that it is the sum of.
                (Unit::Stream { context: UNIFIED, stream: 0, lane }, stream)
            }
            _ => {
                self.streams.waits.note(activity);
                let lane = self.streams.lane((device, context, stream), begin, end);
                (Unit::Stream { context, stream, lane }, activity.correlation)
            }
        };
        let event = DeviceActivity {
            kind: activity.kind.into(),
            detail: activity.detail.into(),
            what: activity.what,
            host_op: activity.host_op,
            correlation: correlation.into(),
        };
        self.put_activity((device.into(), unit), (begin, end), &event);
    }

    /// The waits of streams, once all activities are known.
    pub(super) fn take_waits(&mut self) -> Synchronizations {
        let (waits, known) = std::mem::take(&mut self.streams.waits).finish();
        for wait in waits {
            let unit = Unit::Stream { context: wait.context, stream: wait.stream, lane: 0 };
            let event = DeviceActivity {
                kind: kind::SYNC.into(),
                detail: sync::STREAM_WAITS.into(),
                what: u64::from(wait.recorder) << 32 | u64::from(wait.event),
                host_op: 0,
                correlation: wait.correlation.into(),
            };
            self.put_activity((wait.device.into(), unit), (wait.begin, wait.end), &event);
        }
        known
    }

    fn put_activity(&mut self, of: DeviceThread, (begin, end): (u64, u64), event: &DeviceActivity) {
        for (scope, time) in [(Scope::Begin, begin), (Scope::End, end)] {
            let code = EventCode::new(DeviceActivity::NUMBER, scope);
            let words = [&[words::header(0, code.0)][..], &event.words()].concat();
            self.put(of, time, &words);
        }
    }
}

impl Streams {
    /// No streams so far, and the waits of a file.
    pub(super) fn with(waits: Waits) -> Streams {
        Streams { waits, ..Streams::default() }
    }

    /// The first lane of a stream in which no activity is in progress at `begin`.
    fn lane(&mut self, stream: (u32, u32, u32), begin: u64, end: u64) -> u32 {
        if self.lanes.len() >= MOST_STREAMS && !self.lanes.contains_key(&stream) {
            return 0;
        }
        let lanes = self.lanes.entry(stream).or_default();
        let free = lanes.iter().position(|over| *over <= begin);
        let lane = free.unwrap_or(lanes.len().min(MOST_LANES - 1));
        match lanes.get_mut(lane) {
            Some(over) => *over = end,
            None => lanes.push(end),
        }
        lane as u32
    }
}
