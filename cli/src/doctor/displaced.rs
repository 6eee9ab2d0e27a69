//! Tools that a program's runtime would not load because `ompttrace run` brings ours.

use super::finding::{Finding, Level};
use crate::run::elf::Elf;
use ompttrace_recording::displaced::{ARCHER, archer, of_list};
use std::path::Path;

/// The tool that the environment names, which comes after ours.
pub fn by_environment(library: &Path) -> Option<Finding> {
    let others = std::env::var("OMP_TOOL_LIBRARIES").unwrap_or_default();
    of_list(&format!("{}:{others}", library.display())).map(finding)
}

/// Archer, which LLVM's runtime loads into a program under ThreadSanitizer.
pub fn by_thread_sanitizer(program: &Path, runtime: &Path) -> Option<Finding> {
    let file = runtime.with_file_name(ARCHER);
    let is_sanitized = Elf::read(program).is_some_and(|elf| elf.has_thread_sanitizer);
    (is_sanitized && file.is_file()).then(|| finding(archer(&file)))
}

fn finding(text: String) -> Finding {
    Finding::new(Level::Note, "tool", text)
}
