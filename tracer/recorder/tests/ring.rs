//! A flight recorder: what is found after a flush and a kill are two windows, each up to its time, and
//! what lies between is counted.

mod common;

use common::{arm_with, folder, read, record, write_facts_of};
use ompttrace_recorder::{State, flush};
use ompttrace_recording::events::Event;
use ompttrace_recording::settings::Overflow;

const FLUSHED: u64 = 5000;
const ALL: u64 = 20_000;

#[test]
fn a_ring_holds_the_newest_before_a_flush_and_a_kill() {
    let run = folder();
    // SAFETY: the child of this single-threaded test records and dies.
    match unsafe { libc::fork() } {
        0 => {
            arm_with(&run, State::Recording, Overflow::Ring);
            (0..FLUSHED).for_each(record);
            flush();
            (FLUSHED..ALL).for_each(record);
            // SAFETY: the child ends here.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for our child.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert!(libc::WIFSIGNALED(status));
            write_facts_of(child as u32, &run, false);
            check(read(&run));
        }
    }
}

fn check((threads, others): (Vec<Vec<u64>>, Vec<Event>)) {
    let numbers = &threads[0];
    let (before, after): (Vec<u64>, Vec<u64>) = numbers.iter().partition(|n| **n < FLUSHED);
    // A slot of 4 KiB holds 245 of these records.
    for (window, end) in [(&before, FLUSHED), (&after, ALL)] {
        assert!(window.len() > 245, "{} before {end}", window.len());
        assert!(window.iter().copied().eq(end - window.len() as u64..end), "{window:?}");
    }
    let lost: u64 =
        others.iter().map(|event| if let Event::Lost(lost) = event { lost.count } else { 0 }).sum();
    assert_eq!(numbers.len() as u64 + lost, ALL);
    let names = others.iter().filter(|event| matches!(event, Event::ThreadInfo(_)));
    assert!(names.count() >= 1, "the thread has lost its name");
}
