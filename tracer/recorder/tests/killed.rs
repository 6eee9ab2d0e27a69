//! A process that dies without a word leaves every committed record in its files and pool.

mod common;

use common::{arm_into, folder, read, record, write_facts_of};
use ompttrace_recorder::State;

#[test]
fn every_record_of_a_killed_process_is_there() {
    for events in [1, 100, 255, 256, 1000, 4321] {
        let run = folder();
        // SAFETY: the child of this single-threaded test records and dies.
        match unsafe { libc::fork() } {
            0 => {
                arm_into(&run, State::Recording);
                (0..events).for_each(record);
                // SAFETY: the child ends here.
                unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            }
            child => {
                let mut status = 0;
                // SAFETY: waits for our child.
                unsafe { libc::waitpid(child, &raw mut status, 0) };
                assert!(libc::WIFSIGNALED(status));
                write_facts_of(child as u32, &run, false);
                let (threads, _) = read(&run);
                assert!(threads[0].iter().copied().eq(0..events), "{events} events");
            }
        }
    }
}
