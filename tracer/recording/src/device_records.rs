//! Layout of the file `device_records`: what accelerators did, as their drivers report it afterwards, in words.
//!
//! An entry is a header word and its payload. The file is only appended to, whole entries at a time; what a kill has torn off
//! at its end is no entry. Times are those of the driver's clock, which [`Entry::Clock`] relates
//! to the host's.

use crate::events::EventCode;
use crate::words::Halves;
pub use each::each;

mod each;
pub mod unified;

/// The highest 16 bits of each header: a word without them begins no entry.
const MAGIC: u64 = 0xd5c3;
/// The most words that a recorder puts into an entry.
pub const MOST_WORDS: usize = 255;
/// The most bytes of a text in an entry; longer ones are cut there.
pub const MOST_TEXT: usize = 8 * (MOST_WORDS - 7);

const DEVICE: u64 = 1;
const CLOCK: u64 = 2;
const TEXT: u64 = 3;
const ACTIVITY: u64 = 4;
const LOST: u64 = 5;
const DEVICE_CLOCK: u64 = 6;
const EVENT: u64 = 7;
const NATIVE: u64 = 8;

/// An entry of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A device's name, such as `NVIDIA H100`.
    Device {
        /// Its number in its driver.
        device: u32,
        /// The name.
        name: String,
    },
    /// One instant on the host's clock, in ticks, and on the one that activities are timed by.
    Clock {
        /// Host ticks.
        ticks: u64,
        /// The other clock's time.
        time: u64,
    },
    /// The name of kernels, or of functions, by a number that later activities have.
    Text {
        /// The number.
        number: u64,
        /// The name as the driver has it, which may be a mangled one.
        text: String,
    },
    /// Something that a device did.
    Activity(Activity),
    /// Activities that the driver could not report, because it had no room.
    Lost {
        /// Their number.
        count: u64,
    },
    /// As [`Entry::Clock`], of a device that has a clock of its own.
    DeviceClock {
        /// The device.
        device: u32,
        /// Host ticks.
        ticks: u64,
        /// The device's time.
        time: u64,
    },
    /// A record as those of the host's threads, of a device that traces itself by the interface of 2014.
    Event {
        /// The device.
        device: u32,
        /// The number that it gives the thread.
        thread: u64,
        /// The device's time; 0: that of the record before.
        time: u64,
        /// The event.
        code: EventCode,
        /// Its payload.
        payload: Vec<u64>,
    },
    /// A record in the form of such a device.
    Native {
        /// The device.
        device: u32,
        /// The part of the device; a negative number is none.
        hardware: i64,
        /// The device's time; 0: that of the record before.
        time: u64,
        /// 1: information, 2: an event.
        kind: u64,
        /// The device's name of it.
        text: String,
    },
}

/// Kinds of activities.
pub mod kind {
    /// A kernel. `what`: the number of its name.
    pub const KERNEL: u32 = 1;
    /// A copy. `what`: bytes; `detail`: the direction as CUPTI numbers it (CUpti_ActivityMemcpyKind).
    pub const COPY: u32 = 2;
    /// Memory is set. `what`: bytes; `detail`: the value.
    pub const SET: u32 = 3;
    /// Something else. `what`: the number of its name.
    pub const OTHER: u32 = 4;
    /// A target construct, from its begin to its end on the device. `what`: its id; `detail`: ompt_target_t.
    pub const REGION: u32 = 5;
    /// A call of CUDA on the host, on device [`HOST`](super::HOST); `context`: the calling thread's id in the system; `what`: the number
    /// of its function's name; `detail`: its result; `correlation`: as the activities that it causes have it.
    pub const CALL: u32 = 6;
    /// A counter of unified memory, in context [`UNIFIED`](super::UNIFIED). `detail`: [`unified`](super::unified); `what`: the counter's
    /// value as CUPTI defines it for each; `stream`: number of the driver's records that this one is the sum of; `host_op`: the
    /// address of the memory, of the first of them.
    pub const UNIFIED: u32 = 7;
    /// A synchronisation, on device [`HOST`](super::HOST). `detail`: [`sync`](super::sync); `context` and `stream`: whose; `what`: the
    /// event's number; `correlation`: that of the call. Begin and end are those of the call.
    pub const SYNC: u32 = 8;
    /// The record of the event for which a stream waits, after the [`SYNC`] of that: on device [`HOST`](super::HOST), in this
    /// context and stream. `detail`: the event's number; `correlation`: that of the call that recorded it; `what`: that of the call that
    /// waits. Begin and end are the begin of the latter, because the driver knows no time.
    pub const RECORDED: u32 = 9;
}

