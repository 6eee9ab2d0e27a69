//! What an OMPD library says of a target.

use serde::{Deserialize, Serialize};

/// Everything that was asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The library's name of itself (ompd_get_version_string).
    pub library: String,
    /// The runtime's version of OpenMP (ompd_get_omp_version), such as 201611.
    pub omp_version: i64,
    /// Environment settings (ompd_get_display_control_vars).
    pub control_variables: Vec<String>,
    /// Internal control variables of the process.
    pub icvs: Vec<Icv>,
    /// Threads that the runtime knows.
    pub threads: Vec<Thread>,
    /// Regions that threads are in, each once.
    pub parallels: Vec<Parallel>,
    /// Tasks that threads are in and those that generated them, each once.
    pub tasks: Vec<Task>,
    /// Inquiries that were refused, with the reason, each once.
    pub refused: Vec<String>,
}

/// An internal control variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Icv {
    /// Its name, such as `nthreads-var`.
    pub name: String,
    /// Its value: a number, or what the library says in words.
    pub value: String,
}

/// A thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Thread {
    /// The kernel's id.
    pub id: u32,
    /// Its state (ompd_get_state), such as `ompt_state_wait_mutex`.
    pub state: Option<String>,
    /// What it waits for.
    pub wait_id: u64,
    /// Variables of the scope of threads.
    pub icvs: Vec<Icv>,
    /// The regions that it is in, innermost first: positions in [`Answer::parallels`].
    pub parallels: Vec<usize>,
    /// The task that it runs: a position in [`Answer::tasks`].
    pub task: Option<usize>,
    /// The tool's word for it (ompd_get_tool_data).
    pub tool_data: Option<u64>,
}

/// A parallel region.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Parallel {
    /// Variables of the scope of regions: `team-size-var` and others.
    pub icvs: Vec<Icv>,
    /// The tool's word for it: with this tool its id.
    pub tool_data: Option<u64>,
}

/// A task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    /// Where its code begins (ompd_get_task_function).
    pub function: Option<u64>,
    /// The frame at which the runtime was left for its code (ompd_get_task_frame).
    pub exit_frame: Option<u64>,
    /// Whose frame that is, and what of it the address is (ompt_frame_flag_t).
    pub exit_frame_flags: i64,
    /// The frame from which its code called the runtime.
    pub enter_frame: Option<u64>,
    /// The same of that.
    pub enter_frame_flags: i64,
    /// The task that made it: a position in [`Answer::tasks`].
    pub generating: Option<usize>,
    /// The task that it was scheduled from.
    pub scheduling: Option<usize>,
    /// The region that it belongs to: a position in [`Answer::parallels`].
    pub parallel: Option<usize>,
    /// Variables of the scope of tasks: `nthreads-var`, `implicit-task-var` and others.
    pub icvs: Vec<Icv>,
    /// The tool's word for it: with this tool its id.
    pub tool_data: Option<u64>,
}
