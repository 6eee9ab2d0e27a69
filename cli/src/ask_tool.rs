//! Asks the library itself whether it can be used, with the settings as they are.
//!
//! The library is loaded and called as a runtime would call it, in a process of its own, since it may install handlers.
//! Nothing is recorded, because it is not initialised.

use crate::arguments::AskToolArguments;
use crate::say;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Exit status of the other process if the library refuses.
const REFUSED: u8 = 3;
/// `_OPENMP` of OpenMP 5.0.
const OMP_VERSION: c_uint = 201_811;
const VERSION: &CStr = c"ompttrace run";
/// Last part of each of the library's reasons.
const CONSEQUENCE: &str = "; the program runs untraced";

/// Type of `ompt_start_tool` (OpenMP 5.0, 4.2.1): the tool returns null if it does not want to be active.
type StartTool = unsafe extern "C" fn(c_uint, *const c_char) -> *mut c_void;

/// Answer of the library to the question whether it can be used.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Accepted,
    /// The library refuses, for this reason.
    Refused(String),
    /// The library cannot be used at all.
    Broken(String),
}

/// Asks the library, in another process, about these settings.
pub fn ask(library: &Path, settings: &[(String, std::ffi::OsString)]) -> Answer {
    let asked = std::env::current_exe().and_then(|program| {
        Command::new(program)
            .arg("ask-tool")
            .arg(library)
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::null())
            .output()
    });
    let output = match asked {
        Ok(output) => output,
        Err(error) => return Answer::Broken(error.to_string()),
    };
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stderr = stderr.trim_end().trim_start_matches("ompttrace: ");
    match output.status.code() {
        Some(0) => Answer::Accepted,
        Some(code) if code == i32::from(REFUSED) => {
            Answer::Refused(stderr.trim_end_matches(CONSEQUENCE).to_owned())
        }
        _ => Answer::Broken(format!("{stderr} ({})", output.status)),
    }
}

/// The other process: 0 accepted, 3 refused (the library has reported why), 1 not to be loaded.
pub fn run(arguments: &AskToolArguments) -> ExitCode {
    match accepts(&arguments.library) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(REFUSED),
        Err(error) => {
            say::remark(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn accepts(library: &Path) -> Result<bool, libloading::Error> {
    // SAFETY: the caller names our own library, whose initialisers are those of Rust's standard
    // library, and this process does nothing else.
    let library = unsafe { libloading::Library::new(library)? };
    // SAFETY: ompt_start_tool has this type in every tool.
    let start = unsafe { library.get::<StartTool>(c"ompt_start_tool")? };
    // SAFETY: the version is a C string that lives for ever.
    let answer = unsafe { start(OMP_VERSION, VERSION.as_ptr()) };
    Ok(!answer.is_null())
}
