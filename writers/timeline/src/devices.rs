//! Devices that recorded themselves: the lines of `devices` as threads of their own, on the host's clock.
//!
//! Each thread of a device, and each hardware id of its native records, is a thread of the timeline
//! behind those of the host.

use crate::sink::ThreadInfo;
use ompttrace_recording::events::{DeviceNative, EventCode, Scope, Text};
use ompttrace_recording::reader::Stream;
use ompttrace_recording::{Recording, words};
use std::collections::BTreeMap;

/// Ticks between two pairs of clocks that count by themselves: nearer ones tell more of how long it took
/// to read them than of the clocks.
const APART: u64 = 100_000_000;
/// More threads than any device has; further records go to the last one.
const MOST_THREADS: usize = 4096;

/// What `devices` holds.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    /// In the order of their numbers behind the host's.
    pub(crate) threads: Vec<Device>,
    /// Lines that are none of ours.
    pub(crate) unreadable: u64,
}

/// One thread of a device with its records, by time.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) info: ThreadInfo,
    records: Vec<(u64, Vec<u64>)>,
}

impl Device {
    /// The times of its first and last record.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        Some((self.records.first()?.0, self.records.last()?.0))
    }

    /// Its records.
    pub(crate) fn stream<'a>(&self) -> Stream<'a> {
        let first = self.span().map_or(0, |span| span.0);
        let words = self.records.iter().flat_map(|(_, words)| words.iter().copied());
        Stream::of_words(words.collect(), first)
    }
}

/// A device's clock: pairs of host ticks and device time.
#[derive(Debug, Default)]
struct Clock(Vec<(u64, u64)>);

impl Clock {
    fn add(&mut self, ticks: u64, time: u64) {
        // A pair between two others says nothing if it is too near to the one before.
        if let [.., before, last] = self.0[..]
            && last.0 < before.0.saturating_add(APART)
        {
            self.0.pop();
        }
        if self.0.last().is_none_or(|last| last.0 < ticks && last.1 < time) {
            self.0.push((ticks, time));
        }
    }

    /// The host's ticks at a device's time: on the line through the pairs around it, or the nearest two.
    fn ticks(&self, time: u64) -> u64 {
        let behind = self.0.partition_point(|pair| pair.1 <= time);
        let second = behind.clamp(1, self.0.len().saturating_sub(1).max(1));
        match (self.0.get(second - 1), self.0.get(second)) {
            (Some(a), Some(b)) => {
                let way = i128::from(time) - i128::from(a.1);
                let ticks =
                    way.checked_mul(i128::from(b.0 - a.0)).map(|t| t / i128::from(b.1 - a.1));
                ticks.and_then(|t| u64::try_from(i128::from(a.0) + t).ok()).unwrap_or(0)
            }
            (Some(a), None) => a.0,
            _ => 0,
        }
    }
}

/// A line of `devices`.
enum Line<'t> {
    Device(u64, &'t str),
    Clock(u64, u64, u64),
    Event { device: u64, thread: u64, time: u64, code: EventCode, words: Vec<u64> },
    Native { device: u64, hardware: i64, time: u64, kind: u64, name: &'t str },
}

fn line(text: &str) -> Option<Line<'_>> {
    let (word, rest) = text.split_once(' ')?;
    let mut words = rest.splitn(5, ' ');
    let mut number = || words.next()?.parse::<u64>().ok();
    Some(match word {
        "device" => {
            let (device, name) = rest.split_once(' ').unwrap_or((rest, ""));
            Line::Device(device.parse().ok()?, name)
        }
        "clock" => Line::Clock(number()?, number()?, number()?),
        "event" => {
            let (device, thread, time) = (number()?, number()?, number()?);
            let code = EventCode(u8::from_str_radix(words.next()?, 16).ok()?);
            let payload = words.next().unwrap_or("").split_ascii_whitespace();
            let payload: Option<Vec<u64>> =
                payload.map(|word| u64::from_str_radix(word, 16).ok()).collect();
            let words = payload.filter(|words| words.len() + 1 == code.words())?;
            Line::Event { device, thread, time, code, words }
        }
        "native" => {
            let mut words = rest.splitn(5, ' ');
            let device = words.next()?.parse().ok()?;
            let hardware = words.next()?.parse().ok()?;
            let (time, kind) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Line::Native { device, hardware, time, kind, name: words.next().unwrap_or("") }
        }
        _ => return None,
    })
}

