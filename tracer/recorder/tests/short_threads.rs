//! Thousands of short threads use a few blocks again and again; each is a thread of its own.

mod common;

use common::{arm_into, folder, read, record, write_facts};
use ompttrace_recorder::page_bytes;
use ompttrace_recorder::{State, close, thread_ended};
use ompttrace_recording::pool::{DEFAULT_SLOT, Division};

#[test]
fn memory_follows_the_threads_alive() {
    let run = folder();
    arm_into(&run, State::Recording);
    for number in 0..2000 {
        let worker = std::thread::spawn(move || {
            record(number);
            thread_ended();
        });
        worker.join().expect("a worker");
    }
    let pool = std::fs::metadata(run.join("pool")).expect("a pool").len();
    assert!(
        pool <= Division { page: page_bytes(), slot: DEFAULT_SLOT }.block_offset(2) as u64,
        "pool of {pool} bytes"
    );
    close(true);
    write_facts(&run, true);
    let (threads, _) = read(&run);
    assert!(threads.into_iter().eq((0..2000).map(|number| vec![number])));
}
