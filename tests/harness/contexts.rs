//! Calling contexts in a trace beside what a program says of its own calls (`tests/callstacks/chain.h`).

use crate::judged::Judged;
use anyhow::{Result, ensure};

/// Contexts of implicit and explicit tasks on threads' tracks, the first segment of each.
pub const CONTEXTS: &str = "select extract_arg(s.arg_set_id, 'debug.context') as context \
    from slice s join thread_track t on t.id = s.track_id \
    where (what(s.name) glob 'implicit task*' or what(s.name) = 'task' or what(s.name) glob 'task *') \
    and extract_arg(s.arg_set_id, 'debug.segment') is null order by 1";

/// What a program says, in order.
pub fn said(stdout: &str) -> Vec<String> {
    let lines = stdout.lines().filter_map(|line| line.trim().strip_prefix("context: "));
    let mut said: Vec<String> = lines.map(str::to_owned).collect();
    said.sort();
    said
}

/// The trace has each context as often as it was said.
pub fn check(judged: &mut Judged, expected: &[String]) -> Result<()> {
    ensure!(!expected.is_empty(), "the program says nothing");
    compare(expected, &judged.lines(CONTEXTS)?)
}

/// Each is there as often as it was said.
pub fn compare(expected: &[String], found: &[String]) -> Result<()> {
    ensure!(found == expected, "{}", difference(expected, found));
    Ok(())
}

/// What is in one list and not as often in the other.
fn difference(expected: &[String], found: &[String]) -> String {
    let count = |list: &[String], text: &String| list.iter().filter(|one| *one == text).count();
    let mut all: Vec<&String> = expected.iter().chain(found).collect();
    all.sort();
    all.dedup();
    let lines = all.into_iter().filter_map(|text| {
        let (said, traced) = (count(expected, text), count(found, text));
        (said != traced).then(|| format!("said {said} times, traced {traced} times: {text}\n"))
    });
    lines.collect()
}