/// Which thread of the timeline a record belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Thread(u64, u64),
    Hardware(u64, i64),
}

/// The words of an event's records, and the device's time of them.
type Timed = (u64, Vec<Vec<u64>>);

/// What was read of `devices` so far.
#[derive(Debug, Default)]
struct Reading<'t> {
    clocks: BTreeMap<u64, Clock>,
    names: BTreeMap<u64, &'t str>,
    lanes: BTreeMap<Lane, Vec<Timed>>,
    /// The time of each device's last record.
    latest: BTreeMap<u64, u64>,
}

impl<'t> Reading<'t> {
    fn take(&mut self, line: Line<'t>) {
        match line {
            Line::Device(device, name) => drop(self.names.insert(device, name)),
            Line::Clock(device, ticks, time) => {
                self.clocks.entry(device).or_default().add(ticks, time);
            }
            Line::Event { device, thread, time, code, words } => {
                let record = [&[words::header(0, code.0)][..], &words].concat();
                self.add(Lane::Thread(device, thread), device, time, vec![record]);
            }
            Line::Native { device, hardware, time, kind, name } => {
                let records = native(hardware, kind, name);
                self.add(Lane::Hardware(device, hardware), device, time, records);
            }
        }
    }

    fn add(&mut self, lane: Lane, device: u64, time: u64, records: Vec<Vec<u64>>) {
        let begin = self.clocks.get(&device).and_then(|clock| clock.0.first());
        let before = self.latest.entry(device).or_insert_with(|| begin.map_or(0, |pair| pair.1));
        let time = if time == 0 { *before } else { time };
        *before = time;
        let known = self.lanes.len() < MOST_THREADS || self.lanes.contains_key(&lane);
        let lane = if known { lane } else { Lane::Hardware(device, -1) };
        self.lanes.entry(lane).or_default().push((time, records));
    }

    fn finish(mut self, first_number: u32) -> Vec<Device> {
        let lanes = std::mem::take(&mut self.lanes).into_iter().zip(0u32..);
        let device = |((lane, records), number)| {
            let (device, thread) = match lane {
                Lane::Thread(device, thread) => (device, format!("thread {thread}")),
                Lane::Hardware(device, hardware) => (device, format!("hardware {hardware}")),
            };
            let name = match self.names.get(&device) {
                Some(kind) => format!("device {device} {thread}: {kind}"),
                None => format!("device {device} {thread}"),
            };
            let number = first_number.saturating_add(number);
            let info = ThreadInfo { number, os_thread: 0, name, kind: DEVICE };
            let clock = self.clocks.entry(device).or_default();
            Device { info, records: on_host(clock, records) }
        };
        lanes.map(device).collect()
    }
}

impl Devices {
    /// Reads the devices of a recording; nothing where there are none.
    pub(crate) fn of(recording: &Recording) -> Devices {
        let first = recording
            .threads
            .iter()
            .map(|thread| thread.number.saturating_add(1))
            .max()
            .unwrap_or(0);
        Devices::from_text(&String::from_utf8_lossy(&recording.devices_text()), first)
    }

    fn from_text(text: &str, first_number: u32) -> Devices {
        let (mut reading, mut unreadable) = (Reading::default(), 0);
        for text in text.lines() {
            match line(text) {
                Some(line) => reading.take(line),
                None => unreadable += text.len() as u64 + 1,
            }
        }
        Devices { threads: reading.finish(first_number), unreadable }
    }
}

/// What a thread of a device is among ompt_thread_t: none of its own.
pub(crate) const DEVICE: u64 = 512;

