//! Many threads record while another one flushes all the time: every record arrives once, in order.

mod common;

use common::{arm_into, folder, read, record, write_facts};
use ompttrace_recorder::{State, close, flush, remove_pool, thread_ended};
use std::sync::atomic::{AtomicBool, Ordering};

const THREADS: u64 = 6;
const EVENTS: u64 = 60_000;

#[test]
fn nothing_is_lost_or_doubled() {
    let run = folder();
    arm_into(&run, State::Recording);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let flusher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                flush();
            }
        });
        let workers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    (0..EVENTS).for_each(record);
                    thread_ended();
                })
            })
            .collect();
        workers.into_iter().for_each(|worker| worker.join().expect("a worker"));
        done.store(true, Ordering::Relaxed);
        flusher.join().expect("the flusher");
    });
    close(true);
    remove_pool();
    write_facts(&run, true);
    let (threads, _) = read(&run);
    assert_eq!(threads.len() as u64, THREADS);
    for numbers in threads {
        assert!(numbers.into_iter().eq(0..EVENTS));
    }
    assert!(!run.join("pool").exists(), "a closed recording needs no pool");
}
