//! The operating system's view of a thread, in addition to the recording's.

use serde::Serialize;

/// A thread as the operating system shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OsThread {
    /// Kernel id of the thread, as seen by the inspecting process.
    pub id: u32,
    /// Name of the thread.
    pub name: String,
    /// Field 3 of /proc/pid/stat: R runs, S sleeps, D waits for a disk, T is stopped.
    pub state: char,
    /// CPU time in user and kernel mode, in nanoseconds, with the precision of the kernel's tick.
    pub cpu_ns: u64,
    /// Function of the kernel in which the thread waits (/proc/pid/task/tid/wchan); `None` if it runs, or if the
    /// kernel does not show it.
    pub waits_in: Option<String>,
    /// Number of the system call in which the thread is; `None` if it is in none, or if the kernel does not show it.
    pub system_call: Option<i64>,
    /// Call stack of the thread, innermost frame first.
    pub stack: Vec<StackFrame>,
    /// Reason why there is no call stack, or why it is incomplete.
    pub stack_note: Option<String>,
}

/// A frame of a call stack.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StackFrame {
    /// Code address of the frame: the present one of the innermost frame, the return addresses of the others.
    pub address: u64,
    /// Name of the function; `None` if it has no symbol.
    pub function: Option<String>,
    /// Location in the form `stencil.c:42`; `libfoo.so+0x1234` if the line is unknown; else the address.
    pub location: String,
    /// Path of the file of the program or library.
    pub module: Option<String>,
    /// True if the source line is known.
    pub has_line: bool,
    /// True for a frame of the OpenMP runtime, the tool, or the C library.
    pub system: bool,
    /// Position in OMPD's answer of the task whose code it is; `None` for the runtime's code, or if OMPD was not
    /// asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<usize>,
}

impl OsThread {
    /// The innermost frame of the program's own code, preferably one with a source line.
    pub fn innermost_own(&self) -> Option<&StackFrame> {
        let own = |frame: &&StackFrame| !frame.system;
        let lined = self.stack.iter().filter(own).find(|frame| frame.has_line);
        lined.or_else(|| self.stack.iter().find(own))
    }

    /// The state as a word.
    pub fn state_word(&self) -> &'static str {
        match self.state {
            'R' => "runs",
            'S' => "sleeps",
            'D' => "in the kernel, uninterruptible",
            'T' | 't' => "stopped",
            'Z' | 'X' => "over",
            'I' => "idle",
            _ => "unknown",
        }
    }
}
