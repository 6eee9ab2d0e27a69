//! Answers of an OMPD library to all inquiries about a target.

use serde::{Deserialize, Serialize};

/// All answers of an OMPD library about a target.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The library's description of itself (ompd_get_version_string).
    pub library: String,
    /// The runtime's version of OpenMP (ompd_get_omp_version), such as 201611.
    pub omp_version: i64,
    /// Environment settings (ompd_get_display_control_vars).
    pub control_variables: Vec<String>,
    /// Internal control variables of the process.
    pub icvs: Vec<Icv>,
    /// Threads that the runtime knows.
    pub threads: Vec<Thread>,
    /// Regions that threads are in, each of them once.
    pub parallels: Vec<Parallel>,
    /// Tasks that threads are in, and the tasks that generated them, each of them once.
    pub tasks: Vec<Task>,
    /// Inquiries that the library refused, with the reason, each of them once.
    pub refused: Vec<String>,
}

/// An internal control variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Icv {
    /// Name of the variable, such as `nthreads-var`.
    pub name: String,
    /// Value of the variable: a number, or the library's text.
    pub value: String,
}

/// A thread that the runtime knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Thread {
    /// The kernel's id of the thread.
    pub id: u32,
    /// State of the thread (ompd_get_state), such as `ompt_state_wait_mutex`.
    pub state: Option<String>,
    /// Id of what the thread waits for (ompd_get_state); 0 if it is unknown.
    pub wait_id: u64,
    /// Internal control variables of the thread's scope.
    pub icvs: Vec<Icv>,
    /// The regions that the thread is in, innermost first: positions in [`Answer::parallels`].
    pub parallels: Vec<usize>,
    /// The task that the thread runs: a position in [`Answer::tasks`].
    pub task: Option<usize>,
    /// Data of the thread that belongs to the OMPT tool (ompd_get_tool_data).
    pub tool_data: Option<u64>,
}

/// A parallel region.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Parallel {
    /// Internal control variables of the region's scope: `team-size-var` and others.
    pub icvs: Vec<Icv>,
    /// Data of the region that belongs to the OMPT tool; with this tool it is the region's id.
    pub tool_data: Option<u64>,
}

/// A task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    /// Address of the task's function (ompd_get_task_function).
    pub function: Option<u64>,
    /// Address of the exit frame, in which the runtime called the task's code (ompd_get_task_frame).
    pub exit_frame: Option<u64>,
    /// Flags of the exit frame: whether it is the runtime's or the program's, and which of its addresses is given
    /// (ompt_frame_flag_t).
    pub exit_frame_flags: i64,
    /// Address of the enter frame, in which the task's code called the runtime.
    pub enter_frame: Option<u64>,
    /// Flags of the enter frame, as for the exit frame.
    pub enter_frame_flags: i64,
    /// The task that generated this one: a position in [`Answer::tasks`].
    pub generating: Option<usize>,
    /// The task from which this one was scheduled: a position in [`Answer::tasks`].
    pub scheduling: Option<usize>,
    /// The region that the task belongs to: a position in [`Answer::parallels`].
    pub parallel: Option<usize>,
    /// Internal control variables of the task's scope: `nthreads-var`, `implicit-task-var` and others.
    pub icvs: Vec<Icv>,
    /// Data of the task that belongs to the OMPT tool; with this tool it is the task's id.
    pub tool_data: Option<u64>,
}
