//! Records that the file system refuses are counted, event by event.

mod common;

use common::{FLUSH, arm_into, folder, record};
use ompttrace_recorder::{State, close, lost_outside_threads};

#[test]
fn every_refused_record_is_counted() {
    let run = folder();
    arm_into(&run, State::Recording);
    // The event file cannot be made where a folder has its name.
    std::fs::create_dir(run.join("events.0")).expect("a folder in the way");
    (0..10_000).for_each(record);
    close(true);
    let lost = lost_outside_threads();
    let flushes: u64 = lost.iter().filter(|(code, _)| *code == FLUSH).map(|(_, n)| n).sum();
    assert_eq!(flushes, 10_000, "{lost:?}");
}
