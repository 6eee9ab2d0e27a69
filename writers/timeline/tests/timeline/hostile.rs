//! Records with valid codes and nonsense in them: nothing panics, the contract holds all the same.
//!
//! Values are drawn from small sets, so that ids, locks and kinds meet each other in every order
//! that no runtime would deliver.

use ompttrace_recording::events::{EventCode, NAMES, Scope};
use ompttrace_recording::words::{At, Halves};
use ompttrace_recording::{Id, Recording};
use ompttrace_timeline::testing::{Checker, RunBuilder};

/// xorshift64*: the same nonsense every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 20) % limit
    }

    fn id(&mut self) -> u64 {
        let part = Id::thread_part(self.below(4));
        let (counter, site) = (self.below(6) as u32, self.below(3));
        match self.below(8) {
            0 => 0,
            1 | 2 => Id::region(part, 1000 + counter, site).0,
            3 | 4 => Id::implicit_task(part, counter, Id::region(part, 0, site)).0,
            5 => Id::fresh_task(part, 100 + counter, site).0,
            _ => Id::fresh_task(part, 100 + counter, site).started().0,
        }
    }

    fn word(&mut self) -> u64 {
        match self.below(12) {
            0..7 => self.id(),
            7 => At::pack(0x1000 + self.below(4), self.below(12)),
            8 => Halves::pack(self.below(5), self.below(5)),
            9 => self.below(9),
            10 => [1, 2, 4, 0x4000_0002, 0x8000_0002, 0x4800_0010][self.below(6) as usize],
            _ => self.next(),
        }
    }

    /// Mostly forwards, sometimes not.
    fn time(&mut self, now: &mut u64) -> u64 {
        *now += self.below(1000);
        match self.below(200) {
            0 => self.next(),
            1 => now.saturating_sub(self.below(100_000)),
            _ => *now,
        }
    }
}

fn nonsense(seed: u64, records: usize) -> RunBuilder {
    let mut random = Random(seed);
    let mut run = RunBuilder::new();
    let mut now = 1_000_000;
    let known: Vec<u8> = (1..64).filter(|n| !NAMES[usize::from(*n)].is_empty()).collect();
    for _ in 0..records {
        let number = match random.below(3) {
            0 => [3, 4, 5, 6, 7, 16, 20, 23, 26, 27, 17][random.below(11) as usize],
            _ => known[random.below(known.len() as u64) as usize],
        };
        let code = EventCode::new(number, Scope::from_number(random.below(4) as u32));
        let payload: Vec<u64> = (0..11).map(|_| random.word()).collect();
        let at = random.time(&mut now);
        run.put_words(random.below(4) as usize, at, code, &payload);
    }
    run
}

fn check(recording: &Recording, seed: u64) {
    if let Err(error) = ompttrace_timeline::run(recording, Checker::forgetful()) {
        panic!("seed {seed}: {error}");
    }
}

/// How many seeds to try: more than a few hundred only when the interpretation changes, by
/// `OMPTTRACE_TEST_SEEDS=40000 cargo test -p ompttrace-timeline`.
fn seeds() -> u64 {
    std::env::var("OMPTTRACE_TEST_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

#[test]
fn short_nonsense_keeps_the_contract() {
    for seed in 1..seeds() {
        let records = 120 + if seed < 400 { 0 } else { seed as usize % 1000 };
        let (_folder, recording) = nonsense(seed, records).open().expect("a run folder");
        check(&recording, seed);
    }
}

#[test]
fn long_nonsense_keeps_the_contract() {
    for seed in 1..8 {
        let (_folder, recording) = nonsense(seed * 77_777, 30_000).open().expect("a run folder");
        check(&recording, seed);
    }
}

#[test]
fn what_never_ends_is_not_kept_for_ever() {
    let mut run = RunBuilder::new();
    let part = Id::thread_part(0);
    for n in 0..50_000 {
        let root = Id::implicit_task(part, 0, Id::NONE).0;
        let region = Id::region(part, n, 0).0;
        let at = u64::from(n) * 10;
        run.put_words(0, at, EventCode::new(3, Scope::None), &[0, region, root, 0]);
        let member = Id::implicit_task(part, n, Id::NONE).0;
        run.put_words(0, at + 1, EventCode::new(7, Scope::Begin), &[region, member, 1, 2]);
        run.put_words(0, at + 2, EventCode::new(23, Scope::Begin), &[6, member]);
        run.put_words(0, at + 3, EventCode::new(20, Scope::Begin), &[1, member, 4]);
    }
    let (_folder, recording) = run.open().expect("a run folder");
    let (timeline, summary) =
        ompttrace_timeline::run(&recording, Checker::default()).expect("the contract");
    assert!(timeline.lanes.len() < 4, "{}", timeline.lanes.len());
    assert!(timeline.regions.iter().all(|region| region.row.row == 0));
    assert_eq!(summary.records, 200_000);
}