/// Kinds of synchronisation (CUpti_ActivitySynchronizationType).
pub mod sync {
    /// The host waits for an event.
    pub const EVENT: u32 = 1;
    /// A stream waits for an event.
    pub const STREAM_WAITS: u32 = 2;
    /// The host waits for a stream.
    pub const STREAM: u32 = 3;
    /// The host waits for a context.
    pub const CONTEXT: u32 = 4;
    /// The stream or the event of a synchronisation that has none.
    pub const NONE: u32 = u32::MAX;
}

/// The device of [`kind::CALL`]: none, the host itself.
pub const HOST: u32 = u32::MAX;

/// The context of [`kind::UNIFIED`], which overlaps with what a device's streams do.
pub const UNIFIED: u32 = u32::MAX - 1;

/// The context of [`kind::REGION`], which overlaps with what the construct has the device do.
pub const REGIONS: u32 = u32::MAX;

/// A part of a device's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The device's number in its driver.
    pub device: u32,
    /// The context in which it ran, by the driver's number.
    pub context: u32,
    /// The stream of the context.
    pub stream: u32,
    /// See [`kind`].
    pub kind: u32,
    /// See [`kind`].
    pub detail: u32,
    /// The number that the driver gave to the call which caused it; 0: none is known.
    pub correlation: u32,
    /// Time at which the activity began, by the driver's clock.
    pub begin: u64,
    /// Time at which the activity ended, by the driver's clock.
    pub end: u64,
    /// See [`kind`].
    pub what: u64,
    /// Our id of the target operation that caused it (the `host_op` of target_data_op_emi and target_submit_emi); 0: none. See also
    /// [`kind`].
    pub host_op: u64,
}

impl Entry {
    /// Appends the entry's words.
    pub fn put(&self, to: &mut Vec<u64>) {
        match self {
            Entry::Device { device, name } => {
                let payload = with_text(u64::from(*device), name);
                put(to, DEVICE, &payload);
            }
            Entry::Clock { ticks, time } => put(to, CLOCK, &[*ticks, *time]),
            Entry::Text { number, text } => put(to, TEXT, &with_text(*number, text)),
            Entry::Activity(activity) => put(to, ACTIVITY, &activity.words()),
            Entry::Lost { count } => put(to, LOST, &[*count]),
            Entry::DeviceClock { device, ticks, time } => {
                put(to, DEVICE_CLOCK, &[u64::from(*device), *ticks, *time]);
            }
            Entry::Event { device, thread, time, code, payload } => {
                let head = [u64::from(*device), *thread, *time, u64::from(code.0)];
                put(to, EVENT, &[&head[..], payload].concat());
            }
            Entry::Native { device, hardware, time, kind, text } => {
                let head = [u64::from(*device), *hardware as u64, *time];
                put(to, NATIVE, &[&head[..], &with_text(*kind, text)].concat());
            }
        }
    }

    /// The entry at the begin of `words`, and the number of words that it takes; `None` if no entry begins there, or
    /// only a part of one is there.
    pub fn first(words: &[u64]) -> Option<(Entry, usize)> {
        let (header, rest) = words.split_first()?;
        let (kind, count) = (header >> 16 & 0xffff, (header & 0xffff) as usize);
        let payload = rest.get(..count).filter(|_| header >> 48 == MAGIC)?;
        let entry = match (kind, payload) {
            (DEVICE, [device, text @ ..]) => {
                Entry::Device { device: *device as u32, name: text_of(text) }
            }
            (CLOCK, [ticks, time]) => Entry::Clock { ticks: *ticks, time: *time },
            (TEXT, [number, text @ ..]) => Entry::Text { number: *number, text: text_of(text) },
            (ACTIVITY, payload) => Entry::Activity(Activity::of(payload)?),
            (LOST, [count]) => Entry::Lost { count: *count },
            (DEVICE_CLOCK, [device, ticks, time]) => {
                Entry::DeviceClock { device: *device as u32, ticks: *ticks, time: *time }
            }
            (EVENT, [device, thread, time, code, payload @ ..]) => {
                let code = EventCode(u8::try_from(*code).ok()?);
                let payload = Some(payload.to_vec()).filter(|all| all.len() + 1 == code.words())?;
                let device = *device as u32;
                Entry::Event { device, thread: *thread, time: *time, code, payload }
            }
            (NATIVE, [device, hardware, time, kind, text @ ..]) => Entry::Native {
                device: *device as u32,
                hardware: *hardware as i64,
                time: *time,
                kind: *kind,
                text: text_of(text),
            },
            _ => return None,
        };
        Some((entry, 1 + count))
    }
}

