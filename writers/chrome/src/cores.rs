//! Cores: a track for each thread that shows its core, or the reason why it has none.

use std::io::Write;

use ompttrace_model::{Core, Mark, RunInfo, ThreadRef, thread_name};
use serde_json::json;

use crate::category::Category;
use crate::lines::{Event, Lines};
use crate::process::Process;
use crate::tracks::{Group, Track};

/// Tracks that show the threads' cores: one for each thread, from its first change on, with at most one open slice.
#[derive(Debug, Default)]
pub(crate) struct Cores {
    names: Vec<String>,
    tracks: Vec<Option<CoreTrack>>,
    /// Time at which the run ends, in nanoseconds.
    end: u64,
}

/// A thread's track of cores.
#[derive(Debug)]
struct CoreTrack {
    track: Track,
    is_open: bool,
}

impl Cores {
    /// The threads of a run, none of which has a track yet.
    pub(crate) fn new(run: &RunInfo<'_>) -> Cores {
        let names = run.threads.iter().map(|thread| thread_name(run.facts, thread)).collect();
        Cores { names, end: run.end, ..Cores::default() }
    }

    /// Records that a thread gets a core or loses it.
    pub(crate) fn change<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        process: &mut Process,
        (at, thread, core): (u64, ThreadRef, Core),
    ) {
        let Some(core_track) = self.track_of(lines, process, thread) else { return };
        if std::mem::replace(&mut core_track.is_open, core != Core::Unknown) {
            lines.end(&core_track.track, at, Mark::Observed);
        }
        let name = match core {
            Core::Unknown => return,
            Core::On(core) => format!("\"core {core}\""),
            Core::Preempted(_) => "\"wants a core\"".to_owned(),
            Core::Blocked(_) => "\"asleep\"".to_owned(),
        };
        let event = Event { category: Category::Core, name: name.as_bytes(), args: &[] };
        lines.begin(&core_track.track, at, &event);
    }

    fn track_of<W: Write>(
        &mut self,
        lines: &mut Lines<W>,
        process: &mut Process,
        thread: ThreadRef,
    ) -> Option<&mut CoreTrack> {
        let at = thread as usize;
        let name = self.names.get(at)?;
        if self.tracks.len() <= at {
            self.tracks.resize_with(at + 1, || None);
        }
        let core_track = self.tracks.get_mut(at)?;
        if core_track.is_none() {
            let track = process.track_in(Group::Cores, u64::from(thread) + 1);
            process.name_group(lines, Group::Cores, &track);
            lines.metadata(&track, "thread_name", &json!({ "name": name }));
            lines.metadata(&track, "thread_sort_index", &json!({ "sort_index": thread }));
            *core_track = Some(CoreTrack { track, is_open: false });
        }
        core_track.as_mut()
    }

    /// Ends all open slices at the end of the run.
    pub(crate) fn finish<W: Write>(&mut self, lines: &mut Lines<W>) {
        for core_track in self.tracks.iter_mut().flatten().filter(|core_track| core_track.is_open) {
            lines.end(&core_track.track, self.end, Mark::Observed);
        }
    }
}
