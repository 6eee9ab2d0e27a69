//! Synchronisation: which event a stream waits for, between which activities, and what a call of the host waits for.
//!
//! The driver reports the calls alone, with numbers that grow from call to call. So the wait of a stream lies between the last activity
//! of the stream that was requested before the call and the first one after it, and ends when the last activity is over that
//! was requested of the other stream before the event was recorded there. The calls are read before all activities, to be compared with them.

use ompttrace_recording::device_records::{Activity, Entry, HOST, each, kind, sync};
use std::collections::HashMap;
use std::io::Read;

/// Calls that are kept, of waits of streams and of others; what further ones wait for is not shown.
const MOST: usize = 1 << 18;

/// Events and streams that calls wait for, and arrows between activities.
#[derive(Debug, Default)]
pub(crate) struct Synchronizations {
    /// Calls that synchronise, by correlation number.
    pub(crate) calls: HashMap<u64, Synchronization>,
    /// Arrows from an activity to the one that waited for it, by the correlation number of either.
    pub(crate) from: HashMap<u64, Vec<u32>>,
    pub(crate) to: HashMap<u64, Vec<u32>>,
}

/// The stream or the event that a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Synchronization {
    pub(crate) stream: Option<u32>,
    pub(crate) event: Option<u32>,
}

/// The wait of a stream as the driver reports it.
#[derive(Debug)]
struct Call {
    wait: Activity,
    recorded: Option<Activity>,
}

/// The wait of a stream as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) device: u32,
    pub(super) context: u32,
    pub(super) stream: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The event, and the stream in which it was recorded.
    pub(super) event: u32,
    pub(super) recorder: u32,
    pub(super) correlation: u32,
}

/// Calls, and the activities next to them.
#[derive(Debug, Default)]
pub(super) struct Waits {
    calls: Vec<Call>,
    others: HashMap<u64, Synchronization>,
    neighbours: HashMap<(u32, u32), Neighbours>,
    /// The device of each context.
    devices: HashMap<u32, u32>,
    /// Number of all waits of streams.
    pub(super) count: u64,
}

/// A part of a stream's time, and the call that requested it.
#[derive(Clone, Copy, Debug)]
struct Part {
    correlation: u32,
    begin: u64,
    end: u64,
}

/// Calls to which a stream's activities are compared, and the first and last activity between two of them.
#[derive(Debug, Default)]
struct Neighbours {
    calls: Vec<u32>,
    first: Vec<Option<Part>>,
    last: Vec<Option<Part>>,
}

impl Neighbours {
    fn sort(&mut self) {
        self.calls.sort_unstable();
        self.calls.dedup();
        self.first = vec![None; self.calls.len() + 1];
        self.last = self.first.clone();
    }

    fn note(&mut self, part: Part) {
        let at = self.calls.partition_point(|call| *call <= part.correlation);
        let (Some(first), Some(last)) = (self.first.get_mut(at), self.last.get_mut(at)) else {
            return;
        };
        *first = earlier(Some(part), *first);
        *last = later(Some(part), *last);
    }

    /// Once all activities are known: from what is between two calls to what is after or before a call.
    fn settle(&mut self) {
        let mut known = None;
        for last in &mut self.last {
            known = later(known, *last);
            *last = known;
        }
        known = None;
        for first in self.first.iter_mut().rev() {
            known = earlier(known, *first);
            *first = known;
        }
    }

    /// The last activity that was requested before a call.
    fn before(&self, call: u32) -> Option<Part> {
        self.last.get(self.calls.partition_point(|other| *other < call)).copied().flatten()
    }

    /// The first activity that was requested after a call.
    fn after(&self, call: u32) -> Option<Part> {
        self.first.get(self.calls.partition_point(|other| *other <= call)).copied().flatten()
    }
}

/// The one that begins first.
fn earlier(one: Option<Part>, other: Option<Part>) -> Option<Part> {
    one.into_iter().chain(other).min_by_key(|part| part.begin)
}

/// The one that ends last.
fn later(one: Option<Part>, other: Option<Part>) -> Option<Part> {
    one.into_iter().chain(other).max_by_key(|part| part.end)
}

