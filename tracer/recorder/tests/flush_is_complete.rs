//! A flush returns when every record made before it is in the files, from any thread.

mod common;

use common::{arm_into, folder, read, record, write_facts};
use ompttrace_recorder::{State, flush};
use std::sync::Barrier;

#[test]
fn what_happened_before_a_flush_is_in_the_files() {
    let run = folder();
    arm_into(&run, State::Recording);
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..50 {
                (0..37).for_each(|number| record(round * 37 + number));
                barrier.wait();
                barrier.wait();
            }
        });
        for round in 1..=50u64 {
            barrier.wait();
            flush();
            // Closed: only the files count, not the pool.
            write_facts(&run, true);
            let (threads, _) = read(&run);
            assert!(threads[0].iter().copied().eq(0..round * 37), "round {round}");
            barrier.wait();
        }
    });
}