impl Activity {
    fn words(&self) -> [u64; 7] {
        let half = |low: u32, high: u32| Halves::pack(low.into(), high.into());
        [
            half(self.device, self.context),
            half(self.stream, self.kind),
            half(self.detail, self.correlation),
            self.begin,
            self.end,
            self.what,
            self.host_op,
        ]
    }

    fn of(words: &[u64]) -> Option<Activity> {
        let &[place, kinds, details, begin, end, what, host_op] = words else { return None };
        let halves = |word: u64| (word as u32, (word >> 32) as u32);
        let (device, context) = halves(place);
        let (stream, kind) = halves(kinds);
        let (detail, correlation) = halves(details);
        let end = end.max(begin);
        Some(Activity {
            device,
            context,
            stream,
            kind,
            detail,
            correlation,
            begin,
            end,
            what,
            host_op,
        })
    }
}

fn put(to: &mut Vec<u64>, kind: u64, payload: &[u64]) {
    to.push(MAGIC << 48 | kind << 16 | payload.len() as u64);
    to.extend(payload);
}

/// A number and the words of a text, which begin with its length.
fn with_text(number: u64, text: &str) -> Vec<u64> {
    let mut end = text.len().min(MOST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = text.as_bytes().get(..end).unwrap_or_default();
    let mut words = vec![number, bytes.len() as u64];
    words.extend(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        u64::from_ne_bytes(word)
    }));
    words
}

fn text_of(words: &[u64]) -> String {
    let Some((length, words)) = words.split_first() else { return String::new() };
    let bytes = words.iter().flat_map(|word| word.to_ne_bytes());
    let bytes: Vec<u8> = bytes.take((*length).min(MOST_TEXT as u64) as usize).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Scope;

    fn all() -> Vec<Entry> {
        let activity = Activity {
            device: 1,
            context: 2,
            stream: 7,
            kind: kind::COPY,
            detail: 8,
            correlation: 91,
            begin: 1_000,
            end: 1_500,
            what: 1 << 40,
            host_op: 17,
        };
        vec![
            Entry::Device { device: 1, name: "NVIDIA H100".to_owned() },
            Entry::Clock { ticks: 5, time: u64::MAX },
            Entry::Text { number: 3, text: "_Z5addulPd".to_owned() },
            Entry::Activity(activity),
            Entry::Lost { count: 12 },
            Entry::DeviceClock { device: 2, ticks: 7, time: 8 },
            Entry::Event {
                device: 1,
                thread: 3,
                time: 99,
                code: EventCode::new(29, Scope::None),
                payload: vec![41],
            },
            Entry::Native {
                device: 1,
                hardware: -1,
                time: 0,
                kind: 1,
                text: "kernel arguments".to_owned(),
            },
        ]
    }

    fn read(mut words: &[u64]) -> Vec<Entry> {
        let mut entries = Vec::new();
        while let Some((entry, count)) = Entry::first(words) {
            entries.push(entry);
            words = &words[count..];
        }
        entries
    }

    #[test]
    fn entries_come_back() {
        let mut words = Vec::new();
        all().iter().for_each(|entry| entry.put(&mut words));
        assert_eq!(read(&words), all());
    }

    #[test]
    fn what_is_torn_off_is_no_entry() {
        let mut words = Vec::new();
        all().iter().for_each(|entry| entry.put(&mut words));
        assert_eq!(read(&words[..words.len() - 1]), all()[..all().len() - 1]);
        words[0] ^= 1 << 63;
        assert_eq!(read(&words), []);
    }

    #[test]
    fn texts_are_cut_between_letters() {
        let mut words = Vec::new();
        let text = "ä".repeat(MOST_TEXT);
        Entry::Text { number: 0, text: text.clone() }.put(&mut words);
        assert!(words.len() <= 1 + MOST_WORDS);
        let [Entry::Text { text: cut, .. }] = &read(&words)[..] else { panic!("{words:?}") };
        assert!(text.starts_with(cut.as_str()) && cut.len() + 2 > MOST_TEXT);
    }
}
