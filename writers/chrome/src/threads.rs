//! The tracks of OS threads, all described before the first event.

use std::collections::HashSet;
use std::io::Write;

use ompttrace_model::{RunInfo, ThreadRef};
use serde_json::json;

use crate::lines::Lines;
use crate::process::Process;
use crate::texts::quoted;
use crate::tracks::{Track, made_up_thread};
use ompttrace_model::thread_name;

/// The threads of the run.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    /// In quotes.
    name: Box<[u8]>,
    track: Track,
}

impl Threads {
    /// Names all threads, and describes their tracks if there are to be any.
    pub(crate) fn new<W: Write>(
        lines: &mut Lines<W>,
        process: &Process,
        run: &RunInfo<'_>,
        described: bool,
    ) -> Self {
        let mut used = HashSet::from([0]);
        let mut rows = Vec::with_capacity(run.threads.len());
        for (thread, index) in run.threads.iter().zip(0u32..) {
            let mut tid = u64::from(thread.os_thread);
            if !used.insert(tid) {
                // To the format two threads with one id are one.
                tid = made_up_thread(index);
            }
            let name = thread_name(run.facts, thread);
            if described {
                lines.metadata(process.pid, tid, "thread_name", &json!({ "name": name }));
                let rank = json!({ "sort_index": index });
                lines.metadata(process.pid, tid, "thread_sort_index", &rank);
            }
            rows.push(Row { name: quoted(&name), track: Track::new(process.pid, tid) });
        }
        Threads { rows }
    }

    /// The name of a thread, in quotes.
    #[inline]
    pub(crate) fn name(&self, thread: ThreadRef) -> Option<&[u8]> {
        Some(&self.rows.get(thread as usize)?.name)
    }

    /// The track of a thread.
    #[inline]
    pub(crate) fn track(&self, thread: ThreadRef) -> Option<&Track> {
        Some(&self.rows.get(thread as usize)?.track)
    }
}
