//! Test whether a trace shows all of its recording: one made while the program ran does not.

use crate::arguments::PARTIAL;
use crate::process::Life;
use crate::say;
use ompttrace_recording::facts::Facts;
use ompttrace_recording::folder;
use ompttrace_recording::reader::read_facts;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Granularity of the time stamps of file systems.
const COARSE: Duration = Duration::from_millis(50);

/// True if the trace's name shows that it was made while its program ran.
pub fn is_partial(trace: &Path) -> bool {
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("trace") && name.contains(PARTIAL)
}

/// A remark on a trace in a run folder that does not show all of its recording; none for other traces, of which nothing
/// is known.
pub fn remark(trace: &Path) -> Option<String> {
    let run = trace.parent()?;
    let facts = read_facts(run).ok()?;
    let (shown, command) = (say::shown(trace), format!("`ompttrace export {}`", say::shown(run)));
    if Life::of_run(run, &facts) == Life::Runs {
        return Some(format!("{shown} is partial: the program still runs; later, {command}"));
    }
    if is_partial(trace) {
        return Some(format!("{shown} is partial: made while the program ran; now, {command}"));
    }
    let older = is_older(trace, run, &facts)?;
    older.then(|| format!("{shown} is older than its recording; {command} makes a complete one"))
}

/// True if the recording continued after the trace was made: its files changed, and have later records. Times of copied
/// files mean nothing by themselves.
fn is_older(trace: &Path, run: &Path, facts: &Facts) -> Option<bool> {
    let modified = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let made = modified(trace)?;
    let events = (0..folder::STRIPES).map(|number| format!("{}{number}", folder::EVENTS));
    let mut files = events.chain([folder::FACTS.to_owned()]);
    let went_on = files.any(|file| modified(&run.join(file)).is_some_and(|time| time > made));
    Some(went_on && made + COARSE < end(run, facts)?)
}

/// The latest time in the recording.
fn end(run: &Path, facts: &Facts) -> Option<SystemTime> {
    let first = facts.clock.pairs.first()?.monotonic;
    let last = match facts.closed {
        true => facts.clock.pairs.last()?.monotonic,
        false => {
            let recording = ompttrace_packed::open(run).ok()?;
            let clocks = recording.threads.iter().filter_map(|thread| thread.clock);
            clocks.map(|(_, last)| last.monotonic).max()?
        }
    };
    let nanoseconds = facts.clock.realtime.checked_add(last.saturating_sub(first))?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_timeline::testing::RunBuilder;
    use std::fs::File;

    #[test]
    fn a_trace_from_before_the_end_is_older_and_a_copied_one_is_not() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        let mut run = RunBuilder::new();
        run.facts.clock.realtime = now.as_nanos() as u64;
        run.facts.clock.pairs = vec![Default::default(); 2];
        let run = run.write().expect("a run folder");
        let trace = run.path().join("trace.pftrace");
        let file = File::create(&trace).expect("made");
        let ago = |seconds| SystemTime::now() - Duration::from_secs(seconds);
        assert_eq!(remark(&trace), None);
        file.set_modified(ago(10)).expect("a time");
        assert!(remark(&trace).is_some_and(|words| words.contains("is older than its recording")));
        // A copy of the files in any order: later than the recording's end, by any of their times.
        file.set_modified(SystemTime::now() + Duration::from_secs(10)).expect("a time");
        let facts = File::options().write(true).open(run.path().join(folder::FACTS));
        let later = SystemTime::now() + Duration::from_secs(20);
        facts.and_then(|facts| facts.set_modified(later)).expect("a time");
        assert_eq!(remark(&trace), None);
        let partial = run.path().join("trace-partial.pftrace");
        std::fs::rename(&trace, &partial).expect("renamed");
        assert!(remark(&partial).is_some_and(|words| words.contains("made while the program ran")));
    }
}
