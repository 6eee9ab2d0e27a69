//! The reason why a program was not started.

/// The exit status for what went wrong.
pub const FAILURE: u8 = 1;
/// The exit status for a wrong request.
pub const USAGE: u8 = 2;
/// As shells say it.
pub const NOT_EXECUTABLE: u8 = 126;
/// As shells say it.
pub const NOT_FOUND: u8 = 127;

/// Reason why the program was not started, and the exit status for that.
pub struct Stop {
    pub code: u8,
    pub line: String,
}

impl Stop {
    /// With this exit status and line.
    pub fn new(code: u8, line: impl Into<String>) -> Stop {
        Stop { code, line: line.into() }
    }
}
