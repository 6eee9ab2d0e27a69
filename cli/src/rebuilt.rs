//! Warnings about programs and libraries that were rebuilt since the run: what is missing or wrong with them.

use crate::say;
use ompttrace_recording::Recording;
use ompttrace_symbols::{Modules, Rebuilt, rebuilt};
use std::time::{Duration, SystemTime};

/// Maximum number of files named.
const MOST_NAMED: usize = 3;

/// One line about files without names here, and one about files whose names may be wrong.
pub fn remarks(recording: &Recording) -> Vec<String> {
    let begun = SystemTime::UNIX_EPOCH + Duration::from_nanos(recording.facts.clock.realtime);
    let found = rebuilt(&Modules::from_text(&recording.modules_text()), begun);
    let (sure, unsure): (Vec<_>, Vec<_>) = found.into_iter().partition(|file| file.is_sure);
    let remark = |files: &[Rebuilt], what: &str| {
        (!files.is_empty()).then(|| format!("{}: {what}", named(files)))
    };
    let sure = remark(&sure, "rebuilt since the run, so its code has no names and lines here");
    let unsure = remark(
        &unsure,
        "changed since the run and without a build id, so names and lines of its code may be wrong",
    );
    sure.into_iter().chain(unsure).collect()
}

fn named(files: &[Rebuilt]) -> String {
    let shown: Vec<_> = files.iter().take(MOST_NAMED).map(|file| say::shown(&file.path)).collect();
    match files.len().saturating_sub(MOST_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
