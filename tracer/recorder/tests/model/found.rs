//! Records that a reader would find: in the files, and in the pool as a kill would leave it.

use crate::sync::{AtomicU64, Ordering};
use crate::{output, pool, record_slot};
use ompttrace_recording::events::{Event, next_record};
use ompttrace_recording::fragment::FragmentHeader;
use ompttrace_recording::pool::{control, fragments_of};
use ompttrace_recording::{EventCode, ledger};
use std::collections::BTreeMap;

/// The numbers of each thread's records by the keys of fragments: (thread, chunk, offset).
type Keyed = BTreeMap<(u32, u64, u64), Vec<u64>>;

/// The numbers that each thread recorded and that are in the files, in order.
pub(crate) fn in_files() -> BTreeMap<u32, Vec<u64>> {
    numbers(keyed(output::files()))
}

/// The numbers that each thread recorded and that are in the files, or in the pool of a process that died just now.
pub(crate) fn after_a_kill() -> BTreeMap<u32, Vec<u64>> {
    let mut all = output::files();
    if pool::is_named() {
        pool::blocks().for_each(|block| all.append(&mut in_pool(&block.control)));
    }
    numbers(keyed(all))
}

fn in_pool(control: &crate::block::Control) -> Vec<(FragmentHeader, Vec<u64>)> {
    let words = page(control);
    let slots_at = words[control::SLOTS_AT];
    let found = fragments_of(&words, 1, pool::slot_bytes()).into_iter().flatten();
    let read = |(header, offset): (FragmentHeader, usize)| {
        let at = slots_at + offset as u64;
        (header, record_slot::left(at, u64::from(header.bytes) / 8))
    };
    found.map(read).collect()
}

/// A control page as a kill leaves it; the stacks of a model's threads are small.
fn page(control: &crate::block::Control) -> Box<[u64; control::ALL]> {
    let words = (0..control::WORDS).map(|index| control.word(index).left());
    let pages = [0, 1].into_iter().flat_map(|page| &control.page(page).0);
    let all: Vec<u64> = words.chain(pages.map(|word| word.load(Ordering::Relaxed))).collect();
    all.into_boxed_slice().try_into().expect("all words")
}

/// Words by their index in their chunk. The same index must not have two different words.
fn keyed(fragments: Vec<(FragmentHeader, Vec<u64>)>) -> Keyed {
    let mut words = BTreeMap::new();
    for (header, all) in fragments {
        for (n, word) in all.into_iter().enumerate() {
            let position = (header.thread, header.chunk, u64::from(header.offset) + 8 * n as u64);
            let before = words.insert(position, vec![word]);
            assert!(before.is_none_or(|before| before == [word]), "two words at {position:?}");
        }
    }
    words
}

fn numbers(words: Keyed) -> BTreeMap<u32, Vec<u64>> {
    let mut numbers: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (thread, event) in events(words) {
        if let Event::Flush(flush) = event {
            numbers.entry(thread).or_default().push(flush.code);
        }
    }
    numbers
}

/// All events, with their threads.
fn events(words: Keyed) -> Vec<(u32, Event)> {
    let mut chunks: BTreeMap<(u32, u64), Vec<u64>> = BTreeMap::new();
    for ((thread, chunk, offset), word) in words {
        let chunk_words = chunks.entry((thread, chunk)).or_default();
        assert_eq!(chunk_words.len() as u64 * 8, offset, "a gap in chunk {chunk}");
        chunk_words.extend(word);
    }
    let mut events = Vec::new();
    let mut before = (0, 0);
    for ((thread, _), words) in chunks {
        let mut words = words.as_slice();
        while let Some(record) = next_record(&mut words, 0) {
            assert!((thread, record.ticks) >= before, "time runs backwards");
            before = (thread, record.ticks);
            events.push((thread, record.event()));
        }
        assert!(words.is_empty(), "half a record: {words:?}");
    }
    events
}

/// The only thread's numbers, how many are reported as lost, and how often it says its name.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) numbers: Vec<u64>,
    pub(crate) lost: u64,
    pub(crate) names: u64,
}

impl Recorded {
    fn of(words: Keyed, unreported: Vec<(EventCode, u64)>) -> Recorded {
        let mut reported = Recorded::default();
        for (_, event) in events(words) {
            match event {
                Event::Flush(flush) => reported.numbers.push(flush.code),
                Event::Lost(lost) => reported.lost += lost.count,
                Event::ThreadInfo(_) => reported.names += 1,
                Event::Wait(_) => {}
                other => panic!("{other:?}"),
            }
        }
        reported.lost += unreported.into_iter().map(|(_, count)| count).sum::<u64>();
        reported
    }

    /// The records in the files, and the losses that are reported with them when the recording is closed.
    pub(crate) fn when_closed() -> Recorded {
        Recorded::of(keyed(output::files()), crate::control::lost_outside_threads())
    }

    /// The records that are found after a kill just now.
    pub(crate) fn after_a_kill() -> Recorded {
        let mut all = output::files();
        let mut unreported = Vec::new();
        for block in pool::blocks() {
            all.append(&mut in_pool(&block.control));
            unreported.extend(ledger::unreported(&page(&block.control), pool::slot_bytes()));
        }
        let mut reported = Recorded::of(keyed(all), unreported);
        reported.lost += pool::lost_one_by_one();
        reported
    }

    /// Asserts that every number below `count` is found, once and in order, or lost.
    pub(crate) fn assert_exact(&self, count: std::ops::RangeInclusive<u64>) {
        assert!(self.numbers.is_sorted_by(|one, next| one < next), "{self:?}");
        assert!(count.contains(&(self.numbers.len() as u64 + self.lost)), "{self:?} of {count:?}");
        assert!(self.numbers.last().is_none_or(|last| last <= count.end()), "{self:?}");
        assert!(self.names <= 1 || self.lost > 0, "{self:?}");
    }
}

/// Number of records whose callbacks have returned, as another thread of the program may know it.
pub(crate) static DONE: AtomicU64 = AtomicU64::new(0);

/// Asserts that these are the numbers from 0 on, and no fewer than `least`.
pub(crate) fn assert_from_0(numbers: Option<&Vec<u64>>, least: u64) {
    let empty = Vec::new();
    let numbers = numbers.unwrap_or(&empty);
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "{numbers:?}");
    assert!(numbers.len() as u64 >= least, "{numbers:?} of {least}");
}

/// The value of [`DONE`], with everything that happened before its store.
pub(crate) fn done() -> u64 {
    DONE.load(Ordering::Acquire)
}
