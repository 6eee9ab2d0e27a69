//! Cost of the recording as `info` reports it.

use super::{recording, run, text};
use serde_json::Value;

#[test]
fn the_cost_is_the_sum_of_its_parts() {
    let mut made = recording();
    made.facts.record_picoseconds = 2_500;
    made.facts.drains.nanoseconds = 4_000;
    made.facts.drains.count = 3;
    let folder = made.write().expect("a run folder");
    let reported: Value =
        serde_json::from_slice(&run(&["info", "--json"], folder.path()).stdout).expect("JSON");
    let cost = &reported["cost"];
    assert_eq!(cost["record_ns"], 2.5);
    assert_eq!(cost["drains"]["count"], 3);
    // Three records from 10 to 30.
    assert_eq!(
        (&cost["threads"][0]["records"], &cost["threads"][0]["lasted_ns"]),
        (&3.into(), &20.into())
    );
    assert_eq!(cost["estimated_ns"], 4_007);
    let words = text(&run(&["info"], folder.path()).stdout);
    assert!(words.contains("cost      about 2.5 ns a record, 4.0 us in all"), "{words}");
    assert!(words.contains("buffers   written 3 times in 4.0 us"), "{words}");
}

#[test]
fn a_cost_that_nobody_measured_is_not_made_up() {
    let folder = recording().write().expect("a run folder");
    let reported: Value =
        serde_json::from_slice(&run(&["info", "--json"], folder.path()).stdout).expect("JSON");
    assert_eq!(reported["cost"]["record_ns"], Value::Null);
    assert!(!text(&run(&["info"], folder.path()).stdout).contains("cost "));
}
