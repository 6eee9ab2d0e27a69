//! Events of streams: which stream recorded the one that another stream waits for.

use ompttrace_recorder::Locked;
use ompttrace_recording::device_records::{Activity, HOST, kind, sync};
use std::collections::{BTreeMap, VecDeque};

/// Records of events that are known at a time; the oldest are forgotten, because streams wait for recent ones.
const MOST: usize = 1 << 16;

static KNOWN: Locked<Option<Known>> = Locked::new(None);

/// An event is recorded (CUpti_ActivityCudaEvent, to which 2 adds fields at its end).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// The driver's number of the call that records it; later calls have greater ones.
    pub correlation: u32,
    /// The context and the stream in which it is recorded.
    pub context: u32,
    pub stream: u32,
    /// The event's number in its context.
    pub event: u32,
}

/// Streams by context, event, and number of the call. An event may be recorded again and again.
#[derive(Default)]
struct Known {
    streams: BTreeMap<(u32, u32, u32), u32>,
    /// Keys, oldest first.
    order: VecDeque<(u32, u32, u32)>,
}

impl Known {
    fn add(&mut self, event: Recorded, most: usize) {
        let key = (event.context, event.event, event.correlation);
        if self.streams.insert(key, event.stream).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > most
            && let Some(oldest) = self.order.pop_front()
        {
            self.streams.remove(&oldest);
        }
    }

    /// The last record of an event before a call.
    fn before(&self, context: u32, event: u32, call: u32) -> Option<Recorded> {
        let before = self.streams.range((context, event, 0)..(context, event, call));
        let (&(.., correlation), &stream) = before.last()?;
        Some(Recorded { correlation, context, stream, event })
    }
}

/// Remembers that an event is recorded.
pub(crate) fn recorded(event: Recorded) {
    KNOWN.with(|known| known.get_or_insert_default().add(event, MOST));
}

/// The record of the event for which a stream waits in this call; `None` if it waits for none, or that is not known.
pub(crate) fn waited_for(call: &Activity) -> Option<Activity> {
    if call.detail != sync::STREAM_WAITS {
        return None;
    }
    let event = u32::try_from(call.what).ok()?;
    let before =
        |known: &mut Option<Known>| known.as_ref()?.before(call.context, event, call.correlation);
    let found = KNOWN.with(before).flatten()?;
    Some(Activity {
        kind: kind::RECORDED,
        device: HOST,
        context: found.context,
        stream: found.stream,
        detail: found.event,
        correlation: found.correlation,
        begin: call.begin,
        end: call.begin,
        what: call.correlation.into(),
        host_op: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(event: u32, stream: u32, correlation: u32) -> Recorded {
        Recorded { correlation, context: 1, stream, event }
    }

    #[test]
    fn a_stream_waits_for_the_latest_record_before_its_call() {
        let mut known = Known::default();
        for one in [event(5, 7, 10), event(5, 8, 30), event(5, 9, 20), event(6, 10, 15)] {
            known.add(one, 100);
        }
        assert_eq!(known.before(1, 5, 25), Some(event(5, 9, 20)));
        assert_eq!(known.before(1, 5, 11), Some(event(5, 7, 10)));
        assert_eq!(known.before(1, 5, 10), None);
        assert_eq!(known.before(2, 5, 25), None);
        assert_eq!(known.before(1, 7, 25), None);
    }

    #[test]
    fn the_oldest_records_are_forgotten() {
        let mut known = Known::default();
        (1..=10).for_each(|call| known.add(event(call, 7, call), 3));
        assert_eq!(known.streams.len(), 3);
        assert_eq!(known.before(1, 7, 100), None);
        assert_eq!(known.before(1, 8, 100), Some(event(8, 7, 8)));
    }
}
