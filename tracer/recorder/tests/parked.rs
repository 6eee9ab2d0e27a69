//! Parked threads do nothing until they are released; then they continue, and nothing is lost. The thread that parks
//! them, and a child that is forked meanwhile, are not parked.

mod common;

use common::{arm_into, folder, read, record, write_facts};
use ompttrace_recorder::{State, close, park_others};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static DONE: AtomicU64 = AtomicU64::new(0);
const ALL: u64 = 200_000;

#[test]
fn others_wait_until_they_are_released() {
    let run = folder();
    arm_into(&run, State::Recording);
    record(0);
    let parked = park_others();
    let other = thread::spawn(|| {
        for number in 1..ALL {
            record(number);
            DONE.store(number, Ordering::Release);
        }
    });
    // Long enough for all of them, many times.
    thread::sleep(Duration::from_millis(50));
    assert_eq!(DONE.load(Ordering::Acquire), 0);
    record(ALL);
    let child = in_a_child(|| record(ALL + 1));
    drop(parked);
    let since = Instant::now();
    while DONE.load(Ordering::Acquire) == 0 && since.elapsed() < Duration::from_secs(20) {
        thread::yield_now();
    }
    // In the midst of its fast path now.
    let parked = park_others();
    record(ALL + 2);
    let before = DONE.load(Ordering::Acquire);
    thread::sleep(Duration::from_millis(50));
    assert!(DONE.load(Ordering::Acquire) <= before + 1, "one may have been under way");
    drop(parked);
    other.join().expect("the other thread");
    close(true);
    write_facts(&run, true);
    let rest: Vec<u64> = (1..ALL).collect();
    assert_eq!(read(&run).0, [vec![0, ALL, ALL + 2], rest]);
    assert_eq!(child, 0, "the child waited for its parent");
}

/// The exit status of a forked child that does this.
fn in_a_child(work: fn()) -> i32 {
    let mut status = 0;
    // SAFETY: the child does no more than `work`, which allocates nothing, and ends; an alarm ends it if it waits.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::alarm(10);
            work();
            libc::_exit(0);
        }
        libc::waitpid(child, &raw mut status, 0);
    }
    status
}
