//! Memory of a thread's waiting samples, which its signal handler fills and any thread that flushes empties.
//!
//! One writes and one reads, and neither waits for the other: the handler puts whole samples where there is room, and
//! counts those for which there is none.

use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Sample, SampleFrames, SamplesBegin, Scope};
use ompttrace_recording::words;
use std::sync::atomic::{AtomicU64, Ordering};

/// Size of the memory in words: some seconds of samples for a thread that has no events.
pub(super) const WORDS: usize = 32768 - 8;
/// Number of waiting words that are worth a write.
const MANY: u64 = 2048;
/// Addresses in one record of frames.
const AT_ONCE: usize = 4;
/// Largest number of frames of a sample.
pub(super) const MOST_FRAMES: usize = 64;
/// Words of the largest sample.
const LARGEST: u64 = 4 + (MOST_FRAMES / AT_ONCE * (1 + AT_ONCE)) as u64;

/// One thread's memory.
#[repr(C)]
pub(super) struct Region {
    /// Words that were put, and those that were taken, since the beginning.
    put: AtomicU64,
    taken: AtomicU64,
    /// Ticks that left no sample since the last one.
    missed: AtomicU64,
    /// A code address of which the walker knew no module; 0: none.
    unknown: AtomicU64,
    spare: [AtomicU64; 4],
    words: [AtomicU64; WORDS],
}

/// Bytes of it: whole pages of any size.
pub(super) const BYTES: usize = size_of::<Region>();
const _: () = assert!(BYTES == 1 << 18);

/// The parts of a sample besides its frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleHead {
    pub(super) ticks: u64,
    pub(super) state: u64,
    pub(super) wait_id: u64,
    pub(super) flags: u64,
}

impl Region {
    /// Puts a sample with the addresses of its frames, in the handler; false: there is no room, and the next one
    /// stands for it too.
    pub(super) fn put(&self, head: &SampleHead, frames: &[u64]) -> bool {
        let Some(mut position) = self.room() else {
            self.miss(1);
            return false;
        };
        let missed = self.missed.load(Ordering::Relaxed);
        let frames = frames.get(..MOST_FRAMES).unwrap_or(frames);
        let SampleHead { ticks, state, wait_id, flags } = *head;
        let sample = Sample { state, missed, frames: frames.len() as u64, flags, wait_id };
        self.record(&mut position, ticks, Sample::NUMBER, &sample.words());
        for four in frames.chunks(AT_ONCE) {
            let address = |at: usize| four.get(at).copied().unwrap_or(0);
            let [first, second, third, fourth] = [address(0), address(1), address(2), address(3)];
            let frames = SampleFrames { first, second, third, fourth };
            self.record(&mut position, ticks, SampleFrames::NUMBER, &frames.words());
        }
        // No store of 0: a flush by another thread may add what no file took.
        self.missed.fetch_sub(missed, Ordering::Relaxed);
        self.put.store(position, Ordering::Release);
        true
    }

    /// Puts the record that samples begin, before there is a handler.
    pub(super) fn begin(&self, ticks: u64, begin: &SamplesBegin) {
        let mut position = 0;
        self.record(&mut position, ticks, SamplesBegin::NUMBER, &begin.words());
        self.put.store(position, Ordering::Release);
    }

    /// Puts the record that the next samples have another period; false: there is no room.
    pub(super) fn change(&self, ticks: u64, begin: &SamplesBegin) -> bool {
        let Some(mut position) = self.room() else { return false };
        self.record(&mut position, ticks, SamplesBegin::NUMBER, &begin.words());
        self.put.store(position, Ordering::Release);
        true
    }

    /// Position of the next sample, if the largest fits.
    fn room(&self) -> Option<u64> {
        let position = self.put.load(Ordering::Relaxed);
        let used = position.wrapping_sub(self.taken.load(Ordering::Acquire));
        (used + LARGEST <= WORDS as u64).then_some(position)
    }

    fn record(&self, position: &mut u64, ticks: u64, number: u16, payload: &[u64]) {
        let header = words::header(ticks, EventCode::new(number, Scope::None).0);
        for word in [header].iter().chain(payload) {
            if let Some(at) = self.words.get((*position % WORDS as u64) as usize) {
                at.store(*word, Ordering::Relaxed);
            }
            *position += 1;
        }
    }

