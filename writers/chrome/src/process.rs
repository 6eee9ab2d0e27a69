//! Lines about the process and its threads, written before the first event.

use std::io::Write;

use ompttrace_model::{RunInfo, process_labels, process_name, surroundings};
use ompttrace_recording::facts::Facts;
use serde_json::json;

use crate::lines::Lines;
use crate::tracks::{Group, Track};

/// The process, as the tracks need it.
#[derive(Debug, Default)]
pub(crate) struct Process {
    pub(crate) pid: u64,
    /// Name of the program.
    name: String,
    /// For each group of tracks whether it was named.
    named: [bool; Group::COUNT],
}

impl Process {
    pub(crate) fn of(facts: &Facts) -> Self {
        // To Perfetto process 0 is the kernel's idling.
        let pid = u64::from(facts.process.pid).max(1);
        Process { pid, name: process_name(facts), named: [false; Group::COUNT] }
    }

    /// Track of events that concern the process as a whole: that of its first thread.
    pub(crate) fn track(&self) -> Track {
        Track::new(self.pid, self.pid)
    }

    /// Track with this number in a group.
    pub(crate) fn track_in(&self, group: Group, number: u64) -> Track {
        Track::new(group.pid(self.pid), number)
    }

    /// Names a group of tracks and sets its position, with its first track.
    pub(crate) fn name_group<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        group: Group,
        track: &Track,
    ) {
        if std::mem::replace(&mut self.named[group as usize], true) {
            return;
        }
        let name = format!("{}{}", self.name, group.suffix());
        lines.metadata(track, "process_name", &json!({ "name": name }));
        lines.metadata(track, "process_sort_index", &json!({ "sort_index": group.rank() }));
    }

    /// Describes the process itself.
    pub(crate) fn describe<W: Write>(&mut self, lines: &mut Lines<W>, run: &RunInfo<'_>) {
        let track = self.track();
        self.name_group(lines, Group::Process, &track);
        // Commas part the labels.
        let labels = process_labels(run.facts).into_iter().map(|label| label.replace(',', ";"));
        let labels = labels.collect::<Vec<_>>().join(",");
        lines.metadata(&track, "process_labels", &json!({ "labels": labels }));
        lines.metadata(&track, "ompttrace", &origin(run));
    }
}

/// Properties that no viewer displays by itself: the surroundings, the command, and the times that are reported as 0.
/// Times are texts, since a browser would round them.
fn origin(run: &RunInfo<'_>) -> serde_json::Value {
    let surroundings: serde_json::Map<_, _> =
        surroundings(run.facts).into_iter().map(|(name, value)| (name, value.into())).collect();
    json!({
        "surroundings": surroundings,
        "command": run.facts.process.arguments,
        "begin_monotonic_ns": run.begin.to_string(),
        "begin_realtime_ns": run.begin.saturating_add_signed(run.realtime_offset).to_string(),
    })
}