impl Waits {
    /// Reads the calls of a file. What cannot be read any more is not there.
    pub(super) fn of(file: impl Read) -> Waits {
        let mut waits = Waits::default();
        let mut by_call = HashMap::new();
        let _ = each(file, |entry| match entry {
            Entry::Activity(call) if call.kind == kind::SYNC => {
                waits.take_call(&call, &mut by_call)
            }
            Entry::Activity(recorded) if recorded.kind == kind::RECORDED => {
                let call = by_call.get(&recorded.what).copied();
                if let Some(call) = call.and_then(|at: usize| waits.calls.get_mut(at)) {
                    call.recorded = Some(recorded);
                }
            }
            _ => {}
        });
        for Call { wait, recorded } in &waits.calls {
            for call in [Some(wait), recorded.as_ref()].into_iter().flatten() {
                let of = waits.neighbours.entry((call.context, call.stream)).or_default();
                of.calls.push(call.correlation);
            }
        }
        waits.neighbours.values_mut().for_each(Neighbours::sort);
        waits
    }

    fn take_call(&mut self, call: &Activity, by_call: &mut HashMap<u64, usize>) {
        let known = |number: u32| Some(number).filter(|number| *number != sync::NONE);
        let correlation = u64::from(call.correlation);
        if self.others.len() < MOST {
            let event = known(call.what as u32)
                .filter(|_| matches!(call.detail, sync::EVENT | sync::STREAM_WAITS));
            let stream = known(call.stream).filter(|_| call.detail != sync::CONTEXT);
            self.others.insert(correlation, Synchronization { stream, event });
        }
        if call.detail == sync::STREAM_WAITS {
            self.count = self.count.saturating_add(1);
            if self.calls.len() < MOST {
                by_call.insert(correlation, self.calls.len());
                self.calls.push(Call { wait: *call, recorded: None });
            }
        }
    }

    /// Compares an activity with the calls.
    pub(super) fn note(&mut self, activity: &Activity) {
        let Activity { device, context, stream, correlation, begin, end, .. } = *activity;
        if self.calls.is_empty() || device == HOST {
            return;
        }
        self.devices.insert(context, device);
        if correlation != 0
            && let Some(neighbours) = self.neighbours.get_mut(&(context, stream))
        {
            neighbours.note(Part { correlation, begin, end });
        }
    }

