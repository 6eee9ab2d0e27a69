//! Records with valid codes and random contents, for tests of code that must withstand any records.
//!
//! Values are drawn from small sets, so that the same ids, locks and kinds follow each other in every order that no
//! runtime would deliver.

use super::RunBuilder;
use ompttrace_recording::Id;
use ompttrace_recording::events::{
    CoresRead, CoresUnknown, EventCode, RunDelay, Scope, SwitchIn, SwitchOut, ThreadEnd,
};
use ompttrace_recording::words::{At, Halves};

/// xorshift64*: the same nonsense every time.
#[derive(Debug)]
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

/// A run of four threads with this many records that no runtime would deliver, always the same for a
/// seed.
pub fn nonsense(seed: u64, records: usize) -> RunBuilder {
    let mut random = Random(seed);
    let mut run = RunBuilder::new();
    let mut now = 1_000_000;
    let mut known: Vec<u16> = EventCode::numbers().collect();
    known.sort_unstable();
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
    nonsense_of_cores(&mut run, seed, records);
    run
}

/// Core streams of the threads, a record for eight of their own, over the same time; some are of other events.
fn nonsense_of_cores(run: &mut RunBuilder, seed: u64, records: usize) {
    let mut random = Random(seed ^ 0x5eed);
    let mut now = 1_000_000;
    for _ in 0..records / 8 {
        now += random.below(8_000);
        let (thread, at) = (random.below(4) as usize, now - random.below(500));
        let (cpu, sum) = (random.below(3), random.below(now));
        match random.below(12) {
            0..4 => run.put_cores(thread, at, SwitchOut { cpu, preempted: random.below(2) }),
            4..8 => run.put_cores(thread, at, SwitchIn { cpu }),
            8 => run.put_cores(thread, at, CoresUnknown { reason: cpu, count: sum }),
            9 => {
                let delay_ns = random.below(now);
                run.put_cores(
                    thread,
                    at,
                    RunDelay { run_ns: sum, delay_ns, ..RunDelay::default() },
                );
            }
            10 => run.put_cores(thread, at, CoresRead {}),
            _ => run.put_cores(thread, at, ThreadEnd {}),
        }
    }
}
