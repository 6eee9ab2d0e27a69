//! Cores: a track for each thread that shows its core, or why it has none.

use std::io::Write;

use ompttrace_model::{Core, Mark, RunInfo, ThreadRef, thread_name};
use serde_json::json;

use crate::category::Category;
use crate::lines::{Event, Lines};
use crate::process::Process;
use crate::tracks::{Group, Track};

/// What is known of cores.
#[derive(Debug, Default)]
pub(crate) struct Cores {
    names: Vec<String>,
    rows: Vec<Option<Row>>,
    /// The end of the run.
    end: u64,
}

/// A thread's track.
#[derive(Debug)]
struct Row {
    track: Track,
    is_open: bool,
}

impl Cores {
    /// The threads of a run, of which nothing is known.
    pub(crate) fn new(run: &RunInfo<'_>) -> Cores {
        let names = run.threads.iter().map(|thread| thread_name(run.facts, thread)).collect();
        Cores { names, end: run.end, ..Cores::default() }
    }

    /// A thread gets a core, or loses it.
    pub(crate) fn change<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        process: &mut Process,
        (at, thread, core): (u64, ThreadRef, Core),
    ) {
        let Some(row) = self.row(lines, process, thread) else { return };
        if std::mem::replace(&mut row.is_open, core != Core::Unknown) {
            lines.end(&row.track, at, Mark::Observed);
        }
        let name = match core {
            Core::Unknown => return,
            Core::On(core) => format!("\"core {core}\""),
            Core::Preempted(_) => "\"wants a core\"".to_owned(),
            Core::Blocked(_) => "\"asleep\"".to_owned(),
        };
        let event = Event { category: Category::Core, name: name.as_bytes(), args: &[] };
        lines.begin(&row.track, at, &event);
    }

    fn row<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        process: &mut Process,
        thread: ThreadRef,
    ) -> Option<&mut Row> {
        let at = thread as usize;
        let name = self.names.get(at)?;
        if self.rows.len() <= at {
            self.rows.resize_with(at + 1, || None);
        }
        let row = self.rows.get_mut(at)?;
        if row.is_none() {
            let track = process.track_in(Group::Cores, u64::from(thread) + 1);
            process.name_group(lines, Group::Cores, &track);
            lines.metadata(&track, "thread_name", &json!({ "name": name }));
            lines.metadata(&track, "thread_sort_index", &json!({ "sort_index": thread }));
            *row = Some(Row { track, is_open: false });
        }
        row.as_mut()
    }

    /// The run is over.
    pub(crate) fn finish<W: Write>(&mut self, lines: &mut Lines<W>) {
        for row in self.rows.iter_mut().flatten().filter(|row| row.is_open) {
            lines.end(&row.track, self.end, Mark::Observed);
        }
    }
}
