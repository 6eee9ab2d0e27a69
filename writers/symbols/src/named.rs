//! Source files that a program's debug information names.

use std::path::Path;

use crate::elf::Elf;
use crate::lines::Lines;

/// True if code of the program at this path comes from this source file, as locations write its path.
pub fn names_source(program: &Path, file: &str) -> bool {
    let elf = Elf::open(program).ok().filter(|elf| elf.has_lines);
    elf.and_then(|elf| Lines::open(&elf).ok()).is_some_and(|lines| lines.name(file))
}
