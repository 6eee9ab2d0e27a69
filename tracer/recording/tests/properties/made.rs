//! Made-up records and the run folders that hold them.

use ompttrace_recording::events::{EventCode, Scope, TaskCreate, TaskSchedule};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::fragment::{FragmentHeader, HEADER_BYTES, area_bytes};
use ompttrace_recording::short::{Create, Schedule};
use ompttrace_recording::words::{self, At, Halves, Payload, Store};
use ompttrace_recording::{FORMAT_VERSION, folder};
use proptest::sample::Index;

/// A record as a reader returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRecord {
    pub ticks: u64,
    pub code: EventCode,
    pub words: Vec<u64>,
}

/// A record as it is stored, and what a reader has to return for it except the time.
#[derive(Clone, Debug)]
pub struct Made {
    stored: (EventCode, Vec<u64>),
    reported: (EventCode, Vec<u64>),
}

/// Collects a payload's words.
struct Words(Vec<u64>);

impl Store for Words {
    fn word(&mut self, index: usize, value: u64) {
        assert_eq!(index, self.0.len());
        self.0.push(value);
    }
    fn halves(&mut self, index: usize, low: u64, high: u64) {
        self.word(index, Halves::pack(low, high));
    }
    fn at(&mut self, index: usize, code: u64, kind: u64) {
        self.word(index, At::pack(code, kind));
    }
}

fn stored(payload: impl Payload) -> Vec<u64> {
    let mut words = Words(Vec::new());
    payload.store(&mut words);
    words.0
}

impl Made {
    pub fn long(code: EventCode, words: &[u64]) -> Made {
        let record = (code, words[..code.words() - 1].to_vec());
        Made { stored: record.clone(), reported: record }
    }

    pub fn schedule(prior: u64, next: u64, status: u32) -> Made {
        let code = Schedule::code(status).expect("a short form");
        let long = TaskSchedule { prior, next, status: status.into() };
        Made {
            stored: (code, stored(Schedule { prior, next })),
            reported: (EventCode::new(TaskSchedule::NUMBER, Scope::None), long.words().to_vec()),
        }
    }

    pub fn create(code: u64, task: u64, new_task: u64, flags: u64) -> Made {
        let long = TaskCreate { code, kind: 0, task, new_task, flags };
        Made {
            stored: (Create::CODE, stored(Create::of(&long).expect("a short form"))),
            reported: (EventCode::new(TaskCreate::NUMBER, Scope::None), long.words().to_vec()),
        }
    }
}

/// A thread's chunks in an events file: each cut where `cuts` say (in words, and whether the part
/// comes twice), the chunks turned so that any of them is first. Also what is to be read.
pub fn events_file(
    chunks: &[Vec<Made>],
    cuts: &[(usize, bool)],
    first: Index,
) -> (Vec<u8>, Vec<ReadRecord>) {
    let mut reported = Vec::new();
    let mut files = Vec::new();
    let mut ticks = 1 << 40;
    for (number, records) in chunks.iter().enumerate() {
        let mut all = Vec::new();
        for record in records {
            ticks += 7;
            all.push(words::header(ticks, record.stored.0.0));
            all.extend(&record.stored.1);
            let (code, words) = record.reported.clone();
            reported.push(ReadRecord { ticks, code, words });
        }
        files.push(fragments(number as u64 + 1, &all, cuts));
    }
    let turn = first.index(files.len());
    files.rotate_left(turn);
    (files.concat(), reported)
}

fn fragments(chunk: u64, all: &[u64], cuts: &[(usize, bool)]) -> Vec<u8> {
    let mut ends: Vec<(usize, bool)> =
        cuts.iter().copied().filter(|cut| cut.0 < all.len()).collect();
    ends.push((all.len(), false));
    ends.sort_unstable();
    let mut bytes = Vec::new();
    let mut start = 0;
    for (end, twice) in ends {
        if start < end {
            let one = fragment(chunk, start, &all[start..end]);
            bytes.extend(one.repeat(1 + usize::from(twice)));
        }
        start = end;
    }
    bytes
}

fn fragment(chunk: u64, start: usize, words: &[u64]) -> Vec<u8> {
    let bytes = 8 * words.len();
    let header = FragmentHeader {
        session: 1,
        thread: 3,
        chunk,
        offset: 8 * start as u32,
        bytes: bytes as u32,
        os_thread: 77,
        ticks: (1 << 40) + 1000,
        monotonic: 5,
    };
    let area = area_bytes(bytes);
    let head = header.to_words_in(area as u32);
    let mark = header.mark(area as u32);
    let all = head.iter().chain(words).chain([&mark]);
    let mut one: Vec<u8> = all.flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(one.len(), HEADER_BYTES + bytes + 8);
    one.resize(area, 0);
    one
}

/// A closed run with one events file.
pub fn folder_with(events: &[u8]) -> tempfile::TempDir {
    let run = tempfile::tempdir().expect("a folder");
    let facts = Facts {
        format: FORMAT_VERSION,
        little_endian: cfg!(target_endian = "little"),
        closed: true,
        ..Facts::default()
    };
    let text = serde_json::to_vec(&facts).expect("JSON");
    std::fs::write(run.path().join(folder::FACTS), text).expect("facts");
    std::fs::write(run.path().join(format!("{}0", folder::EVENTS)), events).expect("events");
    run
}
