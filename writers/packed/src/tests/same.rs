//! Packing loses nothing, of any recording that can be read, however damaged.

use super::*;
use crate::layout::{self, BLOCK_WORDS};
use crate::open::read_index;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{Flush, RunDelay, SwitchIn, SwitchOut, TaskCreate};
use ompttrace_recording::folder;
use ompttrace_recording::short;
use ompttrace_timeline::testing::{RunBuilder, nonsense};
use std::fs::File;
use std::num::NonZero;
use std::path::PathBuf;

/// Packs the run in several ways, and compares the content each time.
fn comes_back(run: &Path) {
    let before = read(run).expect("a recording");
    let sums = before.0.iter().map(|thread| thread.records.len() as u64).sum::<u64>();
    for options in [KEEP, Options { level: 7, ..KEEP }, REMOVE, REMOVE] {
        let outcome = pack(run, options);
        assert_eq!(outcome.records, sums);
        assert_eq!(outcome.after, outcome.path.metadata().expect("metadata").len());
        assert!(read(run).expect("a packed recording") == before, "{options:?}");
    }
    let left = names(run);
    assert!(!left.iter().any(|name| name == "events.0" || name == folder::POOL), "{left:?}");
    assert!(matches!(Recording::open(run), Err(RecordingError::Packed { .. })));
}

#[test]
fn every_kind_of_record() {
    let mut run = RunBuilder::new();
    let mut known = 0;
    for round in 0..3 {
        for code in (0..=u8::MAX).map(EventCode).filter(|code| code.words() > 0) {
            let word =
                |index: u64| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(index + 1) << (20 * round);
            let payload: Vec<u64> = (0..11).map(word).collect();
            run.put_words(usize::from(code.0) % 3, 100 + known, code, &payload);
            known += 1;
        }
    }
    assert!(known > 3 * 85, "{known} records");
    let folder = run.write().expect("a run folder");
    comes_back(folder.path());
}

#[test]
fn nonsense_of_many_blocks() {
    for (seed, records) in [(1, 80_000), (2, 3000), (3, 500), (4, 1), (5, 0)] {
        let run = nonsense(seed, records);
        comes_back(run.write().expect("a run folder").path());
    }
}

#[test]
fn core_streams_stay_with_their_threads() {
    let mut run = RunBuilder::new();
    for thread in 0..3 {
        run.put(thread, 10, Scope::None, Flush::default());
    }
    for n in 0..40_000 {
        run.put_cores(2, 20 + 2 * n, SwitchOut { cpu: n % 2, preempted: n % 3 });
        run.put_cores(2, 21 + 2 * n, SwitchIn { cpu: n % 2 });
    }
    run.put_cores(0, 11, RunDelay { run_ns: 7, ..RunDelay::default() });
    let folder = run.write().expect("a run folder");
    comes_back(folder.path());
    let recording = open(folder.path()).expect("packed");
    let numbers = |threads: &[ThreadIndex]| -> Vec<_> {
        threads.iter().map(|thread| (thread.number, thread.bytes())).collect()
    };
    assert_eq!(numbers(&recording.threads), [(0, 16), (1, 16), (2, 16)]);
    assert_eq!(numbers(&recording.cores), [(0, 32), (2, 32 * 40_000)]);
    assert_eq!(recording.core_stream(2).next_ticks(), None, "no such stream");
}

#[test]
fn a_thread_of_several_blocks_and_one_of_none() {
    let mut run = RunBuilder::new();
    let count = BLOCK_WORDS as u64 + 1;
    for n in 0..count {
        run.put(1, 1000 + 26 * n, Scope::None, Flush { code: n % 3, kind: 0 });
    }
    run.put_words(0, 5, EventCode(255), &[]);
    let folder = run.write().expect("a run folder");
    comes_back(folder.path());
    let (threads, _) = read(folder.path()).expect("packed");
    let [none, several] = &threads[..] else { panic!("{} threads", threads.len()) };
    assert_eq!((none.records.len(), none.undecoded), (0, 8));
    assert_eq!((several.records.len() as u64, several.undecoded), (count, 0));
}

#[test]
fn ticks_of_all_64_bits() {
    let mut run = RunBuilder::new();
    for n in 0..4000u64 {
        // Past the 56 bits of a header, and across the halves of a difference.
        let ticks = (1 << 56) - 2000 + n + ((n / 100) << 31);
        run.put(0, ticks, Scope::None, Flush { code: n, kind: 0 });
        run.put(1, n.wrapping_mul(0x9e37_79b9_7f4a_7c15), Scope::None, Flush::default());
    }
    comes_back(run.write().expect("a run folder").path());
}

