//! A core's switches, as the kernel's scheduler has them: encoded at once and by hand, as programs that wait much have as many of
//! them as events.

use super::cursor::wide_varint;
use super::wire::{put_varint, tag};

/// The priority of threads without one of their own.
const PRIORITY: u64 = 120;
/// More than a switch takes, with what wide stores put behind it.
const ROOM: usize = 128;

/// Switches of one core, which become one packet.
#[derive(Debug, Default)]
pub struct SwitchEvents {
    bytes: Vec<u8>,
    count: usize,
}

impl SwitchEvents {
    /// Appends a switch, at a time of CLOCK_BOOTTIME, from a thread, with the kernel's number of its state then, to another one.
    pub fn push(&mut self, at: u64, (before, state): (i32, i64), next: i32) {
        let mut event = Fields { bytes: [0; ROOM], at: 0 };
        let whole = event.open(tag::BUNDLE_EVENT);
        event.field(tag::FTRACE_TIMESTAMP, at);
        event.field(tag::FTRACE_PID, u64::from(before as u32));
        let switch = event.open(tag::FTRACE_SWITCH);
        // Negative numbers of 32 bits are written as such of 64.
        event.field(tag::SWITCH_BEFORE, i64::from(before) as u64);
        event.field(tag::SWITCH_BEFORE_PRIORITY, PRIORITY);
        event.field(tag::SWITCH_STATE, state as u64);
        event.field(tag::SWITCH_NEXT, i64::from(next) as u64);
        event.field(tag::SWITCH_NEXT_PRIORITY, PRIORITY);
        event.close(switch);
        event.close(whole);
        self.bytes.extend_from_slice(&event.bytes[..event.at]);
        self.count += 1;
    }

    /// Number of switches that were appended since the last [`SwitchEvents::clear`].
    pub fn count(&self) -> usize {
        self.count
    }

    /// All of them, as fields of a bundle.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets them, and keeps the room that they took.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// The messages that a reader finds.
    #[cfg(test)]
    pub fn decoded(&self) -> Vec<ompttrace_perfetto_protos::FtraceEvent> {
        use ompttrace_perfetto_protos::{FtraceEventBundle, Message};
        FtraceEventBundle::decode(&self.bytes[..]).expect("whole messages").event
    }
}

/// The fields of a switch: five numbers of at most ten bytes, four of at most two, and lengths of one.
struct Fields {
    bytes: [u8; ROOM],
    at: usize,
}

impl Fields {
    /// Appends a field whose tag is of one byte.
    #[inline(always)]
    fn field(&mut self, tag: u32, value: u64) {
        self.bytes[self.at % ROOM] = tag as u8;
        self.at += 1;
        match wide_varint(value) {
            Some((bytes, length)) => {
                let at = self.at % (ROOM - 8);
                self.bytes[at..at + 8].copy_from_slice(&bytes);
                self.at += length;
            }
            None => self.long_varint(value),
        }
    }

    #[cold]
    fn long_varint(&mut self, value: u64) {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, value);
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(&bytes);
        self.at += bytes.len();
    }

    /// Opens a message and says where its length belongs.
    #[inline(always)]
    fn open(&mut self, tag: u32) -> usize {
        self.bytes[self.at % ROOM] = tag as u8;
        self.at += 2;
        self.at - 1
    }

    /// Closes a message, which is shorter than 128 bytes.
    #[inline(always)]
    fn close(&mut self, mark: usize) {
        self.bytes[mark % ROOM] = (self.at - mark - 1) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_perfetto_protos::{FtraceEvent, SchedSwitchFtraceEvent};

    #[test]
    fn a_switch_is_what_prost_makes_of_it() {
        let cases = [
            (0, (0, 0), 1),
            (u64::MAX, (i32::MAX, 512), 0),
            (1 << 55, (-1, -1), i32::MIN),
            (1 << 56, (127, 1), 128),
        ];
        let mut events = SwitchEvents::default();
        let expected = cases.map(|(at, (before, state), next)| {
            events.push(at, (before, state), next);
            let priority = Some(PRIORITY as i32);
            FtraceEvent {
                timestamp: Some(at),
                pid: Some(before as u32),
                sched_switch: Some(SchedSwitchFtraceEvent {
                    prev_pid: Some(before),
                    prev_prio: priority,
                    prev_state: Some(state),
                    next_pid: Some(next),
                    next_prio: priority,
                    ..SchedSwitchFtraceEvent::default()
                }),
            }
        });
        assert_eq!((events.decoded(), events.count()), (expected.to_vec(), 4));
        events.clear();
        assert!(events.bytes().is_empty() && events.count() == 0);
    }
}
