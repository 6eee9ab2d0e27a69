//! The reason why a program was not started.

/// The exit status for an error.
pub const FAILURE: u8 = 1;
/// The exit status for a wrong request.
pub const USAGE: u8 = 2;
/// The exit status of shells for a file that cannot be executed.
pub const NOT_EXECUTABLE: u8 = 126;
/// The exit status of shells for a command that is not found.
pub const NOT_FOUND: u8 = 127;

/// Reason why the program was not started, and the exit status for that.
pub struct Stop {
    pub code: u8,
    pub line: String,
}

impl Stop {
    /// A stop with this exit status and line.
    pub fn new(code: u8, line: impl Into<String>) -> Stop {
        Stop { code, line: line.into() }
    }
}
