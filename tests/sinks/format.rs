//! The two formats, and what the trace processor makes of the same event in each.

use crate::fake::START;

/// A format for Perfetto's UI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Perfetto's own.
    Perfetto,
    /// Chrome's JSON.
    Chrome,
}

pub const FORMATS: [Format; 2] = [Format::Perfetto, Format::Chrome];

impl Format {
    /// One of two things that differ.
    pub fn pick<T>(self, perfetto: T, chrome: T) -> T {
        match self {
            Format::Perfetto => perfetto,
            Format::Chrome => chrome,
        }
    }

    /// SQL for this format. `$begin` is the start of the run and `$args` the prefix of arguments' keys; `$threads`,
    /// `$logical_threads`, `$regions` and `$locks` are tables of tracks: id, name, rank.
    pub fn sql(self, sql: &str) -> String {
        let group = |name: &str| {
            self.pick(of_group(name), of_process(&format!(": {}", name.to_lowercase())))
        };
        sql.replace("$begin", &self.pick(START, 0).to_string())
            .replace("$args", self.pick("debug", "args"))
            .replace("$threads", &self.pick(OF_THREADS.to_owned(), of_process("")))
            .replace("$logical_threads", &group("Logical threads"))
            .replace("$regions", &group("Parallel regions"))
            .replace("$locks", &group("Locks"))
    }
}

/// Threads have tracks for their slices and tracks for their states.
const OF_THREADS: &str = "(select t.id, th.name, th.tid rank from thread_track t \
                          join thread th using (utid) where t.name is not 'state')";

/// Tracks below one that is there for them only.
fn of_group(name: &str) -> String {
    format!(
        "(select t.id, t.name, extract_arg(t.source_arg_set_id, 'sibling_order_rank') rank \
         from track t join track p on p.id = t.parent_id where p.name = '{name}')"
    )
}

/// The format has processes and threads alone: a group is a process.
fn of_process(name: &str) -> String {
    format!(
        "(select t.id, th.name, extract_arg(th.arg_set_id, 'thread_sort_index_hint') rank \
         from thread_track t join thread th using (utid) join process p using (upid) \
         where p.name = 'stencil{name}')"
    )
}