    /// The waits, and what else is known of the calls.
    pub(super) fn finish(self) -> (Vec<Wait>, Synchronizations) {
        let Waits { calls, others, mut neighbours, devices, .. } = self;
        neighbours.values_mut().for_each(Neighbours::settle);
        let mut known = Synchronizations { calls: others, ..Synchronizations::default() };
        let mut waits = Vec::new();
        for (Call { wait, recorded }, flow) in calls.iter().zip(0u32..) {
            let Some(recorded) = recorded else { continue };
            let of = |call: &Activity| neighbours.get(&(call.context, call.stream));
            let source = of(recorded).and_then(|of| of.before(recorded.correlation));
            let before = of(wait).and_then(|of| of.before(wait.correlation));
            let after = of(wait).and_then(|of| of.after(wait.correlation));
            if let (Some(source), Some(after)) = (source, after)
                && source.begin < after.begin
            {
                known.from.entry(source.correlation.into()).or_default().push(flow);
                known.to.entry(after.correlation.into()).or_default().push(flow);
            }
            // The stream waits from the call on, and once it is done with what was requested before.
            let begin = before.map_or(wait.end, |before| before.end.max(wait.end));
            let next = after.map_or(u64::MAX, |after| after.begin);
            let Some(device) = devices.get(&wait.context).filter(|_| begin <= next) else {
                continue;
            };
            let over = source.map_or(begin, |source| source.end.clamp(begin, next));
            waits.push(Wait {
                device: *device,
                context: wait.context,
                stream: wait.stream,
                begin,
                end: over,
                event: recorded.detail,
                recorder: recorded.stream,
                correlation: wait.correlation,
            });
        }
        (waits, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wait of stream 8 in a call, at this time, for an event that stream 7 recorded in another call.
    fn file(waits: &[(u32, u64, u32)]) -> Vec<u8> {
        let mut words = Vec::new();
        for (correlation, at, recorded) in waits {
            let call = Activity {
                kind: kind::SYNC,
                device: HOST,
                context: 1,
                stream: 8,
                detail: sync::STREAM_WAITS,
                correlation: *correlation,
                begin: *at,
                end: *at + 1,
                what: 5,
                ..Activity::default()
            };
            Entry::Activity(call).put(&mut words);
            let event = Activity {
                kind: kind::RECORDED,
                stream: 7,
                detail: 5,
                correlation: *recorded,
                what: u64::from(*correlation),
                ..call
            };
            Entry::Activity(event).put(&mut words);
        }
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// The waits' begins and ends, and what arrows lead from and to, given activities: stream, call, begin, end.
    fn waits(calls: &[(u32, u64, u32)], activities: &[(u32, u32, u64, u64)]) -> Vec<(u64, u64)> {
        let mut waits = Waits::of(&file(calls)[..]);
        for (stream, correlation, begin, end) in activities {
            let activity = Activity {
                device: 3,
                context: 1,
                stream: *stream,
                correlation: *correlation,
                begin: *begin,
                end: *end,
                ..Activity::default()
            };
            waits.note(&activity);
        }
        let (waits, known) = waits.finish();
        assert!(waits.iter().all(|wait| (wait.device, wait.recorder, wait.event) == (3, 7, 5)));
        let arrows = known.from.values().map(Vec::len).sum::<usize>();
        assert_eq!(arrows, known.to.values().map(Vec::len).sum::<usize>());
        waits.iter().map(|wait| (wait.begin, wait.end)).collect()
    }

    #[test]
    fn a_stream_waits_until_the_other_one_is_done() {
        // Recorded in call 20 after activities of calls 10 and 11; call 22 waits between activities of calls 9 and 23.
        let activities = [
            (8, 23, 900, 950),
            (7, 10, 100, 300),
            (7, 11, 300, 800),
            (7, 21, 810, 990),
            (8, 9, 90, 400),
        ];
        assert_eq!(waits(&[(22, 50, 20)], &activities), [(400, 800)]);
        // It was done before the stream was.
        assert_eq!(waits(&[(22, 50, 20)], &[(7, 10, 100, 200), (8, 9, 90, 400)]), [(400, 400)]);
        // Nothing was requested before the event.
        assert_eq!(waits(&[(22, 50, 20)], &[(8, 23, 900, 950)]), [(51, 51)]);
        // Several events at a time.
        let both = [(22, 50, 20), (24, 60, 21)];
        let activities = [(7, 10, 100, 300), (7, 20, 300, 700), (8, 30, 710, 720)];
        assert_eq!(waits(&both, &activities), [(51, 300), (61, 700)]);
    }

    #[test]
    fn arrows_lead_from_what_is_waited_for_to_what_waits() {
        let mut waits = Waits::of(&file(&[(22, 50, 20)])[..]);
        let of = |stream, correlation, begin, end| Activity {
            context: 1,
            stream,
            correlation,
            begin,
            end,
            ..Activity::default()
        };
        for one in
            [of(7, 10, 100, 300), of(7, 11, 300, 800), of(8, 23, 900, 950), of(8, 24, 960, 970)]
        {
            waits.note(&one);
        }
        let known = waits.finish().1;
        assert_eq!((&known.from[&11], &known.to[&23]), (&vec![0], &vec![0]));
        assert_eq!((known.from.len(), known.to.len()), (1, 1));
        assert_eq!(known.calls[&22], Synchronization { stream: Some(8), event: Some(5) });
    }

    /// Nothing is known of their contexts or events.
    #[test]
    fn waits_without_activities_or_events_are_counted_alone() {
        let (mut bytes, count) = (file(&[(22, 50, 20), (24, 60, 21)]), 8 * 8);
        bytes.truncate(bytes.len() - count);
        let waits = Waits::of(&bytes[..]);
        assert_eq!((waits.count, waits.finish().0), (2, Vec::new()));
    }
}
