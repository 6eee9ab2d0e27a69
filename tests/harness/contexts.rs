//! Calling contexts in a trace beside what a program says of its own calls (`tests/callstacks/chain.h`).

use crate::judged::Judged;
use anyhow::{Result, ensure};

/// Contexts of implicit and explicit tasks on threads' tracks, the first segment of each.
pub const CONTEXTS: &str = "select extract_arg(s.arg_set_id, 'debug.context') as context \
    from slice s join thread_track t on t.id = s.track_id \
    where (what(s.name) glob 'implicit task*' or what(s.name) = 'task' or what(s.name) glob 'task *') \
    and extract_arg(s.arg_set_id, 'debug.segment') is null order by 1";

/// Calling contexts that a program prints, sorted.
pub fn said(stdout: &str) -> Vec<String> {
    let lines = stdout.lines().filter_map(|line| line.trim().strip_prefix("context: "));
    let mut said: Vec<String> = lines.map(str::to_owned).collect();
    said.sort();
    said
}

/// Checks that the trace has each context as often as the program printed it.
pub fn check(judged: &mut Judged, expected: &[String]) -> Result<()> {
    ensure!(!expected.is_empty(), "the program says nothing");
    compare(expected, &judged.lines(CONTEXTS)?)
}

/// Checks that both lists have the same contexts, each equally often.
pub fn compare(expected: &[String], found: &[String]) -> Result<()> {
    ensure!(found == expected, "{}", difference(expected, found));
    Ok(())
}

/// Lines for the texts that the lists do not have equally often, with both numbers.
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