/// Records by time, with the host's ticks in their headers.
fn on_host(clock: &Clock, records: Vec<Timed>) -> Vec<(u64, Vec<u64>)> {
    let placed = records.into_iter().map(|(time, mut records)| {
        let ticks = clock.ticks(time);
        for record in &mut records {
            if let Some(header) = record.first_mut() {
                *header = words::header(ticks, words::header_code(*header));
            }
        }
        (ticks, records.concat())
    });
    let mut placed: Vec<_> = placed.collect();
    placed.sort_by_key(|(ticks, _)| *ticks);
    placed
}

/// A native record and its name.
fn native(hardware: i64, kind: u64, name: &str) -> Vec<Vec<u64>> {
    let record = |number, words: &[u64]| {
        let code = EventCode::new(number, Scope::None);
        [&[words::header(0, code.0)][..], words].concat()
    };
    let bytes = name.as_bytes();
    let event = DeviceNative { kind, text_bytes: bytes.len() as u64, hardware: hardware as u64 };
    let mut records = vec![record(DeviceNative::NUMBER, &event.words())];
    for piece in bytes.chunks(24) {
        let mut text = [0u8; 24];
        text.iter_mut().zip(piece).for_each(|(place, byte)| *place = *byte);
        let word = |at: usize| {
            let bytes = text.iter().skip(at).take(8).rev();
            bytes.fold(0u64, |word, byte| word << 8 | u64::from(*byte))
        };
        let text = Text { first: word(0), second: word(8), third: word(16) };
        records.push(record(Text::NUMBER, &text.words()));
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::Event;

    #[test]
    fn a_devices_time_is_the_hosts_on_the_line_between_pairs() {
        let mut clock = Clock::default();
        let far = 10 * APART;
        // Twice as fast as the host, then three times, with pairs that are too near in between.
        for (ticks, time) in [(1000, 5000), (1010, 5600), (1000 + far, 5000 + 2 * far)] {
            clock.add(ticks, time);
        }
        clock.add(1000 + 2 * far, 5000 + 5 * far);
        assert_eq!(clock.ticks(5000), 1000);
        assert_eq!(clock.ticks(5000 + far), 1000 + far / 2);
        assert_eq!(clock.ticks(5000 + 2 * far + 300), 1000 + far + 100);
        assert_eq!(clock.ticks(5000 + 8 * far), 1000 + 3 * far);
        assert_eq!(clock.ticks(4000), 500);
        assert_eq!(Clock::default().ticks(7), 0);
        assert_eq!(Clock(vec![(3, 4)]).ticks(7), 3);
        assert_eq!(Clock(vec![(0, 1), (u64::MAX, 2)]).ticks(u64::MAX), 0);
    }

    #[test]
    fn lines_become_threads_with_records_in_order() {
        let code = EventCode::new(29, Scope::None).0;
        let bad = format!("nonsense 1\nevent 1 7 200 {code:x}\nclock 1 2\n");
        let good = format!(
            "device 1 a box\nclock 1 1000 10\nevent 1 7 300 {code:x} 0\n\
             native 1 -1 0 1 a name of more than 24 bytes\nevent 1 7 200 {code:x} 0\n\
             clock 1 1000000000 1000000010\n"
        );
        let devices = Devices::from_text(&(good + &bad), 5);
        assert_eq!(devices.unreadable, bad.len() as u64);
        let names: Vec<_> = devices.threads.iter().map(|device| &device.info.name[..]).collect();
        assert_eq!(names, ["device 1 thread 7: a box", "device 1 hardware -1: a box"]);
        assert_eq!(devices.threads[1].info.number, 6);
        let mut stream = devices.threads[0].stream();
        let mut times = Vec::new();
        while stream.take(|record| times.push(record.ticks)).is_some() {}
        assert!(times.len() == 2 && times[0] < times[1], "{times:?}");
        let mut stream = devices.threads[1].stream();
        let mut events = Vec::new();
        while stream.take(|record| events.push((record.ticks, record.event()))).is_some() {}
        assert_eq!(events.len(), 3);
        assert_eq!(events[0].0, times[1]);
        assert!(matches!(events[0].1, Event::DeviceNative(DeviceNative { kind: 1, .. })));
    }
}