    /// Counts ticks that came together with another one, or whose samples no file took: the next sample stands for
    /// them too.
    pub(super) fn miss(&self, ticks: u64) {
        self.missed.fetch_add(ticks, Ordering::Relaxed);
    }

    /// Returns true if the waiting words are enough for a write.
    pub(super) fn fills(&self) -> bool {
        let (put, taken) = (self.put.load(Ordering::Relaxed), self.taken.load(Ordering::Relaxed));
        put.wrapping_sub(taken) >= MANY
    }

    /// The words that wait, in two parts where they go on at the beginning, and what [`Region::take`] needs.
    pub(super) fn waiting(&self) -> (&[AtomicU64], &[AtomicU64], u64) {
        let put = self.put.load(Ordering::Acquire);
        let taken = self.taken.load(Ordering::Relaxed);
        let count = put.wrapping_sub(taken).min(WORDS as u64) as usize;
        let from = (taken % WORDS as u64) as usize;
        let first = self.words.get(from..(from + count).min(WORDS)).unwrap_or_default();
        let second = self.words.get(..count - first.len()).unwrap_or_default();
        (first, second, put)
    }

    /// Frees the memory of the words up to `put`, which were written or given up.
    pub(super) fn take(&self, put: u64) {
        self.taken.store(put, Ordering::Release);
    }

    /// Notes an address of which the walker knew no module.
    pub(super) fn set_unknown(&self, address: u64) {
        self.unknown.store(address, Ordering::Relaxed);
    }

    /// The last address that was noted since the last call, or 0.
    pub(super) fn take_unknown(&self) -> u64 {
        self.unknown.swap(0, Ordering::Relaxed)
    }
}

/// Number of samples in the two parts of the [waiting words](Region::waiting).
pub(super) fn samples_in(first: &[AtomicU64], second: &[AtomicU64]) -> u64 {
    let word = |at: usize| {
        let word = first.get(at).or_else(|| second.get(at.checked_sub(first.len())?))?;
        Some(EventCode(words::header_code(word.load(Ordering::Relaxed))))
    };
    let (mut at, mut samples) = (0, 0);
    while let Some(code) = word(at) {
        samples += u64::from(code.number() == Sample::NUMBER);
        at += code.words().max(1);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::events::{Event, next_record};

    fn region() -> Box<Region> {
        // SAFETY: numbers, for which all zeros is a value.
        unsafe { Box::<Region>::new_zeroed().assume_init() }
    }

    fn head(ticks: u64) -> SampleHead {
        SampleHead { ticks, state: 1, wait_id: 7, flags: 0 }
    }

    fn read(region: &Region) -> Vec<Event> {
        let (first, second, put) = region.waiting();
        let samples = samples_in(first, second);
        let words: Vec<u64> =
            first.iter().chain(second).map(|word| word.load(Ordering::Relaxed)).collect();
        region.take(put);
        let (mut rest, mut events) = (&words[..], Vec::new());
        while let Some(record) = next_record(&mut rest, 0) {
            events.push(record.event());
        }
        assert!(rest.is_empty());
        let found = events.iter().filter(|event| matches!(event, Event::Sample(_))).count();
        assert_eq!(samples, found as u64);
        events
    }

    #[test]
    fn samples_are_read_whole_also_where_the_memory_goes_on_at_its_beginning() {
        let region = region();
        let frames: Vec<u64> = (1..=9).collect();
        for round in 0..2000 {
            assert!(region.put(&head(round), &frames));
            let events = read(&region);
            let [Event::Sample(sample), Event::SampleFrames(_), _, Event::SampleFrames(last)] =
                events[..]
            else {
                panic!("{events:?}")
            };
            assert_eq!((sample.frames, sample.missed, sample.wait_id), (9, 0, 7));
            assert_eq!((last.first, last.second), (9, 0));
        }
    }

    #[test]
    fn what_finds_no_room_is_counted_in_the_next_sample() {
        let region = region();
        let mut put = 0;
        while region.room().is_some() {
            assert!(region.put(&head(put), &[]));
            put += 1;
        }
        assert!(region.fills());
        assert!((0..3).all(|_| !region.put(&head(put), &[])));
        assert_eq!(read(&region).len() as u64, put);
        assert!(region.put(&head(put), &[]));
        let missed = |event: &Event| matches!(event, Event::Sample(sample) if sample.missed == 3);
        assert!(read(&region).iter().all(missed));
    }
}
