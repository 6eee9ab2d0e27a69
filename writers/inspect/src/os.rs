//! What the kernel knows of a thread, beside what its recording says.

use serde::Serialize;

/// A thread as the operating system shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OsThread {
    /// Its kernel id, as seen from here.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Field 3 of /proc/pid/stat: R runs, S sleeps, D waits for a disk, T is stopped.
    pub state: char,
    /// CPU time in user and kernel mode, nanoseconds, to the kernel's tick.
    pub cpu_ns: u64,
    /// What it waits for inside the kernel (/proc/pid/task/tid/wchan); none where it runs or that is not shown.
    pub waits_in: Option<String>,
    /// The system call that it is in, by number; none where it is in none or that is not shown.
    pub system_call: Option<i64>,
    /// Its call stack, innermost frame first.
    pub stack: Vec<StackFrame>,
    /// Why there is no call stack, or where it stops short.
    pub stack_note: Option<String>,
}

/// A frame of a call stack.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StackFrame {
    /// Its code address: of the innermost frame where it is, of the others where they return to.
    pub address: u64,
    /// The function; none where it has no symbol.
    pub function: Option<String>,
    /// `stencil.c:42`, otherwise `libfoo.so+0x1234`, otherwise the address.
    pub location: String,
    /// The file of the program or library.
    pub module: Option<String>,
    /// Whether it has a source line.
    pub has_line: bool,
    /// Whether it is the OpenMP runtime's, the tool's, or the C library's.
    pub system: bool,
    /// Where OMPD was asked: the task whose code it is, by its position in OMPD's answer; none for the runtime's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<usize>,
}

impl OsThread {
    /// The innermost frame of the program's own code.
    pub fn innermost_own(&self) -> Option<&StackFrame> {
        let own = |frame: &&StackFrame| !frame.system;
        let lined = self.stack.iter().filter(own).find(|frame| frame.has_line);
        lined.or_else(|| self.stack.iter().find(own))
    }

    /// The state in a word.
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
