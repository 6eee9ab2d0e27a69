//! Counts and active times of everything in a trace, by the names that a viewer shows:
//! the form in which traces of different formats are compared.
//!
//! Active is what stands on the stack of the task that runs in its team: a task that is suspended is
//! not, nor is what it is in. Where formats report the same thing in different forms, the sums have one
//! row that all of them can fill; `drawn.rs` and `archive.rs` say how.

use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Sums of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Number of occurrences. A task that resumes is not counted again.
    pub count: u64,
    /// Active time in nanoseconds; for a counter its last value.
    pub ns: i64,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Sum) {
        self.count += other.count;
        self.ns += other.ns;
    }
}

/// All rows of one trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums(pub BTreeMap<String, Sum>);

impl Sums {
    /// Adds to a row.
    pub fn add(&mut self, row: impl Into<String>, count: u64, ns: i64) {
        *self.0.entry(row.into()).or_default() += Sum { count, ns };
    }

    /// Adds all rows of another trace, each under the name that `kind` gives.
    pub fn add_all(&mut self, other: &Sums, kind: impl Fn(&str) -> String) {
        for (name, sum) in &other.0 {
            *self.0.entry(kind(name)).or_default() += *sum;
        }
    }
}

/// All implicit tasks of a region, by its name: slices of implicit tasks leave its function out.
pub fn implicit_task(region: &str) -> String {
    let name = region.split(" (").next().unwrap_or(region);
    name.replacen("parallel", "implicit task", 1)
}

/// A `single` by its name, whoever executes it.
pub fn single(name: &str) -> String {
    name.replacen("single (other thread)", "single", 1)
}

/// Waiting for a mutex at a location. Its own name cannot be the row's: two locks that are taken at one
/// location are one region in an archive.
pub fn mutex_wait(kind: &str, location: Option<&str>) -> String {
    format!("wait: {kind} @{}", location.unwrap_or("?"))
}

/// A thread asked for a mutex and came neither to have it nor to continue without: its program ended.
pub const ASKED: &str = "asked for a mutex";

/// Failed tests of a lock at a location.
pub fn failed_tests(kind: &str, location: Option<&str>) -> String {
    format!("test failed: {kind} @{}", location.unwrap_or("?"))
}

/// Name of the sum of regions from fork to join.
pub const FORKS: &str = "fork to join";
/// Name of the sum of the code that the executing thread runs inside a `single`.
pub const SINGLE_BLOCKS: &str = "single, inside";
/// Name of the count of acquired mutexes.
pub const ACQUIRED: &str = "mutexes acquired";
/// Name of the count of created explicit tasks.
pub const CREATED: &str = "explicit tasks created";

/// Name of the sum of a counter: the number of its values, and the last of them.
pub fn counter(name: &str) -> String {
    format!("counter: {name}")
}

/// The kind of a row: its name without the location and whatever else the user chose.
pub fn kind(row: &str) -> String {
    if row.starts_with("counter: ") {
        return row.to_string();
    }
    let is_location = |word: &str| word.contains(['.', '@', '/']) || word.contains("+0x");
    let words = row.split(' ').take_while(|word| !is_location(word));
    words.collect::<Vec<_>>().join(" ")
}