#[test]
fn readers_of_many_threads_have_small_blocks() {
    for (threads, words) in [(0, 1 << 16), (2, 1 << 16), (64, 1 << 16), (512, 1 << 13)] {
        assert_eq!(layout::block_words(threads), words);
    }
    assert_eq!(layout::block_words(1 << 20), 1 << 12);
    let mut run = RunBuilder::new();
    for n in 0..5000 {
        run.put(0, n, Scope::None, Flush { code: n % 7, kind: 0 });
    }
    for thread in 1..2000 {
        run.put(thread, 1, Scope::None, Flush::default());
    }
    let folder = run.write().expect("a run folder");
    comes_back(folder.path());
    let path = folder.path().join(folder::PACKED);
    let index = read_index(&path, &File::open(&path).expect("opened")).expect("an index");
    let words: Vec<_> = index.threads[0].blocks.iter().map(|block| block.head.words).collect();
    assert_eq!(words, [4086, 4086, 1828]);
}

#[test]
fn short_records_stay_short() {
    let event = TaskCreate { code: 0x7fff_1234, kind: 0, task: 1, new_task: 2, flags: 4 };
    let create = short::Create::of(&event).expect("a short form");
    let mut words = Words::default();
    ompttrace_recording::words::Payload::store(&create, &mut words);
    let mut run = RunBuilder::new();
    for n in 0..100 {
        run.put_words(0, n, short::Create::CODE, &words.0);
        run.put_words(0, n, short::Schedule::code(7).expect("a short form"), &[n, n + 1]);
    }
    let folder = run.write().expect("a run folder");
    comes_back(folder.path());
    let recording = open(folder.path()).expect("packed");
    assert_eq!(recording.threads[0].bytes(), 100 * 8 * (4 + 3));
    assert_eq!(contents(&recording).expect("read").0[0].records[0].2, event.words());
}

#[derive(Default)]
struct Words([u64; 3]);

impl ompttrace_recording::words::Store for Words {
    fn word(&mut self, index: usize, value: u64) {
        self.0[index] = value;
    }
    fn halves(&mut self, index: usize, low: u64, high: u64) {
        self.0[index] = ompttrace_recording::words::Halves::pack(low, high);
    }
    fn at(&mut self, index: usize, code: u64, kind: u64) {
        self.0[index] = ompttrace_recording::words::At::pack(code, kind);
    }
}

/// `v4-killed` has records in its pool.
#[test]
fn kept_samples() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["v4", "v4-killed"] {
        let sample = root.join("tracer/recording/tests/samples").join(name);
        let copy = tempfile::tempdir().expect("a folder");
        for entry in names(&sample) {
            std::fs::copy(sample.join(&entry), copy.path().join(&entry)).expect("copied");
        }
        let (threads, damage) = read(copy.path()).expect("a recording");
        assert!(threads.iter().any(|thread| !thread.records.is_empty()));
        assert_eq!(damage.from_pool > 0, name == "v4-killed");
        comes_back(copy.path());
    }
}

#[test]
fn what_was_torn_and_missing_is_still_said() {
    let folder = nonsense(7, 3000).write().expect("a run folder");
    let path = folder.path().join("events.2");
    let bytes = std::fs::read(&path).expect("read");
    std::fs::write(&path, &bytes[..bytes.len() - 333]).expect("cut");
    let path = folder.path().join("events.1");
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[..64].fill(0xee);
    std::fs::write(&path, &bytes).expect("damaged");
    let (_, damage) = read(folder.path()).expect("a recording");
    assert!(damage.torn > 0 && damage.unreadable > 0, "{damage:?}");
    comes_back(folder.path());
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    let folder = nonsense(3, 80_000).write().expect("a run folder");
    let packed = |options| std::fs::read(pack(folder.path(), options).path).expect("read");
    let once = packed(KEEP);
    for jobs in [1, 2, 3, 8].map(|jobs| NonZero::new(jobs).expect("some")) {
        assert!(once == packed(Options { jobs, ..KEEP }), "{jobs} threads");
    }
    assert!(once == packed(REMOVE) && once == packed(REMOVE));
}
