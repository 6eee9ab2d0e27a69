//! Source files, if they are available: only the names of critical sections and the lines of barriers are used.
//!
//! The lock that a runtime reports for a critical section is often memory of its own, so that there is no symbol for
//! it; the line of the construct has the name.

use std::collections::HashMap;

use crate::critical::{critical_in_line, is_barrier};
use crate::location::CodeLocation;

/// Maximum size of a source file in bytes: larger files are generated ones, or no sources at all.
const LARGEST: u64 = 16 << 20;
/// Number of lines above a location that are searched: compilers assign the code to the directive or to the first
/// statement after it.
const LINES_ABOVE: usize = 2;

/// Source files read so far. They are separate from the symbolizer so that a location borrowed from it can be passed
/// to them.
#[derive(Debug, Default)]
pub struct Sources {
    files: HashMap<String, Directives>,
}

/// The directives of a file that are used.
#[derive(Debug, Default)]
struct Directives {
    criticals: Vec<Directive>,
    /// Line numbers of barrier directives, from 1.
    barriers: Vec<usize>,
}

/// A critical construct: its line, counted from 1, and its name.
type Directive = (usize, Option<String>);

impl Sources {
    /// Name of the critical section at `location`, as written in its source line or up to two lines above; `None` if
    /// it has no name or the source is missing.
    pub fn critical_name<'s>(&'s mut self, location: &'s CodeLocation) -> Option<&'s str> {
        if let Some(known) = &location.source_line {
            return known.critical.as_deref();
        }
        let frame = location.located().filter(|frame| !frame.is_near)?;
        let (file, line) = (frame.file.as_deref()?, frame.line? as usize);
        let near = line.saturating_sub(LINES_ABOVE)..=line;
        let found = self.file(file).criticals.iter().rev().find(|(at, _)| near.contains(at))?;
        found.1.as_deref()
    }

    /// True if the source line of `location` is a barrier directive.
    pub fn is_barrier(&mut self, location: &CodeLocation) -> bool {
        if let Some(known) = &location.source_line {
            return known.is_barrier;
        }
        let frame = location.located().filter(|frame| !frame.is_near);
        let file = frame.and_then(|frame| Some((frame.file.as_deref()?, frame.line? as usize)));
        file.is_some_and(|(file, line)| self.file(file).barriers.contains(&line))
    }

    fn file(&mut self, file: &str) -> &Directives {
        if !self.files.contains_key(file) {
            self.files.insert(file.to_owned(), directives(file));
        }
        &self.files[file]
    }
}

/// The directives of a file that are used. The text itself is not kept.
fn directives(file: &str) -> Directives {
    let text = read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().collect();
    let directive = |at: usize| Some((at + 1, critical_in_line(&joined(&lines[at..]))?));
    let is_barrier = |at: &usize| is_barrier(&joined(&lines[at - 1..]));
    Directives {
        criticals: (0..lines.len()).filter_map(directive).collect(),
        barriers: (1..=lines.len()).filter(is_barrier).collect(),
    }
}

fn read(file: &str) -> Option<Vec<u8>> {
    let about = std::fs::metadata(file).ok()?;
    let readable = about.is_file() && about.len() <= LARGEST;
    readable.then(|| std::fs::read(file).ok())?
}

/// The first line, with the next one where it is continued there.
fn joined(lines: &[&str]) -> String {
    let first = lines[0].trim_end();
    let next = || lines.get(1).copied().unwrap_or_default().trim_start();
    if let Some(start) = first.strip_suffix('\\') {
        return format!("{start}{}", next());
    }
    match first.strip_suffix('&') {
        // Fortran repeats the sentinel on the continued line.
        Some(start) => {
            let continued = next().trim_start_matches(|c: char| !c.is_whitespace());
            format!("{start}{continued}")
        }
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::CodeFrame;

    const TEXT: &str = "void f(void) {\n\
        #pragma omp critical(first)\n\
        {\n\
        g++;\n\
        }\n\
        #pragma omp critical \\\n\
        (second)\n\
        g--;\n\
        #pragma omp critical\n\
        g--;\n\
        !$omp critical &\n\
        !$omp& (third)\n";

    fn location(file: &std::path::Path, line: u32) -> CodeLocation {
        let file = Some(file.to_str().unwrap().to_owned());
        let frames = vec![CodeFrame { file, line: Some(line), ..CodeFrame::default() }];
        CodeLocation { frames, ..CodeLocation::default() }
    }

    #[test]
    fn the_nearest_directive_above_decides() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, TEXT).unwrap();
        let mut sources = Sources::default();
        let mut name =
            |line| sources.critical_name(&location(file.path(), line)).map(str::to_owned);
        assert_eq!(name(1), None);
        assert_eq!(name(2).as_deref(), Some("first"));
        assert_eq!(name(4).as_deref(), Some("first"));
        assert_eq!(name(5), None);
        assert_eq!(name(7).as_deref(), Some("second"));
        assert_eq!(name(8).as_deref(), Some("second"));
        assert_eq!(name(9), None, "it has no name, though one with a name is near");
        assert_eq!(name(11).as_deref(), Some("third"));
        assert_eq!(name(4000), None);
    }

    #[test]
    fn a_file_is_read_once_and_need_not_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        let mut sources = Sources::default();
        assert_eq!(sources.critical_name(&location(&file, 2)), None);
        assert_eq!(sources.critical_name(&location(folder.path(), 2)), None);
        std::fs::write(&file, TEXT).unwrap();
        assert_eq!(sources.critical_name(&location(&file, 2)), None, "remembered as missing");
        assert_eq!(Sources::default().critical_name(&location(&file, 2)), Some("first"));
    }
}
