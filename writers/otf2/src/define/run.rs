//! Properties of a process and its locations, as definitions have them.

use ompttrace_model::RunInfo;

use crate::archive_state::MetricMember;

/// Properties of the run as a whole, for the definitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunProperties {
    pub host: String,
    pub process_name: String,
    pub arguments: Vec<String>,
    pub process: u32,
    pub begin: u64,
    pub end: u64,
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds.
    pub realtime_offset: i64,
    pub tool: String,
    pub runtimes: Vec<String>,
    /// Names and values that describe the machine as the process found it.
    pub surroundings: Vec<(String, String)>,
    /// Counters that were read for each thread.
    pub counted: Vec<ompttrace_recording::facts::Counter>,
    /// Period of the samples of a thread, in nanoseconds, if there are samples.
    pub sampled_every: Option<u64>,
    /// True if samples come by the time of day rather than by CPU time.
    pub of_wall_time: bool,
    /// True if releases of mutexes were recorded.
    pub has_releases: bool,
    /// True if task switches were recorded.
    pub has_switches: bool,
    /// True if the process has ended its recording, so that nothing is missing at its end.
    pub is_ended: bool,
}

/// A thread or logical thread as its definition names it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocationName {
    pub name: String,
    /// Kernel id of a thread.
    pub os_thread: Option<u32>,
    /// Of a stream the device's number.
    pub device: Option<i64>,
}

/// Names and meanings of the counters of the process.
pub(crate) const COUNTERS: [(&str, &str); 3] = [
    ("threads working", "threads in a task that wait for nothing"),
    ("workers idle", "worker threads outside of any team"),
    ("live tasks", "explicit tasks created and not complete"),
];

/// Arguments of the program that an archive reports, and letters of its command line: a record must
/// fit into a chunk.
pub(crate) const MOST_ARGUMENTS: usize = 1000;
const LONGEST_LINE: usize = 16 << 10;

impl RunProperties {
    /// The program's arguments in one line; a very long one is truncated, which its end shows.
    pub(crate) fn command_line(&self) -> String {
        let line = self.arguments.join(" ");
        match line.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{} …", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }

    /// The name of a metric of threads.
    pub(super) fn metric(&self, member: MetricMember) -> &str {
        match member {
            MetricMember::Core => "core",
            MetricMember::Counter(counter) => {
                self.counted.get(counter as usize).map_or("", |counter| counter.name.as_str())
            }
        }
    }

    pub(crate) fn of(run: &RunInfo<'_>) -> RunProperties {
        let facts = run.facts;
        RunProperties {
            host: facts.process.host.clone(),
            process_name: ompttrace_model::process_name(facts),
            arguments: facts.process.arguments.clone(),
            process: facts.process.pid,
            begin: run.begin,
            end: run.end,
            realtime_offset: run.realtime_offset,
            tool: facts.tool.clone(),
            surroundings: ompttrace_model::surroundings(facts),
            counted: facts.counters.counted.clone(),
            runtimes: facts.runtimes.iter().map(|runtime| runtime.version.clone()).collect(),
            sampled_every: None,
            of_wall_time: facts.samples.are_of_wall_time(),
            has_releases: facts.runtimes.iter().all(|runtime| runtime.reports("mutex_released")),
            is_ended: facts.closed,
            has_switches: facts.runtimes.iter().all(|runtime| runtime.reports("task_schedule")),
        }
    }
}
