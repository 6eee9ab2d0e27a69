//! Functions and lines of one file's debug information.

use std::ops::Range;

use addr2line::{Loader, gimli};

use crate::debug_file;
use crate::elf::Elf;
use crate::error::Error;
use crate::location::CodeFrame;
use crate::names;

/// Opened debug information. The loader maps the file and reads a compile unit when an
/// address inside is asked for; it also follows split DWARF (.dwo and .dwp files).
pub(crate) struct Lines {
    loader: Loader,
    /// The note of every location in the file, if anything is missing from the start.
    note: Option<String>,
}

impl Lines {
    /// Opens the debug information in `elf`.
    pub(crate) fn open(elf: &Elf) -> Result<Self, Error> {
        if let Some(bytes) = elf.inflated {
            return Err(Error::Inflated(bytes));
        }
        let shared = debug_file::shared(elf);
        let missing = elf.shared_debug.as_ref().filter(|_| shared.is_none());
        let note = missing.map(|(name, _)| format!("names are missing with {}", name.display()));
        let loader = Loader::new_with_sup(&elf.path, shared).map_err(text)?;
        // The loader opened the path a second time: it must be the file that was examined.
        if elf.is_unchanged() { Ok(Self { loader, note }) } else { Err(Error::Changed) }
    }

    /// Frames at an address, innermost first: inlined functions, then the function itself. Frames that were found
    /// before an error are returned with its note.
    pub(crate) fn frames(&self, address: u64) -> (Vec<CodeFrame>, Option<String>) {
        let mut frames = Vec::new();
        let mut found = match self.loader.find_frames(address) {
            Ok(found) => found,
            Err(error) => return (frames, Some(text(error).to_string())),
        };
        loop {
            match found.next() {
                Ok(Some(one)) => frames.push(frame(&one)),
                Ok(None) => return (frames, self.note.clone()),
                Err(error) => return (frames, Some(text(error).to_string())),
            }
        }
    }
}

impl Lines {
    /// True if a line of this source file has code.
    pub(crate) fn name(&self, file: &str) -> bool {
        let found = self.loader.find_location_range(0, u64::MAX);
        found.is_ok_and(|mut found| found.any(|(_, _, location)| location.file == Some(file)))
    }
}

/// Maximum number of code ranges that are searched for a line, nearest first.
const NEAREST: usize = 64;

impl Lines {
    /// The function whose code is `extent`, with the line of the code nearest to `address` in it; of two equally near
    /// ones the one before.
    pub(crate) fn nearest(&self, address: u64, extent: Range<u64>) -> Option<CodeFrame> {
        let found = self.loader.find_location_range(extent.start, extent.end).ok()?;
        let with_line = found.filter(|(_, _, at)| at.line.is_some_and(|line| line > 0));
        let mut code: Vec<_> = with_line
            .map(|(start, length, _)| match start > address {
                true => (start - address, 1, start),
                false => (address.saturating_sub(start.saturating_add(length)), 0, start),
            })
            .collect();
        code.sort_unstable();
        code.iter().take(NEAREST).find_map(|&(_, _, start)| {
            // What was inlined there is not the function's own, but where it was called is.
            let function = self.frames(start).0.pop()?;
            (function.file.is_some() && function.line.is_some()).then_some(function)
        })
    }
}

fn frame<R: gimli::Reader>(found: &addr2line::Frame<'_, R>) -> CodeFrame {
    let raw = found.function.as_ref().and_then(|name| Some(name.raw_name().ok()?.into_owned()));
    let language = found.function.as_ref().and_then(|name| name.language);
    let raw = match raw {
        Some(raw) if is_fortran(language) => Some(names::fortran(&raw)),
        other => other,
    };
    let at = found.location.as_ref();
    CodeFrame {
        function: raw.as_deref().map(|raw| names::demangle(raw).into_owned()),
        raw,
        file: at.and_then(|at| at.file).map(str::to_owned),
        // Line 0 is the compiler's way to say that no line is to blame.
        line: at.and_then(|at| at.line).filter(|&line| line > 0),
        column: at.and_then(|at| at.column).filter(|&column| column > 0),
        is_near: false,
    }
}

fn is_fortran(language: Option<gimli::DwLang>) -> bool {
    let fortran = [
        gimli::DW_LANG_Fortran77,
        gimli::DW_LANG_Fortran90,
        gimli::DW_LANG_Fortran95,
        gimli::DW_LANG_Fortran03,
        gimli::DW_LANG_Fortran08,
        gimli::DW_LANG_Fortran18,
    ];
    language.is_some_and(|language| fortran.contains(&language))
}

fn text(error: impl std::fmt::Display) -> Error {
    Error::Dwarf(error.to_string())
}
